import { readFileSync, readdirSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors above the standard ones that this process was itself started with, and that any child
 * would have too. What Node opens is closed in children.
 */
export function inheritedDescriptors(): readonly number[] {
  known ??= readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && passesOn(descriptor));
  return known;
}

/** They stay what they were when the process was started. */
let known: readonly number[] | undefined;

function passesOn(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1');
    const [, flags] = /^flags:\s+([0-7]+)$/m.exec(info) ?? [];
    return (Number.parseInt(flags ?? '0', 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // It was the listing's own.
  }
}
