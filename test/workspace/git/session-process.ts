// A process that opens a workspace, commits a change and pushes it, and says how far it is. Tests kill it in the middle of that.
import { messageOf } from '../../../src/lib/errors.ts';
import { GitThreads } from '../../../src/workspace/git/threads.ts';
import type { GitSettings } from '../../../src/workspace/git/engines/choose-engine.ts';
import type { MergeRequest } from '../../../src/workspace/merging.ts';
import { openWorkspace } from '../../../src/workspace/workspace.ts';

export interface SessionWork {
  readonly remoteUrl: string;
  readonly token: string;
  readonly commit: string;
  readonly branch: string;
  readonly git: GitSettings;
  readonly sparse?: readonly string[];
  readonly merge?: MergeRequest;
}

const { token, commit, branch, ...place } = JSON.parse(process.argv[2] ?? '') as SessionWork;
let isFetched = false;
/** A clone needs one token, and a merge more of them. */
function step(access: string): string {
  if (access !== 'read') return 'pushing';
  const named = isFetched ? 'merging' : 'fetching';
  isFetched = place.merge !== undefined;
  return named;
}

// It does not outlive a test that fails.
process.once('disconnect', () => process.exit());
try {
  const workspace = await openWorkspace({
    ...place,
    credentials: (access) => {
      process.send?.(step(access));
      return Promise.resolve(token);
    },
    baseCommit: commit,
    branch: () => branch,
    author: { name: 'issuewright[bot]', email: 'bot@example.test' },
    changes: [],
    threads: new GitThreads(),
    installation: 1,
    signal: new AbortController().signal,
  });
  process.send?.('opened');
  await workspace.files.write('file-7.txt', Buffer.from(`changed on ${branch}\n`));
  await workspace.git.commit({ message: 'Change', at: new Date() });
  process.send?.('done');
} catch (error) {
  process.send?.(`failed: ${messageOf(error)}`);
}
