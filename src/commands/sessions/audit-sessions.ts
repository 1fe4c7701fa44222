import { LOGIN } from '../../config/values/fields.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { deedsIn, type AuditedAct } from '../../session/audit.ts';
import type { Control } from '../../store/control.ts';
import type { SessionRow } from '../../store/store.ts';
import type { CommandContext } from '../command.ts';
import { NotPossible, onDatabase } from './find-session.ts';
import { stateWord } from './state-words.ts';

/** Sessions that are read at once. */
const PAGE = 100;

/** Resolves with the exit code. */
export const auditSessions = (context: CommandContext): Promise<number> =>
  onDatabase(context.environment, (service) => {
    const { erase } = context.options;
    return typeof erase === 'string' ? eraseOf(service, erase, context) : list(service, context);
  });

async function list({ sessions }: Control, { options, print }: CommandContext): Promise<number> {
  const since = sinceOf(options['since']);
  const { repo } = options;
  const within = typeof repo === 'string' ? await sessions.repositories(repo) : undefined;
  for (let after: string | undefined; ;) {
    const rows = await sessions.sessions({ limit: PAGE, after, within });
    for (const row of rows) {
      if (row.updatedAt.getTime() < since) continue;
      for (const deed of deedsIn(await sessions.journal(row.id)))
        if (Date.parse(deed.at) >= since) print(lineOf(row, deed));
    }
    after = rows.at(-1)?.id;
    if (rows.length < PAGE) return 0;
  }
}

function sinceOf(given: unknown): number {
  if (given === undefined) return -Infinity;
  const since = typeof given === 'string' ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(since))
    throw new NotPossible(
      '--since must be a date such as 2026-11-01, or a time such as 2026-11-01T08:00Z.',
    );
  return since;
}

const placeOf = ({ id, repository, issue, pullRequest }: SessionRow) => ({
  session: id,
  repository: `${repository.owner}/${repository.name}`,
  issue,
  pullRequest,
});

const lineOf = (
  row: SessionRow,
  { at, person, did, command, dollars, isPartial }: AuditedAct,
): string =>
  escapeUnseen(
    JSON.stringify({
      at,
      ...placeOf(row),
      login: person.login,
      id: person.id,
      did,
      ...withoutUndefined({ command }),
      dollars: isPartial && dollars === 0 ? null : dollars,
      ...(isPartial ? { isPartial } : {}),
    }),
  );

async function eraseOf(
  service: Control,
  login: string,
  { print, terminal }: CommandContext,
): Promise<number> {
  if (!LOGIN.test(login)) throw new NotPossible('--erase takes a login of GitHub, without `@`.');
  const { erased, left } = await service.erase(login);
  // A script reads lines of JSON.
  if (erased.length + left.length === 0 && terminal.columns !== undefined)
    print(`No session of ${login}.`);
  for (const session of erased) print(JSON.stringify({ session, outcome: 'erased' }));
  for (const session of left) {
    const row = await service.sessions.session(session);
    if (row !== undefined)
      print(JSON.stringify({ ...placeOf(row), outcome: 'left', state: stateWord(row.state) }));
  }
  return left.length === 0 ? 0 : 1;
}
