/**
 * A function that computes nothing twice for the same object. Conversations grow at their end, and
 * keep the messages that they have: what a request has in common with the last one costs nothing.
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
