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

/**
 * How long, in milliseconds of the processor, this thread has kept everything else waiting at most while `work` went on:
 * the longest of the turns of its event loop.
 */
export async function longestTurnMs(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  let taken = stopwatch();
  const turn = (): void => {
    longest = Math.max(longest, taken());
    taken = stopwatch();
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    await work();
  } finally {
    isOver = true;
    longest = Math.max(longest, taken());
  }
  return longest;
}
