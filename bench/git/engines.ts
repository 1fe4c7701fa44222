/** What can prepare a workspace. */
export const ENGINES = ['isomorphic'] as const;
export type EngineName = (typeof ENGINES)[number];
