// Carries out what people ask for about a merge that GitHub makes once the pull request is ready.
import { sharedNow } from '../../lib/clock.ts';
import type { MergeAnswer } from '../../contracts/pull-request.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import type { Entry, EntryOf } from '../../session/entry.ts';
import { isOnPull } from '../../session/said/asks.ts';
import { entryAt, verdictsIn } from '../../session/kept-entries.ts';
import { pullRequestOf } from '../../session/parts/session-thread.ts';
import { mergeAnswerComment } from '../../session/texts/merges.ts';
import { rulesFor } from '../admission/settings.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { CommentToPublish, View } from './publication.ts';

type AppendedJournal = Pick<JournalTracker, 'session' | 'entries' | 'append'>;
type MergeRepository = Pick<
  GitHubRepository,
  'mergeWhenReady' | 'doNotMerge' | 'readFile' | 'ownersFile'
>;

/** A command that is read later than this may be about a change that its author has not seen. */
const LATE_MS = 10 * 60_000;

/**
 * Journals an answer to each command that has none. After a crash it looks again: what is on by then is not switched on a
 * second time.
 */
export async function answerMergeCommands(
  github: MergeRepository,
  tracker: AppendedJournal,
): Promise<void> {
  for (const verdict of verdictsIn(tracker.entries).values()) {
    if (verdict.type !== 'admitted' || answersIn(tracker.entries).has(verdict.received)) continue;
    const answer = await answerTo(verdict, github, tracker);
    if (answer === undefined) continue;
    await tracker.append({ type: 'merge_answered', received: verdict.received, answer });
  }
}

async function answerTo(
  verdict: EntryOf<'admitted'>,
  github: MergeRepository,
  { session, entries }: AppendedJournal,
): Promise<MergeAnswer | undefined> {
  const { ask, received, head } = verdict;
  const number = pullRequestOf(session);
  const last = [...answersIn(entries).values()].findLast(({ kind }) => kind !== 'not_on');
  if (isStop(verdict, entries))
    return last?.kind === 'on' ? github.doNotMerge(number, last.isQueued === true) : undefined;
  if (ask?.for !== 'merge') return undefined;
  if (ask.isOff === true)
    return github.doNotMerge(number, last?.kind === 'on' && last.isQueued === true);
  const { mergeWhenReady: method } = await rulesFor(github, session.thread.repository);
  if (method === false) return { kind: 'not_on', because: 'not_in_settings' };
  if (head === undefined) return { kind: 'not_on', because: 'no_pull_request' };
  const asked = entryAt(entries, received);
  const at = asked?.type === 'received' && 'at' in asked.intent ? asked.intent.at : undefined;
  if (sharedNow() - Date.parse(at ?? asked?.at ?? '') > LATE_MS)
    return { kind: 'not_on', because: 'late' };
  return github.mergeWhenReady({ number, head, method: method === true ? undefined : method });
}

/** By a comment, by the button of the check run, or by the operator. */
function isStop({ ask, received }: EntryOf<'admitted'>, entries: readonly Entry[]): boolean {
  if (ask?.for === 'stop') return true;
  const asked = entryAt(entries, received);
  if (asked?.type !== 'received') return false;
  const { intent } = asked;
  return (
    (intent.kind === 'check_action' && intent.action === 'stop') ||
    (intent.kind === 'operator_command' && intent.command === 'stop')
  );
}

/** By the number of the command's `received` entry. Two processes may answer it at once: the first answer counts. */
function answersIn(entries: readonly Entry[]): ReadonlyMap<number, MergeAnswer> {
  const answers = new Map<number, MergeAnswer>();
  for (const entry of entries)
    if (entry.type === 'merge_answered' && !answers.has(entry.received))
      answers.set(entry.received, entry.answer);
  return answers;
}

/** A comment for each answer, where it was asked for. */
export function mergeComments({ session, entries }: View): CommentToPublish[] {
  return [...answersIn(entries)].flatMap(([received, answer]) => {
    const asked = entryAt(entries, received);
    if (asked?.type !== 'received') return [];
    const { sender, intent } = asked;
    return [
      {
        key: `merge:${received}`,
        body: mergeAnswerComment(sender, answer),
        ...(sender.operator === true ? {} : { mention: sender.login }),
        ...(isOnPull(intent) ? { issue: pullRequestOf(session) } : {}),
      },
    ];
  });
}
