// The first module of every worker thread. It turns on the compile cache before it imports the module
// that `startWorkerThread` was given, because the cache only covers modules that are loaded later. It is
// JavaScript for the same reason: see compile-cache.js.
import { getEnvironmentData } from 'node:worker_threads';
import { useCompileCache } from '../compile-cache.js';

useCompileCache();
// Its agents and authorities are its own.
if (getEnvironmentData('issuewright network') !== undefined)
  (await import('../network.ts')).useNetworkOfProcess();
await import(process.argv[2]);
