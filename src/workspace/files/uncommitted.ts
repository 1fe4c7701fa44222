import type { Written } from '../../contracts/files.ts';
import type { ContainedTree } from './contained-tree.ts';
import { repositoryFinder } from './leaves-repository.ts';
import { quotePath } from './path-policy.ts';
import { notIgnored } from './walk-tree.ts';

/** Tells which of the written paths no commit includes, and why. */
export function uncommitted(
  tree: ContainedTree,
  isTracked: (path: string) => boolean,
  paths: readonly (readonly string[])[],
): Written {
  const isWanted = notIgnored(tree, isTracked);
  const repositoryOf = repositoryFinder(tree, isTracked);
  const left = paths.flatMap((names) => {
    const path = names.join('/');
    const around = repositoryOf(path);
    if (around !== undefined)
      return [{ path, why: `it is in ${quotePath(around)}, a git repository of its own` }];
    return isWanted(path, false) ? [] : [{ path, why: '.gitignore ignores it' }];
  });
  const [first, ...others] = left;
  if (first === undefined) return {};
  const more = others.length === 0 ? '' : `, and the same is true of ${others.length} more`;
  return { uncommitted: `No commit includes ${quotePath(first.path)}: ${first.why}${more}.` };
}
