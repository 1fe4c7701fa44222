// Carries out what people ask for about the memories of a repository.
import type { MemoryAnswer, MemoryStore } from '../../contracts/memory.ts';
import type { Entry, EntryOf } from '../../session/entry.ts';
import { isOnPull } from '../../session/said/asks.ts';
import { entryAt, verdictsIn } from '../../session/kept-entries.ts';
import { memoryComment } from '../../session/texts/memories.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import type { CommentToPublish, View } from './publication.ts';

const MOST_LISTED = 50;

/** Journals an answer to each command that has none. If a deletion is repeated after a crash, its answer is the same. */
export async function answerMemoryCommands(
  memories: MemoryStore,
  tracker: Pick<JournalTracker, 'id' | 'entries' | 'append'>,
): Promise<void> {
  const answered = new Set(answersIn(tracker.entries).keys());
  const verdicts = [...verdictsIn(tracker.entries).values()];
  for (const verdict of verdicts) {
    if (verdict.type !== 'admitted' || answered.has(verdict.received)) continue;
    const answer = await answerTo(verdict, memories, tracker.id);
    if (answer === undefined) continue;
    await tracker.append({ type: 'memory_answered', received: verdict.received, answer });
  }
}

async function answerTo(
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

/** By the number of the command's `received` entry. Two processes may answer it at once: the first answer counts. */
function answersIn(entries: readonly Entry[]): ReadonlyMap<number, MemoryAnswer> {
  const answers = new Map<number, MemoryAnswer>();
  for (const entry of entries)
    if (entry.type === 'memory_answered' && !answers.has(entry.received))
      answers.set(entry.received, entry.answer);
  return answers;
}

/** A comment for each answer, where it was asked for. What was deleted since is not shown any more. */
export function memoryComments({ session, entries }: View): CommentToPublish[] {
  const answers = answersIn(entries);
  const deleted = new Set(
    [...answers.values()].flatMap((answer) => (answer.kind === 'forgotten' ? answer.numbers : [])),
  );
  return [...answers].map(([received, answer]) => {
    const asked = entryAt(entries, received);
    return {
      key: `memory:${received}`,
      body: memoryComment(answer, deleted),
      ...(asked?.type === 'received' && isOnPull(asked.intent)
        ? { issue: session.thread.pullRequest?.number ?? session.thread.issue }
        : {}),
    };
  });
}
