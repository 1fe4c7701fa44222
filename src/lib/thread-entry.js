// Where each thread begins: its module stands in the arguments.
import { useCompileCache } from './compile-cache.js';

useCompileCache();
await import(process.argv[2]);
