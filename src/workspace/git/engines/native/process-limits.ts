// What a process of git may take, whatever it is made to read: a pack of a few kB can hold an object of gigabytes.

const MIB = 1024 * 1024;
/** Address space of each process. Two files of 100 MB, the most that GitHub takes, and their delta fit at once. */
const MOST_MEMORY_BYTES = 768 * MIB;
/** That it may print, on each of its two streams. */
export const MOST_OUTPUT_BYTES = 32 * MIB;
/** Of `ulimit -f`. */
const BLOCK_BYTES = 512;

/** These keep git within that limit on large repositories. By default it maps whole packs and starts many threads. */
export const MEMORY_SETTINGS = [
  'core.bigFileThreshold=16m',
  'core.packedGitWindowSize=16m',
  'core.packedGitLimit=128m',
  'pack.threads=2',
  'pack.windowMemory=64m',
  'pack.deltaCacheSize=64m',
];

/** Git was stopped, or gave up, because it needed more than a process of it may take. The message says of what. */
export class LimitReached extends Error {}

/** Git needed more memory than it may take. Where the system has no such limit (macOS), the machine itself had no more. */
export class OutOfMemory extends LimitReached {
  override readonly name = 'OutOfMemory';

  constructor() {
    super(`git would need more than ${MOST_MEMORY_BYTES / MIB} MiB of memory for it`);
  }
}

/** Git did not get done in the time that it has. */
export class TooSlow extends LimitReached {
  override readonly name = 'TooSlow';
  readonly seconds: number;

  constructor(milliseconds: number) {
    const seconds = Math.ceil(milliseconds / 1000);
    super(`git would need more than ${seconds} seconds for it`);
    this.seconds = seconds;
  }
}

/** Git printed more than this process reads of it. */
export class TooMuchOutput extends LimitReached {
  override readonly name = 'TooMuchOutput';

  constructor() {
    super(`git's output was larger than ${MOST_OUTPUT_BYTES / MIB} MiB`);
  }
}

/**
 * Whether git itself says so. What a server says of its own memory begins with `remote:` or `remote error:`. A process that
 * could not be started lacked memory of the machine, which others may free.
 */
export const ranOutOfMemory = (said: string): boolean =>
  /^(?:fatal|error): (?!remote error:|cannot fork\b).*(?:out of memory|cannot allocate memory)/im.test(
    said,
  );

export interface ProcessLimits {
  /** No file that it writes may be larger. */
  readonly maxFileBytes?: number | undefined;
  /** Its umask; that of this process if omitted. */
  readonly umask?: number | undefined;
}

/** What Node cannot set for a child, the shell sets for itself before it becomes git. */
export function withLimits(
  words: readonly string[],
  { maxFileBytes, umask }: ProcessLimits,
): [program: string, words: string[]] {
  const limits = [
    // It fails where the limit is lower already, and on systems that have none.
    `{ ulimit -v ${MOST_MEMORY_BYTES / 1024} 2>/dev/null || :; }`,
    ...(maxFileBytes === undefined ? [] : [`ulimit -f ${Math.ceil(maxFileBytes / BLOCK_BYTES)}`]),
    ...(umask === undefined ? [] : [`umask 0${umask.toString(8)}`]),
  ];
  return ['/bin/sh', ['-c', [...limits, 'exec "$@"'].join(' && '), 'sh', ...words]];
}
