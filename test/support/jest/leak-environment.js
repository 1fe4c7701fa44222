// Fails a test file that leaves a handle or a timer behind. Jest alone does not. With LEAK_TRACE=1 it says where
// a timer was set, which takes time for each timer of each test. Removes the temporary directories of the file.
// A file `*.test.ts` gets no database and no local GitHub.
import { createHook } from 'node:async_hooks';
import { rmSync } from 'node:fs';
import { setImmediate as nextTick } from 'node:timers/promises';
import { forbidLocalGitHubs, observeLocalGitHubs } from '../github-schemas/observe.ts';
import { forbidNetwork } from './no-network.js';
import { SharedContext } from './shared-context.js';

const GRACE_MS = 15_000;
const DIRECTORIES = Symbol.for('issuewright.temporary-directories');
const TRACES = process.env.LEAK_TRACE !== undefined;
const isOurs = (line) =>
  line.includes('/') && !/node:|leak-environment|node_modules\/@?jest/.test(line);

/** Nothing if a trace says that Jest or Node set it. */
function timerSet({ resource, set }) {
  if (set === undefined)
    return [`a timer of ${resource._idleTimeout} ms (LEAK_TRACE=1 says where it was set)`];
  const at = set.stack.split('\n').slice(1).find(isOurs);
  return at === undefined ? [] : [`timer ${at.trim()}`];
}

/**
 * Node's own timers go on, such as the one that renews the time in the `Date` header: without it, every server of the
 * files that follow would send the time at which this file ended. Functions of a test file belong to another realm.
 */
const isOfNode = ({ _onTimeout }) => _onTimeout instanceof Function;

/** A timer keeps the context that it was set in, such as the test, and with it all modules of the file. */
function forgetFile(timer) {
  for (const key of Object.getOwnPropertySymbols(timer))
    if (key.description === 'kAsyncContextFrame') timer[key] = undefined;
}

/** The process's own input and output: opened when a library first looks at them. */
const isStandard = ({ fd }) => fd !== undefined && fd <= 2;

export default class LeakEnvironment extends SharedContext {
  constructor(config, file) {
    super(config, file);
    this.isUnitTest = file.testPath.endsWith('.test.ts');
  }

  async setup() {
    await super.setup();
    forbidNetwork();
    this.schemas = observeLocalGitHubs(this.global);
    if (this.isUnitTest) {
      forbidLocalGitHubs(this.global);
      delete this.global.process.env.ISSUEWRIGHT_TEST_DATABASES;
    }
    this.failed = false;
    this.handlesBefore = new Set(process._getActiveHandles());
    this.timers = new Map();
    this.threads = new Map();
    const { timers, threads } = this;
    this.hook = createHook({
      init(id, type, _trigger, resource) {
        if (type === 'Timeout')
          timers.set(id, { resource, set: TRACES ? new Error('here') : undefined });
        if (type === 'WORKER') threads.set(id, resource);
      },
      destroy: (id) => timers.delete(id) || threads.delete(id),
      // To hear of each promise would slow down everything.
      trackPromises: false,
    }).enable();
  }

  handleTestEvent({ name }) {
    if (name === 'test_fn_failure' || name === 'hook_failure') this.failed = true;
  }

  leaks() {
    const handles = process
      ._getActiveHandles()
      .filter((handle) => !this.handlesBefore.has(handle) && !isStandard(handle))
      .filter((handle) => handle.destroyed !== true && handle.hasRef?.() !== false)
      .map((handle) => handle.constructor.name);
    const timers = [...this.timers.values()]
      .filter(({ resource }) => resource.hasRef())
      .flatMap(timerSet);
    return [...handles, ...timers];
  }

  async teardown() {
    const deadline = Date.now() + GRACE_MS;
    let left = this.leaks();
    while (left.length > 0 && Date.now() < deadline) {
      await nextTick();
      left = this.leaks();
    }
    this.hook.disable();
    for (const { resource } of this.timers.values())
      if (isOfNode(resource)) forgetFile(resource);
      else clearTimeout(resource);
    // Idle threads would stay, with their memory: processes start slowly from a large one.
    for (const thread of this.threads.values()) thread.stopThread();
    const directories = this.global[DIRECTORIES] ?? [];
    await super.teardown();
    for (const directory of directories)
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    // Of local GitHubs that no test has closed.
    if (!this.failed) for (const check of this.schemas) check.closed();
    // What a failed test or hook left open must not hide why it failed.
    if (left.length > 0 && !this.failed)
      throw new Error(`the test file left open: ${left.join(', ')}`);
  }
}
