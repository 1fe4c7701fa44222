/** `removed` lines from `oldStart` became `added` lines from `newStart`; both count from 0. */
export interface LineChange {
  readonly oldStart: number;
  readonly removed: number;
  readonly newStart: number;
  readonly added: number;
}

/** Texts that are further apart than this many removed and added lines are not compared line by line. */
const MAX_EDITS = 1000;

/**
 * The fewest lines to remove and to add, in order (E. Myers, "An O(ND) difference algorithm", 1986).
 * Beyond the limit all that differs counts as one change. The limit is one of edits and not of time, so
 * that the same texts always give the same answer.
 */
export function diffLines(before: readonly string[], after: readonly string[]): LineChange[] {
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const [one, other] = numbered(
    before.slice(start, before.length - end),
    after.slice(start, after.length - end),
  );
  const trace = search(one, other);
  const changes =
    trace === undefined
      ? [{ oldStart: 0, removed: one.length, newStart: 0, added: other.length }]
      : walkBack(trace, one.length, other.length);
  return changes.map((change) => ({
    ...change,
    oldStart: change.oldStart + start,
    newStart: change.newStart + start,
  }));
}

function commonStart(one: readonly string[], other: readonly string[]): number {
  const most = Math.min(one.length, other.length);
  let count = 0;
  while (count < most && one[count] === other[count]) count += 1;
  return count;
}

function commonEnd(one: readonly string[], other: readonly string[], start: number): number {
  const most = Math.min(one.length, other.length) - start;
  let count = 0;
  while (count < most && one.at(-1 - count) === other.at(-1 - count)) count += 1;
  return count;
}

type Numbers = readonly number[];

/** Equal lines as equal numbers: long lines are compared once. */
function numbered(one: readonly string[], other: readonly string[]): [Numbers, Numbers] {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const number = numbers.get(line) ?? numbers.size;
    numbers.set(line, number);
    return number;
  };
  return [one.map(numberOf), other.map(numberOf)];
}

/** How far each diagonal reached before each edit: diagonal `k` stands at `k` from the middle. */
type Trace = readonly Int32Array[];

/** A diagonal is a position in the old text less one in the new. Undefined beyond the limit. */
function search(one: Numbers, other: Numbers): Trace | undefined {
  const limit = Math.min(MAX_EDITS, one.length + other.length);
  const middle = limit + 1;
  const reach = new Int32Array(2 * limit + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= limit; edits += 1) {
    trace.push(reach.slice());
    for (let k = -edits; k <= edits; k += 2) {
      const from = previous(reach, k, edits);
      let x = from === k + 1 ? at(reach, from) : at(reach, from) + 1;
      while (x < one.length && x - k < other.length && one[x] === other[x - k]) x += 1;
      reach[middle + k] = x;
      if (x >= one.length && x - k >= other.length) return trace;
    }
  }
  return undefined;
}

const at = (reach: Int32Array, k: number): number => reach[(reach.length - 1) / 2 + k] ?? 0;

/** The diagonal from which the next edit leads to `k`: the one above adds a line, the one below removes one. */
const previous = (reach: Int32Array, k: number, edits: number): number =>
  k === -edits || (k !== edits && at(reach, k - 1) < at(reach, k + 1)) ? k + 1 : k - 1;

/** The edits from the last to the first, those that touch each other as one change. */
function walkBack(trace: Trace, oldLength: number, newLength: number): LineChange[] {
  const changes: LineChange[] = [];
  let k = oldLength - newLength;
  for (const [edits, reach] of [...trace.entries()].slice(1).toReversed()) {
    const from = previous(reach, k, edits);
    const oldStart = at(reach, from);
    const adds = from === k + 1;
    const edit = { removed: adds ? 0 : 1, added: adds ? 1 : 0 };
    prepend(changes, { ...edit, oldStart, newStart: oldStart - from });
    k = from;
  }
  return changes;
}

function prepend(changes: LineChange[], change: LineChange): void {
  const [next] = changes;
  const { oldStart, removed, newStart, added } = change;
  const touches = next?.oldStart === oldStart + removed && next.newStart === newStart + added;
  if (!touches) changes.unshift(change);
  else changes[0] = { ...change, removed: removed + next.removed, added: added + next.added };
}
