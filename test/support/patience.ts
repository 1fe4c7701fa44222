/**
 * How long a slow test waits for anything: nearly as long as it may take, so that a loaded machine fails no test, and that a
 * test which waits in vain says for what.
 */
export const PATIENCE_MS = 240_000;
