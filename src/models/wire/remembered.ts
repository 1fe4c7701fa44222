/**
 * Memoizes a function by object identity. A conversation keeps its messages and grows at its end, so the
 * part that a request shares with the one before costs nothing.
 */
export function remembered<In extends object, Out>(
  compute: (value: In) => Out,
): (value: In) => Out {
  const known = new WeakMap<In, Out>();
  return (value) => {
    const before = known.get(value);
    if (before !== undefined) return before;
    const computed = compute(value);
    known.set(value, computed);
    return computed;
  };
}
