// One context of V8 for all test files of a process, so that they can share libraries. Each file finds the
// globals and the environment as the first one did.
import { runInContext, runInNewContext } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';

/** The environment of the first test file of this process, which all others use too. */
let shared;

export class SharedContext extends TestEnvironment {
  constructor(...options) {
    if (shared !== undefined) return shared;
    super(...options);
    shared = this;
    this.globals = Object.getOwnPropertyDescriptors(this.global);
    this.intrinsics = new Map(
      intrinsicsOf(this.getVmContext()).map((one) => [one, Object.getOwnPropertyDescriptors(one)]),
    );
    this.functions = Object.entries(Object.getOwnPropertyDescriptors(this.global.process)).filter(
      ([, { value }]) => typeof value === 'function',
    );
    this.variables = { ...this.global.process.env };
  }

  /** Runs `load`, which loads a library; what that adds to the globals and to what the language brings stays. */
  keepGlobals(load) {
    const known = [[this.global, this.globals], ...this.intrinsics];
    const before = known.map(([one]) => new Set(Reflect.ownKeys(one)));
    const loaded = load();
    for (const [at, [one, properties]] of known.entries())
      for (const key of Reflect.ownKeys(one))
        if (!before[at].has(key)) properties[key] = Object.getOwnPropertyDescriptor(one, key);
    return loaded;
  }

  /** Not that of Jest, which destroys the context. */
  async teardown() {
    this.fakeTimersModern.useRealTimers();
    restore(this.global, this.globals);
    for (const [one, properties] of this.intrinsics) restore(one, properties);
    this.restoreProcess();
    // Former values of globals, which hold all modules of the file. Jest keeps them for the end of the context.
    this._globalProxy.leftovers = [];
  }

  restoreProcess() {
    const { process } = this.global;
    for (const [name, property] of this.functions) Object.defineProperty(process, name, property);
    for (const name of Object.keys(process.env))
      if (!Object.hasOwn(this.variables, name)) delete process.env[name];
    Object.assign(process.env, this.variables);
  }
}

const ITERATORS = '[async function* () {}, function* () {}, async () => {}, [].values()]';

/** What the language brings, with its prototypes: the names that a context of nothing else has. */
function intrinsicsOf(context) {
  const names = runInNewContext('Object.getOwnPropertyNames(globalThis)');
  const named = runInContext(`[${names.filter((name) => name !== 'globalThis')}]`, context);
  const iterators = runInContext(ITERATORS, context);
  const found = new Set();
  for (const one of [...named, ...iterators].filter((each) => Object(each) === each))
    for (let at = one; Object(at) === at; at = Object.getPrototypeOf(at)) {
      found.add(at);
      if (Object(at.prototype) === at.prototype) found.add(at.prototype);
    }
  return [...found];
}

/** Makes the properties of an object what they were, as far as the language lets us. */
function restore(object, properties) {
  for (const key of Reflect.ownKeys(object))
    if (!Object.hasOwn(properties, key)) delete object[key];
  for (const key of Reflect.ownKeys(properties)) {
    const now = Object.getOwnPropertyDescriptor(object, key);
    const then = properties[key];
    const isSame =
      now !== undefined && ['value', 'get', 'set'].every((part) => now[part] === then[part]);
    if (!isSame) Reflect.defineProperty(object, key, then);
  }
}
