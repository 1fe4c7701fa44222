/** What can prepare a workspace. */
export const ENGINES = ['isomorphic', 'native'] as const;
export type EngineName = (typeof ENGINES)[number];

export const isEngine = (name: string): name is EngineName =>
  ENGINES.some((engine) => engine === name);

/** The limit of the bench for a workspace and for the cache: what an engine can do, whatever its limit is by default. */
export const MAX_BYTES = 2 ** 32;
