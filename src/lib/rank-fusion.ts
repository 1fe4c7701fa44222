/** The usual constant: it decides how much more the first places of a list count than the next ones. */
const K = 60;

/** Lists of the same things, each with the best first, as one: by reciprocal rank fusion. */
export function fuse<T>(...lists: readonly (readonly T[])[]): readonly T[] {
  const scores = new Map<T, number>();
  for (const list of lists)
    for (const [at, item] of list.entries())
      scores.set(item, (scores.get(item) ?? 0) + 1 / (K + at + 1));
  return [...scores].toSorted(([, one], [, other]) => other - one).map(([item]) => item);
}
