// Kills processes every few seconds, and restarts PostgreSQL every ten, until it is told to end. Where starts take longer
// than that, it waits for them: nothing would ever be up otherwise.
import { setTimeout as pause } from 'node:timers/promises';
import type { Randomness } from '../shuffled-events/randomness.ts';
import type { Role, World } from './world.ts';

const FIRST_KILL_MS = 2_000;
const LAST_KILL_MS = 5_000;
const RESTART_EVERY_MS = 10_000;
/** Of one start: PostgreSQL may go away in the middle of some. */
const MOST_STARTS = 20;

export class Chaos {
  kills = 0;
  restarts = 0;
  /** How long each start took until the process was ready, in seconds. */
  readonly starts: number[] = [];
  failedStarts = 0;
  /** What did not start at all. */
  readonly faults: string[] = [];
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

  /** Starts PostgreSQL, unless `isUp`, and a process for each role. */
  async startAll(roles: readonly Role[], isUp = false): Promise<void> {
    if (!isUp) await this.#untilUp('PostgreSQL', () => this.#world.restartDatabase());
    for (const role of roles) await this.#start(role);
  }

  /** Resolves after `end`, when all processes are up again. Does not reject. */
  async run(): Promise<void> {
    await Promise.all([this.#killProcesses(), this.#restartDatabase()]);
    while (this.#starting.size > 0) await Promise.all(this.#starting);
  }

  end(): void {
    this.#over.abort();
  }

  async #killProcesses(): Promise<void> {
    const span = LAST_KILL_MS - FIRST_KILL_MS;
    while (await this.#wait(FIRST_KILL_MS + this.#random.below(span))) {
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

  async #start(role: Role): Promise<void> {
    const begun = performance.now();
    const isUp = await this.#untilUp(role, () => this.#world.start(role));
    if (isUp) this.starts.push((performance.now() - begun) / 1_000);
  }

  async #restartDatabase(): Promise<void> {
    while (await this.#wait(Math.max(RESTART_EVERY_MS, 1_000 * (this.starts.at(-1) ?? 0)))) {
      if (this.restarts % 2 === 0) this.#world.killDatabase();
      await this.#untilUp('PostgreSQL', () => this.#world.restartDatabase());
      this.restarts += 1;
    }
  }

  async #untilUp(what: string, start: () => Promise<unknown>): Promise<boolean> {
    for (let left = MOST_STARTS; left > 0; left--) {
      try {
        await start();
        return true;
      } catch (error) {
        this.failedStarts += 1;
        const words = String(error).split('\n').slice(0, 3).join(' ');
        this.#tell(`a start of ${what} failed: ${words}`);
      }
    }
    this.faults.push(`${what} did not start`);
    return false;
  }

  /** Whether it goes on afterwards. */
  async #wait(ms: number): Promise<boolean> {
    await pause(ms, undefined, { signal: this.#over.signal }).catch(() => {});
    return !this.#over.signal.aborted;
  }
}
