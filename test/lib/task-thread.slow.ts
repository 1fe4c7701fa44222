import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { TaskFailed, TaskThread, TookTooLong } from '../../src/lib/threads/task-thread.ts';

const MAX_SILENCE_MS = 2_000;

/** A thread whose every task runs `code`, with `port` to answer. `load` runs before it has started. */
const threadOf = (code: string, load = ''): TaskThread<string, string> => {
  const module = `import { parentPort as port } from 'node:worker_threads';
${load}
port.on('message', (task) => { ${code} });
port.postMessage({ started: true });`;
  return new TaskThread({
    name: 'search',
    entry: new URL(`data:text/javascript,${encodeURIComponent(module)}`),
    maxHeapMb: 16,
    maxSilenceMs: MAX_SILENCE_MS,
  });
};

describe('a task', () => {
  it('is answered in parts, one task after the other', async () => {
    const thread = threadOf('port.postMessage({ part: task }); port.postMessage({ done: true });');
    const parts: string[] = [];
    await thread.perform('one', (part) => parts.push(part));
    await thread.perform('two', (part) => parts.push(part));
    expect(parts).toEqual(['one', 'two']);
    await thread.end();
    await expect(thread.perform('three', () => {})).rejects.toThrow('was ended');
  });

  it('may take long, as long as it reports progress', async () => {
    const thread = threadOf(
      "let left = 12; const timer = setInterval(() => { port.postMessage({ part: 'more' }); left -= 1; " +
        `if (left === 0) { clearInterval(timer); port.postMessage({ done: true }); } }, ${MAX_SILENCE_MS / 8});`,
    );
    const parts: string[] = [];
    await thread.perform('one', (part) => parts.push(part));
    expect(parts).toHaveLength(12);
    await thread.end();
  });

  it('has its time from when its thread has started', async () => {
    const thread = threadOf(
      'port.postMessage({ done: true });',
      `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ${3 * MAX_SILENCE_MS});`,
    );
    await expect(thread.perform('one', () => {})).resolves.toBeUndefined();
    await thread.end();
  });

  it('has its time although this process was busy when the answer came', async () => {
    const thread = threadOf('port.postMessage({ done: true });');
    await thread.perform('one', () => {});
    // Timers come before messages from here.
    await setImmediate();
    const answered = thread.perform('two', () => {});
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.5 * MAX_SILENCE_MS);
    await expect(answered).resolves.toBeUndefined();
    await thread.end();
  });

  it.each([
    [
      'says why it cannot be done',
      "port.postMessage({ fault: 'too hard' });",
      TaskFailed,
      /too hard/,
    ],
    [
      'needs too much memory',
      'globalThis.all = []; for (;;) globalThis.all.push(new Array(100_000).fill(task));',
      TaskFailed,
      /memory/,
    ],
    ['says nothing for too long', 'for (;;);', TookTooLong, /too long/],
    ['throws', "throw new Error('a fault of ours')", Error, /search thread failed/],
    ['ends its thread', 'process.exit(3)', Error, /has ended/],
  ])('that %s is an error of its own', async (_what, code, type, words) => {
    const failure: unknown = await threadOf(code)
      .perform('x', () => {})
      .catch((error: unknown) => error);
    expect((failure as Error).constructor).toBe(type);
    expect((failure as Error).message).toMatch(words);
  });
});
