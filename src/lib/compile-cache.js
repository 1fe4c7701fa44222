// JavaScript, because it runs before the cache is on: stripping the types of a first TypeScript module
// takes longer than the cache saves.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

/** Inside the installation, because a directory that other users can write to could inject code. */
const DIRECTORY = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

/**
 * Caches V8's compiled code of all modules that are loaded from now on, for the next process or thread.
 * If the directory is not writable, every module is compiled each time.
 */
export const useCompileCache = () => void module.enableCompileCache?.(DIRECTORY);
