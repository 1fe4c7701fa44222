import { z } from 'zod';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { trimmedText, whole } from './values/fields.ts';

/** How clones are made. */
export interface GitConfig {
  readonly engine: 'auto' | 'native' | 'isomorphic';
  /** Limit in bytes for a download, and for the files of a workspace; `undefined`: that of the engine. */
  readonly maxBytes: number | undefined;
  /** The same for the cache; 0 for none. */
  readonly cacheMaxBytes: number;
  /** Where the operator wants temporary files and work trees. */
  readonly temporaryDirectory: string | undefined;
}

const MIB = 1024 * 1024;
const MOST = 10 ** 15 - 1;

export const GitVariables = z.object({
  GIT_ENGINE: z
    .enum(['auto', 'native', 'isomorphic'], 'must be `auto`, `native` or `isomorphic`')
    .default('auto')
    .describe(
      'What clones repositories. `native`: the program git, 2.38 or newer; `isomorphic`: a library, which is slower and takes more memory; `auto`: git where it is installed. The log says which',
    ),
  WORKSPACE_MAX_BYTES: whole(MIB, MOST).optional().meta({
    unset: '1 GiB with git, 256 MiB without',
    description:
      'Limit in bytes for the download of a repository, and for its files. On a larger one, Issuewright says so and does not begin',
  }),
  CACHE_MAX_BYTES: whole(0, MOST)
    .default(10 * 1024 * MIB)
    .describe(
      'Limit in bytes for [repository data](operations.md#the-cache-of-repositories) in `DATA_DIR/cache`; 0 keeps none',
    ),
  TMPDIR: trimmedText.optional().meta({
    unset: '`/tmp`; work trees are in `DATA_DIR/work` if that is another disk',
    description: 'Directory for temporary files and for the work trees of sessions',
  }),
});

export function readGit(variables: Variables, faults: ConfigFault[]): GitConfig | undefined {
  const read = check(GitVariables, variables, faults);
  return (
    read && {
      engine: read.GIT_ENGINE,
      maxBytes: read.WORKSPACE_MAX_BYTES,
      cacheMaxBytes: read.CACHE_MAX_BYTES,
      temporaryDirectory: read.TMPDIR,
    }
  );
}
