import type { FileDiff } from '../../contracts/git.ts';
import { headOf } from './diff-text.ts';

/** A whole diff as `git apply` reads it; `undefined` if not all of it is text. */
export function patchText(files: readonly FileDiff[]): string | undefined {
  if (files.some((file) => file.hunks === undefined || changesType(file))) return undefined;
  return files.map((file) => `${headOf(file)}${file.hunks ?? ''}`).join('');
}

/** A file that became a link, say: git applies that only as two changes. */
const changesType = ({ oldMode, newMode }: FileDiff): boolean =>
  oldMode !== undefined && newMode !== undefined && oldMode.slice(0, 3) !== newMode.slice(0, 3);
