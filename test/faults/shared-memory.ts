// The shared memory of PostgreSQL servers: what they mapped while they ran, and what is left of it.
import { existsSync, readFileSync } from 'node:fs';
import { unlessItFails } from '../../src/lib/errors.ts';

const POSIX = /\/dev\/shm\/PostgreSQL\.\d+/g;

export class Memory {
  readonly #servers = new Set<number>();
  readonly #files = new Set<string>();
  /** Left by others long ago: their creator's process id may be in use again. */
  readonly #before = new Set(systemSegments().map(({ id }) => id));

  /** Remembers what this server has now. */
  note(postmaster: number | undefined): void {
    if (postmaster === undefined) return;
    this.#servers.add(postmaster);
    const maps = unlessItFails(() => readFileSync(`/proc/${postmaster}/maps`, 'utf8')) ?? '';
    for (const [file] of maps.matchAll(POSIX)) this.#files.add(file);
  }

  /** Call it when they have stopped. */
  left(): string[] {
    const files = [...this.#files].filter((file) => existsSync(file));
    const isOurs = ({ id, creator }: Segment): boolean =>
      this.#servers.has(creator) && !this.#before.has(id);
    const segments = systemSegments().filter(isOurs);
    return [...files, ...segments.map(({ id }) => `the shared memory segment ${id}`)];
  }
}

interface Segment {
  readonly id: string;
  /** A process id. */
  readonly creator: number;
}

function systemSegments(): Segment[] {
  const table = unlessItFails(() => readFileSync('/proc/sysvipc/shm', 'utf8')) ?? '';
  return table
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .map(([, id = '', , , creator]) => ({ id, creator: Number(creator) }));
}
