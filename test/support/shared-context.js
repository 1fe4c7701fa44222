// One context of V8 for all test files of a process, so that they can share libraries. Each file finds the
// globals and the environment as the first one did.
import { TestEnvironment } from 'jest-environment-node';

/** The environment of the first test file of this process, which all others use too. */
let shared;

export class SharedContext extends TestEnvironment {
  constructor(...options) {
    if (shared !== undefined) return shared;
    super(...options);
    shared = this;
    this.globals = Object.getOwnPropertyDescriptors(this.global);
    this.exit = Object.getOwnPropertyDescriptor(this.global.process, 'exit');
    this.variables = { ...this.global.process.env };
  }

  /** Runs `load`, which loads a library; what that adds to the globals stays. */
  keepGlobals(load) {
    const before = new Set(Reflect.ownKeys(this.global));
    const loaded = load();
    for (const key of Reflect.ownKeys(this.global))
      if (!before.has(key)) this.globals[key] = Object.getOwnPropertyDescriptor(this.global, key);
    return loaded;
  }

  /** Not that of Jest, which destroys the context. */
  async teardown() {
    this.fakeTimersModern.useRealTimers();
    this.restoreGlobals();
    this.restoreProcess();
  }

  restoreGlobals() {
    for (const key of Reflect.ownKeys(this.global)) {
      const original = this.globals[key];
      if (original === undefined) delete this.global[key];
      else if ('value' in original && this.global[key] !== original.value)
        Object.defineProperty(this.global, key, original);
    }
  }

  restoreProcess() {
    const { process } = this.global;
    Object.defineProperty(process, 'exit', this.exit);
    for (const name of Object.keys(process.env))
      if (!Object.hasOwn(this.variables, name)) delete process.env[name];
    Object.assign(process.env, this.variables);
  }
}
