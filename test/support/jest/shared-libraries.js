// Jest's runtime, with libraries that the test files of a process share. Jest alone compiles every library again
// for each test file, which costs more than most tests do. The code of this repository is loaded for each file.
// A module that Jest does not find in its maps of loaded modules is looked up here. Jest's own modules have state: they
// are run for each file, but compiled once.
import { fileURLToPath } from 'node:url';
import Runtime from 'jest-runtime';

/** Loads the libraries: the runtime of no test file, and never torn down. */
let libraries;
/** The `SharedContext` that they are loaded into. */
let context;

/** Not nock and what it is made of: they change the process's sockets, for the file that loads them. */
const isLibrary = (path) =>
  /\/node_modules\/.*\.[cm]?js$/.test(path) && !/\/node_modules\/(nock|@mswjs)\//.test(path);

/** Modules by the address of their file. */
class EsModules extends Map {
  get(key) {
    const own = super.get(key);
    return own === undefined && key.startsWith('file:') ? sharedModule(key) : own;
  }
}

/** CommonJS modules by the path of their file. */
class CommonModules extends Map {
  get(path) {
    const own = super.get(path);
    if (own !== undefined || !isLibrary(path)) return own;
    const { moduleRegistry } = libraries.registries;
    if (!moduleRegistry.has(path)) keepGlobals(() => libraries.requireModule(path));
    return moduleRegistry.get(path);
  }
}

function sharedModule(key) {
  const path = fileURLToPath(key);
  if (!isLibrary(path)) return undefined;
  const loaded =
    libraries.registries.esModuleRegistry.get(key) ?? keepGlobals(() => importLibrary(path));
  // Jest says "load-async" of a module that awaits at its top level: each file then loads its own.
  return typeof loaded === 'object' ? loaded : undefined;
}

const keepGlobals = (load) => context.keepGlobals(load);

function importLibrary(path) {
  const { esmLoader } = libraries;
  return libraries.unstable_shouldLoadAsEsm(path)
    ? esmLoader.tryLoadGraphSync(path, '', 'sync-preferred')
    : esmLoader.loadCjsAsEsm(path, path, '', esmLoader.getContext());
}

/** The modules of Jest by their paths: functions that run the module when called. */
const compiled = new Map();

/** `compile` is that of `ModuleExecutor`. */
function compileOnce(compile, source, path) {
  if (!isLibrary(path)) return compile(source, path);
  if (!compiled.has(path)) compiled.set(path, compile(source, path));
  return compiled.get(path);
}

export default class SharingRuntime extends Runtime {
  constructor(config, environment, ...options) {
    super(config, environment, ...options);
    context = environment;
    libraries ??= new Runtime(config, environment, ...options);
    this.registries.esModuleRegistry = new EsModules();
    this.registries.moduleRegistry = new CommonModules();
    const compile = this.executor.compile.bind(this.executor);
    this.executor.compile = (source, path) => compileOnce(compile, source, path);
  }
}
