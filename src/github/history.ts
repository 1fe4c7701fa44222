// Commits, diffs and branches as GitHub has them.
import type { FileDiff } from '../contracts/git.ts';
import type { BranchChange, LoggedCommit } from '../contracts/forge.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { ifFound, NotFound, GitHubDenied } from './errors.ts';
import type { Gate } from './gate.ts';
import { ownerAndRepo } from './requests/octokit.ts';

export interface LogQuery {
  /** The commit or branch to begin at. */
  readonly from: string;
  readonly path?: string | undefined;
  /** 100 at most. */
  readonly limit: number;
}

/** Newest first. */
export async function listCommits(
  gate: Gate,
  { from, path, limit }: LogQuery,
): Promise<readonly LoggedCommit[]> {
  const { data } = await gate.octokit.rest.repos.listCommits({
    ...ownerAndRepo(gate),
    sha: from,
    ...withoutUndefined({ path }),
    per_page: limit,
  });
  return data.map(loggedCommit);
}

type GitHubCommit = Awaited<
  ReturnType<Gate['octokit']['rest']['repos']['listCommits']>
>['data'][number];

const loggedCommit = ({ sha, commit, author }: GitHubCommit): LoggedCommit => ({
  sha,
  author: commit.author?.name ?? author?.login ?? 'unknown',
  at: commit.author?.date ?? '',
  message: commit.message,
});

/** The files that a commit changed, at most 300; `undefined` if there is no such commit. */
export async function commitFiles(
  gate: Gate,
  ref: string,
): Promise<readonly FileDiff[] | undefined> {
  try {
    const { data } = await gate.octokit.rest.repos.getCommit({ ...ownerAndRepo(gate), ref });
    return (data.files ?? []).map(changedFile);
  } catch (error) {
    // GitHub answers 422 if the name cannot be a commit, and 404 if it knows no such commit.
    if (error instanceof NotFound || (error instanceof GitHubDenied && error.status === 422))
      return undefined;
    throw error;
  }
}

/** The present name of a branch, which may have been renamed meanwhile; `undefined` if it is gone. */
export async function presentBranch(gate: Gate, branch: string): Promise<string | undefined> {
  const found = gate.octokit.rest.repos.getBranch({ ...ownerAndRepo(gate), branch });
  return (await ifFound(found))?.data.name;
}

/** What `head` has since it branched off `base`: at most 250 commits, oldest first, and 300 files. */
export async function changeSince(gate: Gate, base: string, head: string): Promise<BranchChange> {
  try {
    return await compare(gate, base, head);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    const now = await presentBranch(gate, base);
    if (now === undefined || now === base) throw error;
    return compare(gate, now, head);
  }
}

async function compare(gate: Gate, base: string, head: string): Promise<BranchChange> {
  const { data } = await gate.octokit.rest.repos.compareCommitsWithBasehead({
    ...ownerAndRepo(gate),
    basehead: `${base}...${head}`,
  });
  return { commits: data.commits.map(loggedCommit), files: (data.files ?? []).map(changedFile) };
}

const MOST_BRANCHES = 100;

export async function listBranches(
  gate: Gate,
): Promise<{ readonly names: readonly string[]; readonly hasMore: boolean }> {
  const { data } = await gate.octokit.rest.repos.listBranches({
    ...ownerAndRepo(gate),
    per_page: MOST_BRANCHES,
  });
  return { names: data.map(({ name }) => name), hasMore: data.length === MOST_BRANCHES };
}

export async function hasBranch(gate: Gate, branch: string): Promise<boolean> {
  const at = { ...ownerAndRepo(gate), ref: `heads/${branch}` };
  return (await ifFound(gate.octokit.rest.git.getRef(at))) !== undefined;
}

interface GitHubFile {
  readonly filename: string;
  readonly status: string;
  readonly previous_filename?: string;
  readonly patch?: string;
  readonly changes: number;
}

const STATUS: ReadonlyMap<string, FileDiff['status']> = new Map([
  ['added', 'added'],
  ['copied', 'added'],
  ['removed', 'deleted'],
  ['renamed', 'renamed'],
]);

function changedFile({ filename, status, patch, changes, ...file }: GitHubFile): FileDiff {
  const isPlainRename = status === 'renamed' && changes === 0;
  const diff = withoutUndefined({
    path: filename,
    status: STATUS.get(status) ?? 'modified',
    from: file.previous_filename,
  });
  if (patch === undefined && !isPlainRename) return { ...diff, why: 'not shown' };
  return { ...diff, hunks: patch === undefined ? '' : `${patch}\n` };
}
