// What of a change is new since it was looked at before, whatever was committed, rebased or merged meanwhile.
import type { NewLines } from '../../contracts/forge.ts';
import type { FileDiff } from '../../contracts/git.ts';
import { hunkHeader, hunksIn } from '../../lib/text/unified-diff.ts';

/** The changed lines of `now` that `before` does not change in the same way. */
export function newLinesSince(before: readonly FileDiff[], now: readonly FileDiff[]): NewLines {
  const earlier = new Map(before.map((file) => [file.path, file]));
  return new Map(
    now.flatMap((file) => {
      const known = countLines(earlier.get(file.path) ?? earlier.get(file.from ?? ''));
      const fresh = { old: new Set<number>(), new: new Set<number>() };
      for (const { sign, text, side, line } of changedLines(file)) {
        const left = known.get(sign + text) ?? 0;
        if (left > 0) known.set(sign + text, left - 1);
        else fresh[side].add(line);
      }
      return fresh.old.size + fresh.new.size === 0 ? [] : [[file.path, fresh] as const];
    }),
  );
}

/** The files that have new lines, with only the hunks around those. */
export const onlyNews = (files: readonly FileDiff[], news: NewLines): readonly FileDiff[] =>
  files.flatMap((file) => {
    const fresh = news.get(file.path);
    if (fresh === undefined) return [];
    const hunks = hunkTexts(file.hunks ?? '').filter((text) =>
      changedLines({ hunks: text }).some(({ side, line }) => fresh[side].has(line)),
    );
    return [{ ...file, hunks: hunks.join('') }];
  });

interface ChangedLine {
  readonly sign: '+' | '-';
  readonly text: string;
  readonly side: 'old' | 'new';
  readonly line: number;
}

function changedLines({ hunks = '' }: Pick<FileDiff, 'hunks'>): readonly ChangedLine[] {
  const changed: ChangedLine[] = [];
  for (const { oldStart, newStart, lines } of hunksIn(hunks)) {
    let [old, now] = [oldStart, newStart];
    for (const line of lines) {
      const text = line.slice(1);
      if (line.startsWith('+')) changed.push({ sign: '+', text, side: 'new', line: now++ });
      else if (line.startsWith('-')) changed.push({ sign: '-', text, side: 'old', line: old++ });
      else [old, now] = [old + 1, now + 1];
    }
  }
  return changed;
}

function countLines(file: FileDiff | undefined): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { sign, text } of changedLines(file ?? {}))
    counts.set(sign + text, (counts.get(sign + text) ?? 0) + 1);
  return counts;
}

/** Each hunk with its header. */
function hunkTexts(hunks: string): readonly string[] {
  const texts: string[] = [];
  for (const line of hunks.split(/(?<=\n)/)) {
    if (hunkHeader(line) !== undefined || texts.length === 0) texts.push(line);
    else texts[texts.length - 1] += line;
  }
  return texts;
}
