import { compileSearchGlob } from '../../lib/glob.ts';

/**
 * Whether a file is meant by a glob, which may be written from the root or from the directory that the
 * search begins in. All are where there is none.
 * @throws {Error} as `compileSearchGlob`
 */
export function globFilter(glob: string | undefined, start: string): (path: string) => boolean {
  if (glob === undefined) return () => true;
  const matches = compileSearchGlob(glob);
  if (start === '') return matches;
  return (path) => matches(path) || matches(path.slice(start.length + 1));
}
