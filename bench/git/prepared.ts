import { existsSync, readdirSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const MOST_MS = 180_000;

/** Resolves once each repository in a cache has a spare work tree: between two sessions there is time for that. */
export async function untilPrepared(cache: string): Promise<void> {
  if (!existsSync(cache)) return;
  const of = (ending: string): number =>
    readdirSync(cache).filter((name) => name.endsWith(ending)).length;
  const end = performance.now() + MOST_MS;
  while (of('.spare') < of('.git') && performance.now() < end) await pause(20);
}
