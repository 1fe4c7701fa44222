type WithoutUndefined<T> = {
  [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** The properties that have a value, in the same order: for what tells a missing one from one that is `undefined`. */
export const withoutUndefined = <T extends object>(given: T): WithoutUndefined<T> =>
  Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== undefined),
  ) as WithoutUndefined<T>;
