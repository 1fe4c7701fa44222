import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';

/** Where a session stands, in the words that people use. `reason` is plain text and may be long. */
export interface Headline {
  readonly sign: string;
  readonly words: string;
  readonly reason: string;
}

export function headline(session: Session): Headline {
  const { pullRequest: pull, run } = session;
  const state = stateOf(session);
  switch (state) {
    case 'ignored':
      return { sign: '⚪', words: 'Not started', reason: 'Nobody who may ask for work has asked.' };
    case 'queued':
      return { sign: '⏳', words: 'Queued', reason: 'It begins as soon as there is room.' };
    case 'working':
      return { sign: '🔧', words: 'Working', reason: session.activity };
    case 'waiting(answer)':
      return { sign: '💬', words: 'Waiting for your answer', reason: session.question?.text ?? '' };
    case 'waiting(review)':
      return finished(
        session,
        `Ready for review: #${pull?.number}`,
        `Not finished: #${pull?.number}`,
      );
    case 'done':
      return pull?.state === 'merged'
        ? { sign: '🎉', words: `Merged: #${pull.number}`, reason: '' }
        : finished(session, 'Done', 'Could not be done');
    case 'failed':
      return {
        sign: '❌',
        words: 'Failed',
        reason: run?.end && 'words' in run.end ? run.end.words : '',
      };
    case 'stopped':
      return { sign: '⏹️', words: 'Stopped', reason: stopReason(session) };
    default:
      return state satisfies never;
  }
}

function finished({ finish, pullRequest }: Session, done: string, not: string): Headline {
  const reason = finish?.summary ?? '';
  if (finish?.outcome === 'cannot') return { sign: '✋', words: not, reason };
  if (finish?.outcome === 'nothing_to_do' && pullRequest === undefined) {
    return { sign: '✅', words: 'Nothing to change', reason };
  }
  return { sign: '✅', words: done, reason: pullRequest === undefined ? reason : '' };
}

function stopReason({ pullRequest, issueClosed, run }: Session): string {
  if (pullRequest?.state === 'closed') {
    return `Pull request #${pullRequest.number} was closed without being merged.`;
  }
  if (issueClosed) return 'The issue was closed.';
  return run?.end && 'words' in run.end ? run.end.words : '';
}
