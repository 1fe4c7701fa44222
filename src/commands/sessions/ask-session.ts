import type { OperatorCommand } from '../../contracts/intent.ts';
import { fold } from '../../session/fold/fold.ts';
import type { Session } from '../../session/session.ts';
import { stateOf, type State } from '../../session/state.ts';
import { actionsOf } from '../../web/pages/actions.ts';
import type { CommandContext } from '../command.ts';
import { findSession, onDatabase } from './find-session.ts';

/** Resolves with the exit code: 1 if the state of the session does not allow it. */
export const askSession = (
  { environment, arguments: [given = ''], print }: CommandContext,
  command: OperatorCommand,
): Promise<number> =>
  onDatabase(environment, async (service) => {
    const row = await findSession(service, given);
    const session = fold(await service.sessions.journal(row.id));
    const name = `Session ${row.id} (${row.repository.owner}/${row.repository.name}#${row.issue})`;
    const state = stateOf(session);
    if (ALREADY[command].has(state)) {
      print(`Nothing was done. ${name} ${WORDS[state]}.`);
      return 0;
    }
    if (!isAsked(session, command)) {
      if (!actionsOf(session).includes(command)) {
        print(`Nothing was done. ${name} ${whyNot(session, state)}`);
        return 1;
      }
      await service.ask({ ...row, lastSeq: session.seq }, command);
    }
    const then = (await service.isInUse())
      ? ''
      : ' No service is running: it happens when one starts.';
    print(`${name} ${command === 'stop' ? 'stops' : 'starts again'}.${then}`);
    return 0;
  });

const ALREADY: Readonly<Record<OperatorCommand, ReadonlySet<State>>> = {
  stop: new Set(['stopped']),
  retry: new Set(['queued', 'working']),
};

const WORDS: Readonly<Record<State, string>> = {
  ignored: 'was never started, because nobody with permission has requested work',
  queued: 'is queued',
  working: 'is working',
  'waiting(answer)': 'waits for an answer on its issue',
  'waiting(approval)': 'waits for approval on its issue',
  'waiting(review)': 'is ready for review. Comments on its pull request are worked on',
  'waiting(pause)': 'is paused. To resume it, comment `/issuewright resume` on its issue',
  'waiting(person)': 'waits for a person to ask for more',
  done: 'is done. More can be requested by a comment on its issue',
  failed: 'has failed, so there is nothing to stop',
  stopped: 'is stopped',
};

function whyNot({ thread, waiting }: Session, state: State): string {
  if (state === 'waiting(pause)' && waiting.pausedBy === undefined)
    return 'is paused with the whole service. To resume that, run `issuewright resume`.';
  if (state === 'stopped' && thread.issueClosed)
    return 'is stopped because its issue is closed. Reopen that first.';
  return `${WORDS[state]}.`;
}

/** It was asked for, and the service has not seen it yet. */
const isAsked = ({ requests }: Session, command: OperatorCommand): boolean =>
  requests.awaitingAdmission.some(
    ({ intent }) => intent.kind === 'operator_command' && intent.command === command,
  );
