import { readFileSync, readdirSync } from 'node:fs';

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors above 2 that this process inherited and that every child would inherit too. Descriptors
 * that Node opens are closed in children.
 */
export function inheritedDescriptors(): readonly number[] {
  known ??= readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && passesOn(descriptor));
  return known;
}

/** Read once: they do not change after the process has started. */
let known: readonly number[] | undefined;

function passesOn(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1');
    const [, flags] = /^flags:\s+([0-7]+)$/m.exec(info) ?? [];
    return (Number.parseInt(flags ?? '0', 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    return false; // The descriptor of the directory listing itself.
  }
}
