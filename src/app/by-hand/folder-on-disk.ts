// A folder of this machine in the place of a repository on GitHub.
import type { BorrowedDirectories } from '../../contracts/shell.ts';
import type { Folder } from '../../contracts/intent.ts';
import { TellModel } from '../../lib/errors.ts';
import type { FolderRepository } from '../../workspace/git/folder/folder.ts';
import type { FolderServer } from '../../workspace/git/folder/folder-server.ts';
import type { RunRepository } from '../service/service.ts';

const notHere = (): Promise<never> =>
  Promise.reject(new TellModel('There is no GitHub here: this repository is a folder.'));

const WORKFLOWS = 'in a folder, nobody can approve changes of workflow files.';

/** Settings and instructions are read from the commit at which the work begins. The person at the terminal decides everything. */
export const folderOnDisk = (
  repository: FolderRepository,
  { url, token }: Pick<FolderServer, 'url' | 'token'>,
  { commit }: Folder,
  borrowed?: BorrowedDirectories,
): RunRepository => ({
  borrowed,
  gitUrl: url,
  gitToken: () => Promise.resolve(token),
  lacking: () => Promise.resolve(WORKFLOWS),
  permissionOf: () => Promise.resolve('admin'),
  readFile: (path, isClosed) => repository.readFile(commit, path, isClosed),
  ownersFile: () => Promise.resolve(undefined),
  issueState: notHere,
  triggerOf: notHere,
  pullRequest: () => Promise.resolve(undefined),
  relatedWork: () => Promise.resolve(undefined),
  whyNotToPush: () => Promise.resolve(undefined),
  mergeability: notHere,
  openPullRequest: notHere,
  changeBase: notHere,
  markReady: notHere,
  requestReview: notHere,
  submitReview: notHere,
  dismissReview: notHere,
  dismissesStaleApprovals: notHere,
  ownThreads: notHere,
  resolveOwnThreads: notHere,
  issue: notHere,
  issues: notHere,
  comment: notHere,
  commits: ({ from, path, limit }) => repository.log(from, path, limit),
  commitFiles: (name) => repository.commitDiff(name),
  changeSince: (base, head) => repository.changeSince(base, head),
  branches: async () => ({ names: await repository.branches(), hasMore: false }),
  hasBranch: async (name) => (await repository.branches()).includes(name),
});
