// A process that clones a repository, and prints why not if it is refused.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../../src/lib/errors.ts';
import { openEngine } from '../../../src/workspace/git/cloned-repository.ts';
import type { EngineName } from '../../../src/workspace/git/engines/engine.ts';

export interface CloneWork {
  readonly engine: EngineName;
  readonly remoteUrl: string;
  readonly commit: string;
  readonly maxBytes: number;
  /** An empty directory. */
  readonly directory: string;
}

const { directory, commit, ...place } = JSON.parse(process.argv[2] ?? '') as CloneWork;
const tree = join(directory, 'tree');
mkdirSync(tree);
const whole = { ...place, gitdir: join(directory, 'git'), tree };
const engine = openEngine(whole, new AbortController().signal);
try {
  await engine.clone({ commit, token: 'none' });
} catch (error) {
  process.stdout.write(messageOf(error));
}
await engine.close();
