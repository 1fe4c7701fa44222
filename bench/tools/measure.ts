import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { median } from '../median.ts';

const RUNS = 9;
const RESOLUTION_MS = 1;

export interface Measured {
  /** Milliseconds, the median. */
  readonly took: number;
  /** Of the first run, with what has to be started for it. */
  readonly first: number;
  /** The longest that the event loop was late in any run, in milliseconds. */
  readonly held: number;
  /** The most that its thread computed between two of its turns: late without that, it had no processor. */
  readonly computed: number;
  /** Milliseconds of the peer, run in turn with ours. */
  readonly peer: number | undefined;
}

/** The calls that make one run, one after the other. */
export type Calls = readonly (() => unknown)[];

/** Runs ours and the peer's in turn. */
export async function measure(ours: Calls, peer: Calls = []): Promise<Measured> {
  const times: number[] = [];
  const peerTimes: number[] = [];
  const held: number[] = [];
  const computed: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    delay.enable();
    const stopComputing = watchComputing();
    times.push(await timeOf(ours));
    delay.disable();
    computed.push(stopComputing());
    held.push(Math.max(0, delay.max / 1e6 - RESOLUTION_MS));
    peerTimes.push(await timeOf(peer));
  }
  return {
    took: median(times),
    first: times[0] ?? Number.NaN,
    held: Math.max(...held),
    computed: Math.max(...computed),
    peer: peer.length === 0 ? undefined : median(peerTimes),
  };
}

/** Of the calls alone: between them others have their turn, as in the service. */
async function timeOf(calls: Calls): Promise<number> {
  let took = 0;
  for (const call of calls) {
    const begun = performance.now();
    await call();
    took += performance.now() - begun;
    await nextTurn();
  }
  return took;
}

/** Answers, when it is called, the most milliseconds of this thread's processor time between two turns. */
function watchComputing(): () => number {
  let last = computedMs();
  let most = 0;
  const look = (): void => {
    const now = computedMs();
    most = Math.max(most, now - last);
    last = now;
  };
  const timer = setInterval(look, RESOLUTION_MS);
  return () => {
    look();
    clearInterval(timer);
    return most;
  };
}

function computedMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
