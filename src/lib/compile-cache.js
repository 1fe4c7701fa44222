// Plain JavaScript, as is what begins with it: to read the first TypeScript takes longer than this saves.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

/** In the installation: code from a directory that others may write to must not be run. */
const DIRECTORY = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

/**
 * Keeps what V8 made of the modules that are loaded from here on, for the next process or thread.
 * Where nothing can be written there, all is compiled each time.
 */
export const useCompileCache = () => void module.enableCompileCache?.(DIRECTORY);
