// Kills processes every few seconds, and restarts PostgreSQL every ten, until it is told to end.
import { setTimeout as pause } from 'node:timers/promises';
import type { Randomness } from '../shuffled-events/randomness.ts';
import type { Role, World } from './world.ts';

const FIRST_KILL_MS = 2_000;
const LAST_KILL_MS = 5_000;
const RESTART_EVERY_MS = 10_000;

export class Chaos {
  kills = 0;
  restarts = 0;
  /** How long each start took until the process was ready, in seconds. */
  readonly starts: number[] = [];
  failedStarts = 0;
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

  /** Resolves after `end`, when all processes are up again. */
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
  async #start(role: Role): Promise<void> {
    const begun = performance.now();
    for (;;) {
      try {
        await this.#world.start(role);
        this.starts.push((performance.now() - begun) / 1_000);
        return;
      } catch (error) {
        this.failedStarts += 1;
        this.#tell(`a start failed: ${String(error).split('\n').slice(0, 3).join(' ')}`);
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
