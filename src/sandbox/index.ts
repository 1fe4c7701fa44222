// Runs commands that a model wrote. They reach the workspace and nothing else.
export type { Limits } from './limits.ts';
export type { Sandbox, SandboxOptions } from './sandbox.ts';
export { openSandbox } from './open-sandbox.ts';
export { unsafeShell } from './unsafe-shell.ts';
