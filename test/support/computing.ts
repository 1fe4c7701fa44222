/**
 * Answers, each time, how many milliseconds of the processor this thread has taken since: what others do
 * on the machine meanwhile does not count.
 */
export function stopwatch(): () => number {
  const before = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  };
}

/** The same of one piece of work. */
export function computingMs(work: () => void): number {
  const taken = stopwatch();
  work();
  return taken();
}
