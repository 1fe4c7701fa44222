/** What can prepare a workspace. */
export const ENGINES = ['isomorphic', 'native'] as const;
export type EngineName = (typeof ENGINES)[number];

export const isEngine = (name: string): name is EngineName =>
  ENGINES.some((engine) => engine === name);

/** The limit of the bench for a workspace and for the cache: no engine ends at a limit that an operator sets. */
export const MAX_BYTES = 2 ** 32;
