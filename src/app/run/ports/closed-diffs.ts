import type { FileDiff } from '../../../contracts/git.ts';
import { PathRules, type PathSettings } from '../../../workspace/files/repository-paths.ts';

/** What the repository's settings close is not read in the history or in a diff either. */
export function withoutClosed(
  paths: PathSettings,
): (files: readonly FileDiff[]) => readonly FileDiff[] {
  const rules = new PathRules(paths);
  const isClosed = ({ path, from = path }: FileDiff): boolean =>
    rules.isClosed(path.split('/')) || rules.isClosed(from.split('/'));
  const bare = ({ hunks: _hunks, ...file }: FileDiff): FileDiff => ({ ...file, why: 'closed' });
  return (files) => files.map((file) => (isClosed(file) ? bare(file) : file));
}
