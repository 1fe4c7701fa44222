import { setTimeout as pause } from 'node:timers/promises';
import { sharedNow } from '../../lib/clock.ts';
import { escapeUnseen } from '../../lib/text/invisible.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Entry } from '../../session/entry.ts';
import { fold } from '../../session/fold/fold.ts';
import { cost, duration } from '../../session/texts/format.ts';

import type { State } from '../../session/state.ts';
import type { Control } from '../../store/control.ts';
import type { SessionRow } from '../../store/store.ts';
import { TOOLS } from '../../tools/index.ts';
import { renderingsOf } from '../../tools/define-tool.ts';
import { listedAs } from '../../web/pages/layout.ts';
import { storyText } from '../../web/pages/story-text.ts';
import type { CommandContext } from '../command.ts';
import { findNamedSession, onDatabase, NotPossible } from './find-session.ts';

/** Resolves with the exit code. */
export const showSession = (context: CommandContext): Promise<number> =>
  onDatabase(context.environment, async (service) => {
    const row = await findNamedSession(service, context.arguments[0] ?? '');
    const isJson = context.options['json'] === true;
    const teller = isJson ? jsonTeller(context) : textTeller(context, row);
    return context.options['follow'] === true
      ? follow(service, row.id, teller)
      : tellNews(service, row.id, teller).then(() => 0);
  });

/** Prints entries, of which it gets each once, in order. */
interface Teller {
  seq: number;
  tell(entries: readonly Entry[]): void;
}

function jsonTeller({ print }: CommandContext): Teller {
  return {
    seq: 0,
    // The escapes of JSON also show what would act on a terminal.
    tell: (entries) => {
      for (const entry of entries) print(escapeUnseen(JSON.stringify(entry)));
    },
  };
}

function textTeller({ print, options, terminal }: CommandContext, row: SessionRow): Teller {
  const renderings = renderingsOf(TOOLS);
  const look = { paint: terminal.paint, isFull: options['full'] === true };
  const all: Entry[] = [];
  return {
    seq: 0,
    tell: (entries) => {
      const before = all.length;
      all.push(...entries);
      const session = fold(all);
      if (before === 0) print(headOf(row, terminal.paint));
      for (const text of storyText(
        { session, entries: all },
        all[before - 1]?.seq ?? 0,
        renderings,
        look,
      ))
        print(text);
    },
  };
}

const headOf = (row: SessionRow, paint: CommandContext['terminal']['paint']): string => {
  const { repository, issue, pullRequest } = row;
  const title = escapeUnseen(row.title.replaceAll(/\s+/g, ' ').trim());
  const facts = [
    listedAs(row),
    ...(pullRequest === null ? [] : [`pull request #${pullRequest}`]),
    ...(row.model === '' ? [] : [escapeUnseen(row.model)]),
    cost(row.cost),
    `opened ${duration(sharedNow() - row.createdAt.getTime())} ago`,
    `session ${row.id}`,
  ];
  const place = `${repository.owner}/${repository.name}#${issue}`;
  return `${paint('bold', [place, title].join(' ').trim())}\n${paint('dim', facts.join(' · '))}\n`;
};

/** Entries that are read at once. */
const BATCH = 500;

/** Prints what is new, and resolves with the session as it was. */
async function tellNews({ sessions }: Control, id: string, teller: Teller): Promise<SessionRow> {
  const row = await sessions.session(id);
  if (row === undefined) throw new NotPossible(`The session ${id} was deleted.`);
  while (teller.seq < row.lastSeq) {
    const upTo = Math.min(row.lastSeq, teller.seq + BATCH);
    teller.tell(await sessions.journal(id, teller.seq, upTo));
    teller.seq = upTo;
  }
  return row;
}

const POLL_MS = 500;
/** Whether a service is there is asked each time that so many polls brought nothing. */
const QUIET_POLLS = 10;

/** Exit codes of the states in which nothing more happens by itself. */
const ENDS: ReadonlyMap<string, number> = new Map<State, number>([
  ['done', 0],
  ['waiting(review)', 0],
  ['failed', 1],
  ['stopped', 3],
  ['ignored', 3],
  ['waiting(answer)', 4],
  ['waiting(approval)', 4],
  ['waiting(pause)', 4],
  ['waiting(person)', 4],
]);

async function follow(service: Control, id: string, teller: Teller): Promise<number> {
  for (let quiet = 0; ; quiet += 1) {
    const { seq } = teller;
    const { state } = await tellNews(service, id, teller).catch((cause: unknown) => {
      throw new NotPossible(`The service has stopped, or its database: ${messageOf(cause)}`, {
        cause,
      });
    });
    const code = ENDS.get(state);
    if (code !== undefined) return code;
    if (teller.seq > seq) quiet = 0;
    if (quiet % QUIET_POLLS === 0 && !(await service.isInUse()))
      throw new NotPossible('No service is running, so this session is idle. Start one.');
    await pause(POLL_MS);
  }
}
