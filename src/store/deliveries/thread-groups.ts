import { mayOpenSession } from '../../session/said/asks.ts';
import type { Arrival } from '../../contracts/intent.ts';
import type { Delivery } from '../../contracts/delivery.ts';

/** What decides with which others an arrival may be in a group. */
export interface Keys {
  /** No two of a group have one in common. */
  readonly marks: readonly string[];
  /** The threads whose session it may find or open. */
  readonly threads: readonly string[];
  /** Nothing of its threads comes after it in a group, because it may open their session. */
  readonly isLastOfThread: boolean;
}

export const keysOf = (
  { meaning, repository, thread, intent }: Arrival,
  { id }: Delivery,
): Keys => ({
  marks: [`id ${id}`, `meaning ${meaning}`],
  threads: [thread.issue ?? thread.number, thread.number].map(
    (number) => `${repository.id}#${number}`,
  ),
  isLastOfThread: mayOpenSession(intent),
});

interface Item {
  readonly keys: Keys;
  /** The body of its entry. */
  readonly received: string;
}

const MAX_GROUP = 200;
/** Of entries, in UTF-16 code units. */
const MAX_GROUP_LENGTH = 4 * 1024 * 1024;

/**
 * Takes the next group of those that wait. What happens in a thread keeps its order: nothing is taken while something
 * of its thread is under way, or before what came earlier. `rest`: those that go on waiting, in their order.
 */
export function takeGroup<Waiting extends Item>(
  waiting: readonly Waiting[],
  underWay: readonly Item[],
): { readonly group: Waiting[]; readonly rest: Waiting[] } {
  const group: Waiting[] = [];
  const rest: Waiting[] = [];
  const closed = new Set(underWay.flatMap(({ keys }) => keys.threads));
  const once = new Set(underWay.flatMap(({ keys }) => keys.marks));
  let length = 0;
  for (const one of waiting) {
    const { marks, threads, isLastOfThread } = one.keys;
    const isFull =
      group.length === MAX_GROUP ||
      (group.length > 0 && length + one.received.length > MAX_GROUP_LENGTH);
    const waits =
      isFull ||
      marks.some((mark) => once.has(mark)) ||
      threads.some((thread) => closed.has(thread));
    (waits ? rest : group).push(one);
    length += waits ? 0 : one.received.length;
    for (const mark of marks) once.add(mark);
    if (waits || isLastOfThread) for (const thread of threads) closed.add(thread);
  }
  return { group, rest };
}
