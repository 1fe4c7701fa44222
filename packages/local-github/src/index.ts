// The exports of the playground.
export { startLocalGitHub } from './github/local-github.ts';
export type { LocalGitHub } from './github/local-github.ts';
export { startModelServer } from './model/server.ts';
export type { ModelServer } from './model/server.ts';
export { Script } from './model/script.ts';
export { SAMPLE } from './sample/index.ts';
