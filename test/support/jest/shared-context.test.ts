import { setImmediate as immediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';

// Files in this order in one process: what one of them changes must not reach the other.
const CHANGES: Readonly<Record<string, string>> = {
  'a new global': 'globalThis.leaked = 1',
  'a global that is gone': 'delete globalThis.URL',
  'a global of another value': 'globalThis.fetch = () => {}',
  'a global that reads otherwise': "Object.defineProperty(globalThis, 'crypto', { get: () => 1 })",
  'a clock': 'Date.now = () => 0',
  'a new method of all arrays': 'Array.prototype.leaked = () => 1',
  'a method of all texts': "String.prototype.trim = () => 'x'",
  'a method that is gone': 'delete Map.prototype.get',
  'a property of all objects':
    "Object.defineProperty(Object.prototype, 'leaked', { value: 1, configurable: true })",
  'the words of JSON': "JSON.stringify = () => ''",
  'the iteration of arrays': 'Object.getPrototypeOf([].values()).next = () => ({ done: true })',
  'a function of the process': 'process.chdir = () => {}',
  'the methods of generators': 'Object.getPrototypeOf(function* () {}).prototype.leaked = 1',
};

const SHARED_CONTEXT: string = './shared-context.js';

async function openContext() {
  const { SharedContext } = (await import(SHARED_CONTEXT)) as unknown as {
    SharedContext: new (...options: readonly unknown[]) => {
      readonly global: { readonly Function: FunctionConstructor };
      readonly teardown: () => Promise<void>;
    };
  };
  const config = { testEnvironmentOptions: {}, fakeTimers: {} };
  return new SharedContext({ projectConfig: config, globalConfig: {} }, {});
}

it('what a test file had in globals is freed when it ends', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const context = await openContext();
  const { Function: Program } = context.global;
  const held = new Program(`
    globalThis.held = { of: 'this file' };
    const reference = new WeakRef(globalThis.held);
    globalThis.held = undefined;
    return reference;
  `)() as WeakRef<object>;
  await context.teardown();
  await immediate();
  collect();
  expect(held.deref()).toBeUndefined();
});

it.each(Object.entries(CHANGES))('the next test file does not see %s', async (_what, change) => {
  const context = await openContext();
  const { Function: Program } = context.global;
  const look = (): unknown =>
    new Program(`return [
      'leaked' in globalThis, 'leaked' in [], 'leaked' in {}, typeof URL, fetch.length, typeof crypto,
      Date.now() > 1, ' a '.trim(), typeof Map.prototype.get, process.chdir.length, JSON.stringify([1]), [...[1, 2].values()],
      'leaked' in (function* () {})(),
    ]`)();
  const before = look();
  new Program(change)();
  expect(look()).not.toEqual(before);
  await context.teardown();
  expect(look()).toEqual(before);
});
