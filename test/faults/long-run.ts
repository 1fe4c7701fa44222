// Many sessions over two workers, while processes are killed every few seconds and PostgreSQL restarts every ten.
import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { randomnessOf } from '../shuffled-events/randomness.ts';
import { AT_REST } from '../shuffled-events/session-watch.ts';
import { untilRested } from './attempt.ts';
import { Chaos } from './chaos.ts';
import { inspect, inspectAfterStop, type Finding } from './invariants.ts';
import { PLAIN } from './tales.ts';
import { World, type Role } from './world.ts';

export interface LongRun {
  readonly sessions: number;
  readonly seed: number;
  /** Ends it before its time. What has ended a minute later is looked at. */
  readonly cut: AbortSignal;
  readonly tell: (line: string) => void;
}

export interface Survived {
  readonly sessions: number;
  readonly opened: number;
  /** Those whose pull request was ready for review. */
  readonly ended: number;
  /** All that were opened, unless it was cut off. */
  readonly lookedAt: number;
  readonly seconds: number;
  readonly kills: number;
  readonly databaseRestarts: number;
  readonly failedStarts: number;
  /** Until a process was ready again, in seconds. */
  readonly starts: Spread;
  /** From the label until the pull request was ready, in seconds. */
  readonly toReady: Spread;
  /** Requests to the model. */
  readonly replies: number;
  /** What one session asks if nothing happens to it. */
  readonly repliesOfOne: number;
  readonly requestsToGitHub: number;
  /** Of this process, in megabytes: the local GitHub and the model server are in it. */
  readonly memory: number;
  /** Of the machine, the mean of the last minute: at the beginning, and at the end. */
  readonly load: readonly [number, number];
  readonly findings: readonly Finding[];
}

export interface Spread {
  readonly median: number;
  readonly longest: number;
}

const ROLES: readonly Role[] = ['serve', 'work', 'work'];
/** A kill holds up what the dead worker had for twenty seconds: there is something to do for the others meanwhile. */
const OPEN_AT_ONCE = 32;
/** The run fails if no open session ends for this long. A slow machine only makes the run longer. */
const PATIENCE_MS = 600_000;
/** The longest that a timer can wait. */
const ANY_TIME_MS = 2 ** 31 - 1;
const PATIENCE_AFTER_CUT_MS = 60_000;
const TELL_EVERY_MS = 10_000;

export async function survive({ sessions, seed, cut, tell }: LongRun): Promise<Survived> {
  const begun = performance.now();
  const secondsSince = (): number => (performance.now() - begun) / 1_000;
  const [loadBefore = 0] = loadavg();
  const options = { database: 'server', roles: [], patienceMs: PATIENCE_MS } as const;
  const world = await World.open({ ...PLAIN, ...options });
  try {
    const chaos = new Chaos(world, randomnessOf(seed), tell);
    await chaos.startAll(ROLES, true);
    const all = new Sessions(world, sessions);
    const progress = setInterval(() => {
      const { median, longest } = spread(chaos.starts.slice(-10));
      const killed = `${chaos.kills} kills, ${chaos.restarts} restarts of PostgreSQL`;
      const up = `the last starts took ${median} s, at most ${longest} s`;
      tell(`${secondsSince().toFixed(0)} s: ${all.words()}; ${killed}; ${up}`);
    }, TELL_EVERY_MS);
    const findings = await played(world, all, chaos, cut).finally(() => clearInterval(progress));
    tell(`looking at ${all.toLookAt.length} sessions`);
    findings.push(...(await look(world, all.toLookAt)));
    return {
      sessions,
      opened: all.opened,
      ended: all.seconds.length,
      lookedAt: all.toLookAt.length,
      seconds: Math.round(secondsSince()),
      kills: chaos.kills,
      databaseRestarts: chaos.restarts,
      failedStarts: chaos.failedStarts,
      starts: spread(chaos.starts),
      toReady: spread(all.seconds),
      replies: world.stage.model.requests.length,
      repliesOfOne: 5,
      requestsToGitHub: world.stage.github.requests.length,
      memory: Math.round(process.memoryUsage.rss() / 1e6),
      load: [loadBefore, loadavg()[0] ?? 0],
      findings,
    };
  } finally {
    await world.close();
  }
}

/** The figures are worth something even if a look fails. */
async function look(world: World, issues: readonly number[]): Promise<Finding[]> {
  const wanted = { issues, expected: PLAIN.expected, isMuted: false };
  const failed = (error: unknown): Finding[] => [
    { kind: 'unfinished', words: `the look at the sessions failed: ${String(error)}` },
  ];
  const findings = await inspect(world, wanted).catch(failed);
  return [...findings, ...(await inspectAfterStop(world).catch(failed))];
}

/** Resolves with what did not end. */
async function played(
  world: World,
  all: Sessions,
  chaos: Chaos,
  cut: AbortSignal,
): Promise<Finding[]> {
  const chaotic = chaos.run();
  const whole = all.play(cut);
  await Promise.race([whole, aborted(cut)]);
  chaos.end();
  await chaotic;
  if (cut.aborted) await cutOff(world, all, chaos, whole);
  else await untilRested(world).catch((error: unknown) => all.faults.push(String(error)));
  return [...all.faults, ...chaos.faults].map((words) => ({ kind: 'unfinished', words }));
}

/** The signal may have reached the services and the database too. */
async function cutOff(
  world: World,
  all: Sessions,
  chaos: Chaos,
  whole: Promise<void>,
): Promise<void> {
  await world.kill();
  await chaos.startAll(ROLES);
  await Promise.race([whole, pause(PATIENCE_AFTER_CUT_MS, undefined, { ref: false })]);
  const client = await world.connect();
  const { rows } = await client.query<{ issue: number }>(
    `select issue from issuewright.sessions where ${AT_REST}`,
  );
  const atRest = new Set(rows.map(({ issue }) => issue));
  all.toLookAt = all.toLookAt.filter((number) => atRest.has(number) && all.hasEnded(number));
}

class Sessions {
  readonly faults: string[] = [];
  /** How long those took that have ended. */
  readonly seconds: number[] = [];
  opened = 0;
  /** The issues whose sessions have to be right. */
  toLookAt: number[] = [];
  readonly #world: World;
  readonly #wanted: number;
  /** Since when, by their issues. */
  readonly #open = new Map<number, number>();
  /** Rejects if none ends for too long. */
  readonly #stall = Promise.withResolvers<never>();
  #isStalled = false;

  constructor(world: World, wanted: number) {
    this.#world = world;
    this.#wanted = wanted;
  }

  /** Opens one whenever another has ended. */
  async play(cut: AbortSignal): Promise<void> {
    this.#stall.promise.catch(() => {});
    const stall = setTimeout(() => {
      this.#isStalled = true;
      this.#stall.reject(new Error(`no session ended for ${PATIENCE_MS / 60_000} minutes`));
    }, PATIENCE_MS);
    const isOver = (): boolean => cut.aborted || this.#isStalled;
    const one = async (): Promise<void> => {
      while (this.opened < this.#wanted && !isOver()) {
        await this.#untilReady();
        stall.refresh();
      }
    };
    await Promise.all(Array.from({ length: OPEN_AT_ONCE }, one));
    clearTimeout(stall);
  }

  hasEnded(issue: number): boolean {
    return !this.#open.has(issue);
  }

  words(): string {
    const oldest = Math.min(...this.#open.values(), performance.now());
    const waiting = Math.round((performance.now() - oldest) / 1_000);
    const failed = this.faults.length === 0 ? '' : `, ${this.faults.length} failed`;
    const ended = `${this.seconds.length} of ${this.#wanted} sessions ended${failed}`;
    return `${ended}, ${this.#open.size} open, one for ${waiting} s`;
  }

  async #untilReady(): Promise<void> {
    this.opened += 1;
    const { number } = this.#world.ask(`${PLAIN.title}, for house number ${this.opened}`);
    const begun = performance.now();
    this.toLookAt.push(number);
    this.#open.set(number, begun);
    try {
      const isReady = this.#world.untilStatus(number, /ready for review/i, ANY_TIME_MS);
      await Promise.race([isReady, this.#stall.promise]);
      this.#open.delete(number);
      this.seconds.push((performance.now() - begun) / 1_000);
    } catch (error) {
      this.faults.push(`issue ${number}: ${String(error)}`);
    }
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

function spread(seconds: readonly number[]): Spread {
  const sorted = seconds.toSorted((one, other) => one - other);
  const rounded = (at: number): number => Number((sorted.at(at) ?? 0).toFixed(1));
  return { median: rounded(Math.floor(sorted.length / 2)), longest: rounded(-1) };
}
