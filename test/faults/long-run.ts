// Many sessions over two workers, while processes are killed every few seconds and PostgreSQL restarts every ten.
import { setTimeout as pause } from 'node:timers/promises';
import { randomnessOf, type Randomness } from '../shuffled-events/randomness.ts';
import { untilRested } from './attempt.ts';
import { inspect, inspectAfterStop, type Finding } from './invariants.ts';
import { PLAIN } from './tales.ts';
import { World } from './world.ts';

export interface LongRun {
  readonly sessions: number;
  readonly seed: number;
  readonly tell: (line: string) => void;
}

export interface Survived {
  readonly seconds: number;
  readonly kills: number;
  readonly databaseRestarts: number;
  /** Requests to the model. */
  readonly replies: number;
  /** What one session asks if nothing happens to it. */
  readonly repliesOfOne: number;
  readonly findings: readonly Finding[];
}

/** Open at once: both workers have all that they can take. */
const OPEN_AT_ONCE = 12;
const FIRST_KILL_MS = 2_000;
const LAST_KILL_MS = 5_000;
const RESTART_EVERY_MS = 10_000;
/** Of all sessions, for each of them. */
const PATIENCE_MS = 60_000;

export async function survive({ sessions, seed, tell }: LongRun): Promise<Survived> {
  const begun = performance.now();
  const world = await World.open({
    ...PLAIN,
    database: 'server',
    roles: ['serve', 'work', 'work'],
    patienceMs: 180_000 + sessions * PATIENCE_MS,
  });
  try {
    const chaos = new Chaos(world, randomnessOf(seed), tell);
    const faults = await play(world, sessions, chaos, tell);
    const findings: Finding[] = faults.map((words) => ({ kind: 'unfinished', words }));
    const numbers = world.repository.issues
      .filter(({ pull }) => pull === undefined)
      .map(({ number }) => number);
    findings.push(
      ...(await inspect(world, { issues: numbers, expected: PLAIN.expected, isMuted: false })),
    );
    const { kills, restarts } = chaos;
    const replies = world.stage.model.requests.length;
    findings.push(...(await inspectAfterStop(world)));
    const seconds = (performance.now() - begun) / 1_000;
    return { seconds, kills, databaseRestarts: restarts, replies, repliesOfOne: 5, findings };
  } finally {
    await world.close();
  }
}

async function play(
  world: World,
  sessions: number,
  chaos: Chaos,
  tell: (line: string) => void,
): Promise<string[]> {
  const faults: string[] = [];
  let opened = 0;
  let done = 0;
  const one = async (): Promise<void> => {
    while (opened < sessions) {
      opened += 1;
      const { number } = world.ask(`${PLAIN.title}, for house number ${opened}`);
      const end = world.untilStatus(number, /ready for review/i);
      await end.catch((error: unknown) => faults.push(`issue ${number}: ${String(error)}`));
      done += 1;
      tell(`${done} of ${sessions} sessions, ${chaos.kills} kills, ${chaos.restarts} restarts`);
    }
  };
  const chaotic = chaos.run();
  await Promise.all(Array.from({ length: OPEN_AT_ONCE }, one));
  await chaos.end();
  await chaotic;
  await untilRested(world).catch((error: unknown) => faults.push(String(error)));
  return faults;
}

/** What happens to the processes, until it is told to end. */
class Chaos {
  kills = 0;
  restarts = 0;
  readonly #world: World;
  readonly #random: Randomness;
  readonly #tell: (line: string) => void;
  readonly #over = new AbortController();
  readonly #starting = new Set<Promise<void>>();

  constructor(world: World, random: Randomness, tell: (line: string) => void) {
    this.#world = world;
    this.#random = random;
    this.#tell = tell;
  }

  /** Resolves after `end`. */
  async run(): Promise<void> {
    await Promise.all([this.#killProcesses(), this.#restartDatabase()]);
  }

  /** Resolves when all processes are up again. */
  async end(): Promise<void> {
    this.#over.abort();
    while (this.#starting.size > 0) await Promise.all(this.#starting);
  }

  async #killProcesses(): Promise<void> {
    const span = LAST_KILL_MS - FIRST_KILL_MS;
    while (await this.#wait(FIRST_KILL_MS + this.#random.below(span))) {
      // On a slow machine nothing would ever be up otherwise.
      await Promise.all(this.#starting);
      const { running } = this.#world;
      const victim = running[this.#random.below(Math.max(1, running.length))];
      if (victim === undefined) continue;
      const [role] = await this.#world.kill([victim]);
      this.kills += 1;
      const start = this.#start(role ?? 'work').finally(() => this.#starting.delete(start));
      this.#starting.add(start);
    }
  }

  /** Until it is up: a start may fail because the database goes away in the middle of it. */
  async #start(role: 'start' | 'serve' | 'work'): Promise<void> {
    for (;;) {
      try {
        await this.#world.start(role);
        return;
      } catch (error) {
        this.#tell(`a start failed: ${String(error).split('\n')[0]}`);
      }
    }
  }

  async #restartDatabase(): Promise<void> {
    while (await this.#wait(RESTART_EVERY_MS)) {
      if (this.restarts % 2 === 0) this.#world.killDatabase();
      await this.#world.restartDatabase();
      this.restarts += 1;
    }
  }

  /** Whether it goes on afterwards. */
  async #wait(ms: number): Promise<boolean> {
    await pause(ms, undefined, { signal: this.#over.signal }).catch(() => {});
    return !this.#over.signal.aborted;
  }
}
