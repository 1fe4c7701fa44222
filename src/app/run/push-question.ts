// On the pull request of someone else: whether people are asked before anything is pushed to its branch.
import type { Effect } from '../../contracts/effect.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { pushQuestion } from '../../session/texts/push-question.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';

interface Parts {
  readonly tracker: Pick<JournalTracker, 'session' | 'entries' | 'append'>;
  readonly github: Pick<GitHubRepository, 'whyNotToPush'>;
}

/**
 * Before anything costs money. Asked once for each request: a yes holds for the session, and any other answer means that
 * nothing is pushed.
 */
export async function asksBeforePush({ tracker, github }: Parts): Promise<boolean> {
  const { thread, run } = tracker.session;
  const { adopted } = thread;
  if (adopted === undefined || adopted.fork !== undefined || adopted.pushing !== 'undecided')
    return false;
  const number = run?.number ?? 0;
  const before = tracker.entries.findLast(
    (entry) => 'run' in entry && entry.run === number && entry.type !== 'run_resumed',
  );
  // It was interrupted after it had asked, or after it was found that nothing has to be asked.
  if (before?.type === 'push_questioned') return true;
  if (before?.type !== 'run_started' && before?.type !== 'run_deferred') return false;
  const concern = await github.whyNotToPush(adopted);
  if (concern === undefined) return false;
  const text = pushQuestion(adopted, concern);
  const question: Effect = { type: 'question', about: 'push', text, items: [{ text }] };
  await tracker.append({ type: 'push_questioned', run: number, effects: [question] });
  return true;
}
