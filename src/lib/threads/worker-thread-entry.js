// The first module of every worker thread. It turns on the compile cache before it imports the module
// that `startWorkerThread` was given, because the cache only covers modules that are loaded later. It is
// JavaScript for the same reason: see compile-cache.js.
import { useCompileCache } from '../compile-cache.js';

useCompileCache();
await import(process.argv[2]);
