import { execFileSync } from 'node:child_process';
import { basename, join } from 'node:path';
import { unlessItFails } from '../../../../src/lib/errors.ts';

/** A program of the host that works without anything else of the host: how to start it, and what to mount for that. */
export interface PortableProgram {
  readonly mounts: readonly string[];
  /** A command, and words before its own arguments. */
  readonly command: readonly string[];
}

/** Nothing but the relay to the network is started so. */
const PLACE = '/run/relay-program';

/** With the libraries that it needs, as `ldd` lists them; `undefined` if that cannot be found out. */
export function portableProgram(program: string): PortableProgram | undefined {
  const listed = unlessItFails(() => execFileSync('ldd', [program], { encoding: 'utf8' }));
  // Each line names a library, and most of them where it is: `libc.so.6 => /lib/libc.so.6 (0x…)`.
  const words = (listed ?? '').split('\n').map((line) => line.split(/\s+/));
  const paths = words.flatMap((line) => line.find((word) => word.startsWith('/')) ?? []);
  const loader = paths.find((path) => basename(path).startsWith('ld-'));
  if (loader === undefined) return undefined;
  const inside = (path: string): string => join(PLACE, basename(path));
  return {
    mounts: [program, ...paths].flatMap((path) => ['--ro-bind', path, inside(path)]),
    command: [inside(loader), '--library-path', PLACE, inside(program)],
  };
}
