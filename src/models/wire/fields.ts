export type Fields = Readonly<Record<string, unknown>>;

/** The fields of anything that a server sent; none if it is no object. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};
