// What is measured of a turn, and how.
import { Socket } from 'node:net';
import { cpuUsed } from '../loop/contend.ts';

export interface Cost {
  /** Milliseconds of processor time of this process. */
  readonly cpu: number;
  /** What PostgreSQL sent. */
  readonly bytes: number;
}

/** The parts of a turn, and what happens to a session besides, in words. */
export const PART_NAMES = {
  run: 'of it the run: entries appended and folded, the next request',
  publish: 'of it one look at what to publish',
  page: 'of it one update of an open page',
  opening: 'a run opened again, up to its next request',
  rest: 'one look at what to publish, by a process that had not read the session',
} as const;

export type PartName = keyof typeof PART_NAMES;

/** Of one turn, or of one opening. */
export type Costs = Readonly<Record<PartName | 'turn', Cost>>;

export const NO_COST: Cost = { cpu: 0, bytes: 0 };

export const plus = (one: Cost, other: Cost): Cost => ({
  cpu: one.cpu + other.cpu,
  bytes: one.bytes + other.bytes,
});

export const shared = ({ cpu, bytes }: Cost, among: number): Cost => ({
  cpu: cpu / among,
  bytes: bytes / among,
});

/** Counts what the connections to PostgreSQL read, of all that are opened from now on. */
export class Meter {
  readonly #sockets: Socket[] = [];

  constructor() {
    const sockets = this.#sockets;
    const connect = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect');
    Object.defineProperty(Socket.prototype, 'connect', {
      ...connect,
      value(this: Socket, ...given: unknown[]): unknown {
        if (given.some((one) => String(one).includes('.s.PGSQL'))) sockets.push(this);
        return Reflect.apply(connect?.value as (...given: unknown[]) => unknown, this, given);
      },
    });
  }

  now(): Cost {
    return { cpu: cpuUsed(), bytes: this.#sockets.reduce((sum, one) => sum + one.bytesRead, 0) };
  }

  async of(work: () => Promise<unknown>): Promise<Cost> {
    const before = this.now();
    await work();
    return this.since(before);
  }

  since(before: Cost): Cost {
    const { cpu, bytes } = this.now();
    return { cpu: cpu - before.cpu, bytes: bytes - before.bytes };
  }
}
