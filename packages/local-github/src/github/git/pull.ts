// What git knows about a pull request: its commits, files and diff.
import type { PullRequest, Repository } from '../state.ts';

export interface CommitFacts {
  readonly sha: string;
  readonly tree: string;
  readonly parents: string[];
  readonly author: { name: string; email: string; date: string };
  readonly committer: { name: string; email: string; date: string };
  readonly message: string;
}

export interface FileFacts {
  readonly sha: string;
  readonly filename: string;
  readonly previousFilename: string | undefined;
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'changed';
  readonly additions: number;
  readonly deletions: number;
  /** The hunks from the first `@@` on; `undefined` for binary files and pure renames. */
  readonly patch: string | undefined;
}

export interface PullFacts {
  readonly headSha: string;
  readonly baseSha: string;
  /** The merge base of both, where the diff starts. */
  readonly startSha: string;
  readonly commits: CommitFacts[];
  readonly files: FileFacts[];
  /** `null` if it is closed, or if nobody has asked yet whether these two commits merge. */
  readonly mergeable: boolean | null;
}

/** The head of a pull request: of its branch if it is open, otherwise the head when it was closed. */
export async function headSha(repository: Repository, issue: PullRequest): Promise<string> {
  const kept = `refs/pull/${issue.number}/head`;
  const isHere = issue.state === 'open' && issue.pull.headRepositoryId === undefined;
  const branch = isHere ? await repository.git.head(issue.pull.head) : undefined;
  const sha = branch ?? (await repository.git.resolve(kept));
  if (sha === undefined) throw new Error(`pull request ${issue.number} has no head in git`);
  return sha;
}

/** Stores the current head under refs/pull, so that it outlives its branch. That of a fork is fetched. */
export async function keepHead(
  repository: Repository,
  issue: PullRequest,
  fork?: Repository,
): Promise<void> {
  const ref = `refs/pull/${issue.number}/head`;
  if (fork !== undefined && fork !== repository)
    return repository.git.fetch(fork.git, issue.pull.head, ref);
  if (issue.pull.headRepositoryId !== undefined) return undefined;
  const sha = await repository.git.head(issue.pull.head);
  if (sha !== undefined) await repository.git.setRef(ref, sha);
  return undefined;
}

/** Stores where the base branch was, so that the diff outlives it. */
export const keepBase = (repository: Repository, { number }: PullRequest, sha: string) =>
  repository.git.setRef(`refs/pull/${number}/base`, sha);

export async function pullFacts(repository: Repository, issue: PullRequest): Promise<PullFacts> {
  const head = await headSha(repository, issue);
  const base = await baseSha(repository, issue);
  const start = (await repository.git.mergeBase(base, head)) ?? base;
  const [commits, files] = await Promise.all([
    commitsBetween(repository, start, head),
    filesBetween(repository, start, head),
  ]);
  const mergeable = issue.state === 'open' ? await repository.git.knownMergeable(base, head) : null;
  return { headSha: head, baseSha: base, startSha: start, commits, files, mergeable };
}

/** With `mergeable` computed. */
export async function decidedFacts(repository: Repository, issue: PullRequest): Promise<PullFacts> {
  const facts = await pullFacts(repository, issue);
  if (issue.state !== 'open' || facts.mergeable !== null) return facts;
  const mergeable = await repository.git.mergeable(facts.baseSha, facts.headSha);
  return { ...facts, mergeable };
}

async function baseSha(repository: Repository, issue: PullRequest): Promise<string> {
  const { git } = repository;
  const { base, merged } = issue.pull;
  const sha =
    merged === undefined
      ? ((await git.resolve(`refs/heads/${base}`)) ??
        (await git.resolve(`refs/pull/${issue.number}/base`)))
      : await git.resolve(`${merged.commitSha}^1`);
  if (sha === undefined) throw new Error(`pull request ${issue.number} has no base in git`);
  return sha;
}

const FORMAT = ['%H', '%T', '%P', '%an', '%ae', '%aI', '%cn', '%ce', '%cI', '%B'].join('%x01');

/** Oldest first (rule `commits-oldest-first`). */
async function commitsBetween(
  repository: Repository,
  base: string,
  head: string,
): Promise<CommitFacts[]> {
  return log(repository, ['--reverse', '--topo-order', `${base}..${head}`]);
}

export async function commitFacts(
  repository: Repository,
  sha: string,
): Promise<CommitFacts | undefined> {
  return (await log(repository, ['-1', sha]))[0];
}

/** Newest first by default; only commits that change `path` if it is given. */
export async function log(
  repository: Repository,
  range: string[],
  path = '',
): Promise<CommitFacts[]> {
  const where = path === '' ? [] : [`:(literal)${path}`];
  const args = ['log', `--format=${FORMAT}%x00`, ...range, '--', ...where];
  const text = await repository.git.fixed(args);
  return text
    .toString()
    .split('\0')
    .map((record) => record.replace(/^\n/, ''))
    .filter((record) => record !== '')
    .map((record) => {
      const [sha = '', tree = '', parents = '', ...rest] = record.split('\x01');
      const [name = '', email = '', date = '', byName = '', byEmail = '', byDate = '', body = ''] =
        rest;
      return {
        sha,
        tree,
        parents: parents.split(' ').filter((parent) => parent !== ''),
        author: { name, email, date },
        committer: { name: byName, email: byEmail, date: byDate },
        message: body.trimEnd(),
      };
    });
}

export async function filesBetween(
  repository: Repository,
  base: string,
  head: string,
): Promise<FileFacts[]> {
  const diff = async (...flags: string[]): Promise<string> => {
    const args = ['diff', '--no-color', '-M', '--abbrev=40', ...flags, base, head];
    return (await repository.git.fixed(args)).toString();
  };
  const [raw, numbers, patch] = await Promise.all([
    diff('--raw', '-z'),
    diff('--numstat'),
    diff('--patch'),
  ]);
  const counts = numbers.split('\n').map((line) => line.split('\t'));
  const patches = patch.split(/^(?=diff --git )/m).map(hunksOf);
  return rawRecords(raw).map((record, index) => ({
    ...record,
    additions: Number(counts[index]?.[0]) || 0,
    deletions: Number(counts[index]?.[1]) || 0,
    patch: patches[index],
  }));
}

function hunksOf(patch: string): string | undefined {
  const at = patch.search(/^@@ /m);
  return at < 0 ? undefined : patch.slice(at).replace(/\n$/, '');
}

const STATUS = new Map<string, FileFacts['status']>([
  ['A', 'added'],
  ['D', 'removed'],
  ['M', 'modified'],
  ['R', 'renamed'],
]);

type RawRecord = Pick<FileFacts, 'sha' | 'filename' | 'previousFilename' | 'status'>;

function rawRecords(raw: string): RawRecord[] {
  const parts = raw.split('\0').filter((part) => part !== '');
  const records: RawRecord[] = [];
  for (let index = 0; index < parts.length;) {
    const [, , before = '', after = '', letter = 'M'] = parts[index]?.split(' ') ?? [];
    const renamed = letter.startsWith('R');
    const status = STATUS.get(letter.charAt(0)) ?? 'changed';
    const first = parts[index + 1] ?? '';
    records.push({
      sha: status === 'removed' ? before : after,
      status,
      filename: renamed ? (parts[index + 2] ?? '') : first,
      previousFilename: renamed ? first : undefined,
    });
    index += renamed ? 3 : 2;
  }
  return records;
}
