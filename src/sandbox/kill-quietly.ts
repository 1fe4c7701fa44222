/** Kills a process, or a process group if `pid` is negative. Ignores one that has ended. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
