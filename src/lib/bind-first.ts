export type WithoutFirst<First, Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (
    first: First,
    ...args: infer Args
  ) => infer Result
    ? (...args: Args) => Result
    : never;
};

/** The same functions, by the same names, with their first argument given. */
export function bindFirst<First, Functions extends Readonly<Record<string, unknown>>>(
  first: First,
  functions: Functions,
): WithoutFirst<First, Functions> {
  const bound = Object.entries(functions).map(([name, work]) => [
    name,
    (...args: unknown[]): unknown =>
      Reflect.apply(work as () => unknown, undefined, [first, ...args]),
  ]);
  return Object.fromEntries(bound) as WithoutFirst<First, Functions>;
}
