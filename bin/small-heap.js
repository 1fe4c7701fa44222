// Plain JavaScript: it runs before everything else.

/**
 * New objects get 16 MB in place of 128, and the heap is collected when it has grown by 40 %: by default it may double or more
 * while the processors have other work.
 */
export const SMALL_HEAP = ['--max-semi-space-size=8', '--heap-growing-percent=40'];
/**
 * For what is allocated outside of the heap, glibc gives each thread an area of its own, which it rarely gives back. Other C
 * libraries ignore this.
 */
const ALLOCATION = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
/** The commands that run for long. */
const SERVICES = new Set(['start', 'serve', 'work']);

/**
 * Begins again with these flags, as the same process, because V8 reads the first of them only when it starts. What the operator
 * sets counts.
 */
export function useSmallHeap() {
  const { argv, execArgv, execPath, env, platform } = process;
  const isSet = [...execArgv, env.NODE_OPTIONS ?? ''].some((flag) => /semi.space.size/.test(flag));
  if (!SERVICES.has(argv[2]) || isSet || platform === 'win32') return;
  process.execve(execPath, [execPath, ...execArgv, ...SMALL_HEAP, ...argv.slice(1)], {
    ...ALLOCATION,
    ...env,
  });
}
