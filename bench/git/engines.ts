/** What can prepare a workspace. */
export const ENGINES = ['isomorphic', 'native'] as const;
export type EngineName = (typeof ENGINES)[number];
