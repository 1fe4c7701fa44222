// Jest's global teardown: a file of its own, since Jest calls a default export.
export { tearDown as default } from './database-server.ts';
