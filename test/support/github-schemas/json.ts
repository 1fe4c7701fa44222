export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Anything that is no object is an empty one. */
export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

/** Anything that is no list is an empty one. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
