import type { OperatorCommand } from '../../contracts/intent.ts';
import { fold } from '../../session/fold/fold.ts';
import type { Session } from '../../session/session.ts';
import { stateOf, type State } from '../../session/state.ts';
import { actionsOf } from '../../web/pages/actions.ts';
import { printOutcome, type CommandContext } from '../command.ts';
import { findNamedSession, onDatabase } from './find-session.ts';
import { STATE_WORDS } from './state-words.ts';
import { spellCommand } from '../../lib/program-name.ts';

/** Resolves with the exit code: 1 if the state of the session does not allow it. */
export const askSession = (context: CommandContext, command: OperatorCommand): Promise<number> =>
  onDatabase(context.environment, async (service) => {
    const row = await findNamedSession(service, context.arguments[0] ?? '');
    const session = fold(await service.sessions.journal(row.id));
    const state = stateOf(session);
    const outcome = outcomeOf(session, state, command);
    // It was asked for before, and the service has not seen it yet.
    if (outcome === 'asked' && !isAsked(session, command))
      await service.ask({ ...row, lastSeq: session.seq }, command);
    const isRunning = await service.isInUse();
    const repository = `${row.repository.owner}/${row.repository.name}`;
    const name = `Session ${row.id} (${repository}#${row.issue})`;
    const isLater = outcome === 'asked' && !isRunning;
    const later = isLater ? ' No service is running: it happens when one starts.' : '';
    printOutcome(context, `${TEXTS[outcome](name, session, command)}${later}`, {
      session: row.id,
      repository,
      issue: row.issue,
      outcome,
      state: STATE_WORDS.get(state) ?? state,
      serviceRunning: isRunning,
    });
    return outcome === 'impossible' ? 1 : 0;
  });

/** `asked`: the service does it. `already`: there is nothing to do. */
type Outcome = 'asked' | 'already' | 'impossible';

function outcomeOf(session: Session, state: State, command: OperatorCommand): Outcome {
  if (ALREADY[command].has(state)) return 'already';
  return isAsked(session, command) || actionsOf(session).includes(command) ? 'asked' : 'impossible';
}

type Text = (name: string, session: Session, command: OperatorCommand) => string;

const TEXTS: Readonly<Record<Outcome, Text>> = {
  asked: (name, _session, command) => `${name} ${command === 'stop' ? 'stops' : 'starts again'}.`,
  already: (name, session) => `Nothing was done. ${name} ${WORDS[stateOf(session)]}.`,
  impossible: (name, session) => `Nothing was done. ${name} ${whyNot(session, stateOf(session))}`,
};

const ALREADY: Readonly<Record<OperatorCommand, ReadonlySet<State>>> = {
  stop: new Set(['stopped']),
  retry: new Set(['queued', 'working']),
};

const WORDS: Readonly<Record<State, string>> = {
  ignored: 'never started, because nobody with permission requested work',
  queued: 'is queued',
  working: 'is working',
  'waiting(answer)': 'waits for an answer on its issue',
  'waiting(approval)': 'waits for approval on its issue',
  'waiting(review)': 'waits for a review. To ask for changes, comment on its pull request',
  'waiting(pause)': 'is paused. To resume it, comment `/issuewright resume` on its issue',
  'waiting(person)': 'waits for a person to ask for more',
  'waiting(sub-issues)': 'works on its sub-issues, each in a session of its own',
  done: 'is done. To ask for more, comment on its issue',
  failed: 'has failed, so there is nothing to stop',
  stopped: 'is stopped',
};

function whyNot({ thread, waiting }: Session, state: State): string {
  if (state === 'waiting(pause)' && waiting.pausedBy === undefined)
    return `is paused with the whole service. To resume that, run \`${spellCommand('resume')}\`.`;
  if (state === 'stopped' && thread.issueClosed)
    return 'is stopped because its issue is closed. Reopen that first.';
  return `${WORDS[state]}.`;
}

const isAsked = ({ requests }: Session, command: OperatorCommand): boolean =>
  requests.awaitingAdmission.some(
    ({ intent }) => intent.kind === 'operator_command' && intent.command === command,
  );
