import type { FoundChange } from '../../contracts/git.ts';
import type { Commit } from '../parts/session-work.ts';
import { code, oneLine } from './markdown.ts';
import { firstLine, shortSha } from './format.ts';

/** The newest `limit` commits as a list, oldest first. */
export function commitList(commits: readonly Commit[], limit: number): string {
  const lines = commits
    .slice(-limit)
    .map(({ sha, message }) => `- ${code(shortSha(sha))} ${oneLine(firstLine(message))}`);
  const left = commits.length - lines.length;
  return [...(left > 0 ? [`- … ${left} earlier`] : []), ...lines].join('\n');
}

/** What all commits together did to each file, by path. A file that was added and deleted is left out. */
export function combineChanges(commits: readonly Commit[]): FoundChange[] {
  const changed = new Map<string, FoundChange['status']>();
  for (const { path, status } of commits.flatMap(({ files }) => files)) {
    const together = combined(changed.get(path), status);
    if (together === undefined) changed.delete(path);
    else changed.set(path, together);
  }
  return [...changed]
    .map(([path, status]) => ({ path, status }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

type Status = FoundChange['status'];

function combined(before: Status | undefined, now: Status): Status | undefined {
  if (before === 'added') return now === 'deleted' ? undefined : 'added';
  if (before === 'deleted') return now === 'deleted' ? 'deleted' : 'modified';
  return now;
}
