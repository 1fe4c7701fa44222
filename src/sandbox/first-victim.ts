import { readFileSync, writeFileSync } from 'node:fs';
import { unlessItFails } from './unless-it-fails.ts';

const SCORE = '/proc/self/oom_score_adj';
const HIGHEST = '1000';

/**
 * Starts a process that the kernel kills first if the machine runs out of memory, with all its descendants. They
 * inherit the score from this process, which takes its own back. If it has CAP_SYS_RESOURCE, they cannot lower
 * theirs. If there is no such score here, it only starts the process.
 */
export function startFirstVictim<T>(start: () => T): T {
  const own = unlessItFails(() => readFileSync(SCORE, 'latin1'));
  if (own === undefined) return start();
  unlessItFails(() => writeFileSync(SCORE, HIGHEST));
  try {
    return start();
  } finally {
    unlessItFails(() => writeFileSync(SCORE, own));
  }
}
