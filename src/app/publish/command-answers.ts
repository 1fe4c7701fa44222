// Carries out commands that are answered in a comment: about the memories of a repository, and about a merge that GitHub makes once
// the pull request is ready.
import type { MemoryAnswer, MemoryStore } from '../../contracts/memory.ts';
import type { Entry, EntryOf } from '../../session/entry.ts';
import { isOnPull } from '../../session/said/asks.ts';
import { entryAt, verdictsIn } from '../../session/kept-entries.ts';
import { memoryComment } from '../../session/texts/memories.ts';
import type { JournalTracker, JournalWriter, TrackedJournal } from '../service/journal-tracker.ts';
import type { CommentToPublish, View } from './publication.ts';
import { sharedNow } from '../../lib/clock.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import type { MergeAnswer } from '../../contracts/pull-request.ts';
import type { GitHubRepository } from '../../github/repository.ts';
import { pullRequestOf } from '../../session/parts/session-thread.ts';
import { mergeAnswerComment } from '../../session/texts/merges.ts';
import { rulesFor } from '../admission/settings.ts';

const MOST_LISTED = 50;

/** Journals an answer to each command that has none. If a deletion is repeated after a crash, its answer is the same. */
export async function answerMemoryCommands(
  memories: MemoryStore,
  tracker: Pick<JournalTracker, 'id' | 'entries' | 'append'>,
): Promise<void> {
  const answered = new Set(memoryAnswersIn(tracker.entries).keys());
  const verdicts = [...verdictsIn(tracker.entries).values()];
  for (const verdict of verdicts) {
    if (verdict.type !== 'admitted' || answered.has(verdict.received)) continue;
    const answer = await answerMemoryCommand(verdict, memories, tracker.id);
    if (answer === undefined) continue;
    await tracker.append({ type: 'memory_answered', received: verdict.received, answer });
  }
}

async function answerMemoryCommand(
  { received, ask }: EntryOf<'admitted'>,
  memories: MemoryStore,
  session: string,
): Promise<MemoryAnswer | undefined> {
  const numbers = ask?.numbers ?? [];
  if (ask?.for === 'forget')
    return numbers.length === 0
      ? { kind: 'unclear' }
      : forgotten(memories, session, numbers, `${session} ${received}`);
  if (ask?.for !== 'memory') return undefined;
  if (numbers.length === 0)
    return { kind: 'listed', ...(await memories.list(session, MOST_LISTED)) };
  const found = await memories.find(session, numbers);
  const known = new Set(found.map(({ number }) => number));
  return {
    kind: 'shown',
    memories: found,
    unknown: numbers.filter((number) => !known.has(number)),
  };
}

async function forgotten(
  memories: MemoryStore,
  session: string,
  asked: readonly number[],
  by: string,
): Promise<MemoryAnswer> {
  const numbers: number[] = [];
  const unknown: number[] = [];
  for (const number of asked)
    ((await memories.forget(session, number, by)) ? numbers : unknown).push(number);
  return { kind: 'forgotten', numbers, unknown };
}

const memoryAnswersIn = (entries: readonly Entry[]): ReadonlyMap<number, MemoryAnswer> =>
  firstAnswers(entries.filter((entry) => entry.type === 'memory_answered'));

/** A comment for each answer, where it was asked for. What was deleted since is not shown any more. */
export function memoryComments({ session, entries }: View): CommentToPublish[] {
  const answers = memoryAnswersIn(entries);
  const deleted = new Set(
    [...answers.values()].flatMap((answer) => (answer.kind === 'forgotten' ? answer.numbers : [])),
  );
  return [...answers].map(([received, answer]) => {
    const asked = entryAt(entries, received);
    const on = session.thread.pullRequest?.number ?? session.thread.issue;
    return withoutUndefined({
      key: `memory:${received}`,
      body: memoryComment(answer, deleted),
      issue: asked?.type === 'received' && isOnPull(asked.intent) ? on : undefined,
    });
  });
}

type AppendedJournal = TrackedJournal & JournalWriter;
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
    if (verdict.type !== 'admitted' || mergeAnswersIn(tracker.entries).has(verdict.received))
      continue;
    const answer = await answerMergeCommand(verdict, github, tracker);
    if (answer === undefined) continue;
    await tracker.append({ type: 'merge_answered', received: verdict.received, answer });
  }
}

async function answerMergeCommand(
  verdict: EntryOf<'admitted'>,
  github: MergeRepository,
  { session, entries }: AppendedJournal,
): Promise<MergeAnswer | undefined> {
  const { ask, received, head } = verdict;
  const number = pullRequestOf(session);
  const last = [...mergeAnswersIn(entries).values()].findLast(({ kind }) => kind !== 'not_on');
  if (isStop(verdict, entries))
    return last?.kind === 'on' ? github.doNotMerge(number, last.isQueued === true) : undefined;
  if (ask?.for !== 'merge') return undefined;
  if (ask.isOff === true)
    return github.doNotMerge(number, last?.kind === 'on' && last.isQueued === true);
  const { merge_when_ready: method } = await rulesFor(github, session.thread.repository);
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

const mergeAnswersIn = (entries: readonly Entry[]): ReadonlyMap<number, MergeAnswer> =>
  firstAnswers(entries.filter((entry) => entry.type === 'merge_answered'));

/** By the number of the command's `received` entry. Two processes may answer it at once: the first answer counts. */
function firstAnswers<Answer>(
  answered: readonly { readonly received: number; readonly answer: Answer }[],
): ReadonlyMap<number, Answer> {
  const answers = new Map<number, Answer>();
  for (const { received, answer } of answered)
    if (!answers.has(received)) answers.set(received, answer);
  return answers;
}

/** A comment for each answer, where it was asked for. */
export function mergeComments({ session, entries }: View): CommentToPublish[] {
  return [...mergeAnswersIn(entries)].flatMap(([received, answer]) => {
    const asked = entryAt(entries, received);
    if (asked?.type !== 'received') return [];
    const { sender, intent } = asked;
    return [
      withoutUndefined({
        key: `merge:${received}`,
        body: mergeAnswerComment(sender, answer),
        mention: sender.operator === true ? undefined : sender.login,
        issue: isOnPull(intent) ? pullRequestOf(session) : undefined,
      }),
    ];
  });
}
