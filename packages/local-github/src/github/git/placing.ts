// Where the thread of a review is: as it began, and in the pull request's present diff.
import type { PullRequest, Repository, ReviewThread } from '../state.ts';
import { filesBetween, pullFacts, type PullFacts } from './pull.ts';
import { hunkUpTo, movedLine, shownLine, type Side } from './patch.ts';

export interface Placement {
  readonly diffHunk: string;
  readonly originalPosition: number;
  /** Undefined if the thread is outdated: the diff no longer shows its lines as they were. */
  readonly current: CurrentPlace | undefined;
}

interface CurrentPlace {
  readonly commitSha: string;
  readonly position: number;
  readonly line: number | undefined;
  readonly startLine: number | undefined;
}

/** GitHub's position of a comment on a whole file. */
const OF_A_FILE = 1;

export async function placementOf(
  repository: Repository,
  thread: ReviewThread,
  facts: PullFacts,
): Promise<Placement> {
  const { path, side, line, baseSha, commitSha } = thread;
  const patch = patchOf(await filesBetween(repository, baseSha, commitSha), path);
  const current = await currentPlace(repository, thread, facts);
  const shown = line === undefined ? undefined : shownLine(patch, side, line);
  if (shown === undefined) return { diffHunk: '', originalPosition: OF_A_FILE, current };
  return { diffHunk: hunkUpTo(patch, shown), originalPosition: shown.position, current };
}

/** All threads of a pull request, with their places. */
export async function placementsOf(
  repository: Repository,
  issue: PullRequest,
): Promise<Map<ReviewThread, Placement>> {
  const facts = await pullFacts(repository, issue);
  const threads = repository.reviewThreads.filter((one) => one.pullNumber === issue.number);
  const placed = threads.map(
    async (one) => [one, await placementOf(repository, one, facts)] as const,
  );
  return new Map(await Promise.all(placed));
}

async function currentPlace(
  repository: Repository,
  thread: ReviewThread,
  facts: PullFacts,
): Promise<CurrentPlace | undefined> {
  const { path, side, line, startLine, startSide = side } = thread;
  const commitSha = facts.headSha;
  if (!facts.files.some((file) => file.filename === path)) return undefined;
  if (line === undefined) return { commitSha, position: OF_A_FILE, line, startLine };
  const patch = patchOf(facts.files, path);
  const now = (await moves(repository, thread, facts, side))(line);
  const position = now === undefined ? undefined : shownLine(patch, side, now)?.position;
  if (now === undefined || position === undefined) return undefined;
  if (startLine === undefined) return { commitSha, position, line: now, startLine };
  const move = await moves(repository, thread, facts, startSide);
  const start = move(startLine);
  if (start === undefined) return undefined;
  // On one side, the lines between belong to it too.
  for (let between = startLine; side === startSide && between < line; between += 1)
    if (move(between) !== now - (line - between)) return undefined;
  return { commitSha, position, line: now, startLine: start };
}

/** Where lines of one side went since the thread began. */
async function moves(
  repository: Repository,
  { path, baseSha, commitSha }: ReviewThread,
  { headSha, startSha }: PullFacts,
  side: Side,
): Promise<(line: number) => number | undefined> {
  const [from, to] = side === 'LEFT' ? [baseSha, startSha] : [commitSha, headSha];
  if (from === to) return (line) => line;
  const args = ['diff', '--no-color', '-U0', '--no-renames', from, to, '--', `:(literal)${path}`];
  const changes = (await repository.git.fixed(args)).toString();
  return (line) => movedLine(changes, line);
}

export const patchOf = (
  files: readonly { readonly filename: string; readonly patch: string | undefined }[],
  path: string,
): string => files.find((file) => file.filename === path)?.patch ?? '';
