import { join } from 'node:path';
import type { GitSettings } from '../../src/workspace/git/engines/choose-engine.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const MAX_BYTES = 2 ** 28;

/** What the service chooses on a machine that has git, with a cache for the tests of a file. */
export const gitWithCache = (): GitSettings & Required<Pick<GitSettings, 'cache'>> => ({
  engine: 'native',
  maxBytes: MAX_BYTES,
  cache: { directory: join(temporaryDirectory(), 'cache'), maxBytes: MAX_BYTES },
});
