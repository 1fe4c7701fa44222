/** Milliseconds of the epoch, as finely as `performance` has them: comparable between processes. */
export const now = (): number => performance.timeOrigin + performance.now();
