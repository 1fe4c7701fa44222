// What `git diff-tree` prints, read.
import type { FileDiff } from '../../../contracts/git.ts';

/** `raw`: the parts of `--raw -z`. `patch`: what `-p` says of the same files, in the same order. */
export function diffsIn(raw: readonly string[], patch: string): readonly FileDiff[] {
  const patches = patch.split(/^diff --git /m).slice(1);
  return filesIn(raw).map((file, at): FileDiff => {
    const text = patches[at] ?? '';
    const begin = text.search(/^@@ /m);
    if (begin >= 0) return { ...file, hunks: text.slice(begin) };
    return /^(?:Binary files|GIT binary patch)/m.test(text)
      ? { ...file, why: 'binary' }
      : { ...file, hunks: '' };
  });
}

const STATUS: ReadonlyMap<string, FileDiff['status']> = new Map([
  ['A', 'added'],
  ['D', 'deleted'],
  ['R', 'renamed'],
]);

/** Of `--raw -z`: facts, a path, and a second one if it was renamed. */
function filesIn(parts: readonly string[]): FileDiff[] {
  const files: FileDiff[] = [];
  for (let at = 0; at < parts.length; at += 1) {
    const [, oldMode, newMode, letter = 'M'] =
      /^:(\d+) (\d+) \S+ \S+ ([A-Z])/.exec(parts[at] ?? '') ?? [];
    if (oldMode === undefined || newMode === undefined) continue;
    const status = STATUS.get(letter) ?? 'modified';
    const from = parts[at + 1] ?? '';
    at += status === 'renamed' ? 2 : 1;
    const path = parts[at] ?? '';
    files.push({ path, status, ...(status === 'renamed' ? { from } : {}), oldMode, newMode });
  }
  return files;
}
