/** A process, or with a negative number its group. One that has ended already is nothing to tell. */
export function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Ended.
  }
}
