// A diff as text and as a patch, its lines, and what of it is new.
import { gitQuoted } from '../../lib/text/byte-names.ts';
import { hasUnseen, shownPath } from '../../lib/text/invisible.ts';
import type { FileDiff } from '../../contracts/git.ts';
import { hunkHeader, hunksIn } from '../../lib/text/unified-diff.ts';
import type { NewLines } from '../../contracts/forge.ts';

const MAX_CHARACTERS = 48_000;
const MAX_LINE_CHARACTERS = 2000;
const MAX_NAMES = 50;

/** A diff in the form of `git diff`, limited in size: a single file is cut, of several only whole ones. */
export function diffText(files: readonly FileDiff[], maxCharacters = MAX_CHARACTERS): string {
  const shown: string[] = [];
  const left: string[] = [];
  let room = maxCharacters;
  for (const file of files) {
    const text = fileText(file);
    const fits = text.length <= room;
    if (!fits && shown.length > 0) {
      left.push(shownPath(file.path));
      continue;
    }
    shown.push(fits ? text : cutLines(text, room));
    room -= text.length;
  }
  return [...shown, ...leftOut(left)].join('');
}

/** Whether `diffText` shows all of it: no file is missing or cut, and no line. */
export const isShownWhole = (files: readonly FileDiff[], maxCharacters: number): boolean =>
  files.every(
    ({ hunks }) =>
      hunks !== undefined && hunks.split('\n').every((line) => line.length <= MAX_LINE_CHARACTERS),
  ) && files.reduce((sum, file) => sum + fileText(file).length, 0) <= maxCharacters;

function leftOut(paths: readonly string[]): string[] {
  if (paths.length === 0) return [];
  const more = paths.length > MAX_NAMES ? `, and ${paths.length - MAX_NAMES} more` : '';
  const names = `${paths.slice(0, MAX_NAMES).join(', ')}${more}`;
  return [`(not shown, because the diff is too long: ${names}; give one as path to see it)\n`];
}

function cutLines(text: string, room: number): string {
  const kept = text.slice(0, text.lastIndexOf('\n', room) + 1);
  const lines = text.slice(kept.length).split('\n').length - 1;
  return `${kept}(cut here: ${lines} more lines of this diff)\n`;
}

const fileText = (file: FileDiff): string => `${headOf(file)}${shortLines(file.hunks ?? '')}`;

/** What stands above the hunks. */
function headOf(file: FileDiff): string {
  const before = quoted(`a/${file.from ?? file.path}`);
  const after = quoted(`b/${file.path}`);
  const lines = [`diff --git ${before} ${after}`, ...modeLines(file), ...renameLines(file)];
  const { hunks = '', status } = file;
  if (file.hunks === undefined) lines.push(reason(file, before, after));
  else if (hunks !== '') {
    lines.push(`--- ${status === 'added' ? '/dev/null' : before}`);
    lines.push(`+++ ${status === 'deleted' ? '/dev/null' : after}`);
  }
  return `${lines.join('\n')}\n`;
}

function modeLines({ status, oldMode = '100644', newMode = '100644' }: FileDiff): string[] {
  if (status === 'added') return [`new file mode ${newMode}`];
  if (status === 'deleted') return [`deleted file mode ${oldMode}`];
  return oldMode === newMode ? [] : [`old mode ${oldMode}`, `new mode ${newMode}`];
}

function renameLines({ status, from, path, hunks }: FileDiff): string[] {
  if (status !== 'renamed' || from === undefined) return [];
  const names = [`rename from ${quoted(from)}`, `rename to ${quoted(path)}`];
  return hunks === '' ? ['similarity index 100%', ...names] : names;
}

function reason({ why = 'not shown', status }: FileDiff, before: string, after: string): string {
  if (why === 'too much') return '(its diff is too large to show: read the file)';
  if (why === 'closed')
    return '(its diff is not shown: the settings of this repository deny access to it)';
  if (why === 'not shown') return '(its diff is not shown: the file is binary, or too large)';
  const [one, other] = [
    status === 'added' ? '/dev/null' : before,
    status === 'deleted' ? '/dev/null' : after,
  ];
  return `Binary files ${one} and ${other} differ`;
}

const shortLines = (hunks: string): string =>
  hunks
    .split('\n')
    .map((line) =>
      line.length > MAX_LINE_CHARACTERS
        ? `${line.slice(0, MAX_LINE_CHARACTERS).toWellFormed()}… (cut: ${line.length} characters)`
        : line,
    )
    .join('\n');

/** Quotes a name that contains line breaks, or what nobody sees, as git does. */
const quoted = (name: string): string =>
  /[\p{Cc}"\\]/u.test(name) || hasUnseen(name) ? gitQuoted(name) : name;

/** A whole diff as `git apply` reads it; `undefined` if not all of it is text. */
export function patchText(files: readonly FileDiff[]): string | undefined {
  if (files.some((file) => file.hunks === undefined || changesType(file))) return undefined;
  return files.map((file) => `${headOf(file)}${file.hunks ?? ''}`).join('');
}

/** A file that became a link, say: git applies that only as two changes. */
const changesType = ({ oldMode, newMode }: FileDiff): boolean =>
  oldMode !== undefined && newMode !== undefined && oldMode.slice(0, 3) !== newMode.slice(0, 3);

// The lines of a diff that a review can comment on.

export type DiffSide = 'old' | 'new';

/** The numbers of the lines that a file's diff shows, on each side. */
export function shownLines({
  hunks = '',
}: Pick<FileDiff, 'hunks'>): Readonly<Record<DiffSide, ReadonlySet<number>>> {
  const shown = { old: new Set<number>(), new: new Set<number>() };
  for (const { oldStart, newStart, lines } of hunksIn(hunks)) {
    let [old, now] = [oldStart, newStart];
    for (const line of lines) {
      if (!line.startsWith('+')) shown.old.add(old++);
      if (!line.startsWith('-')) shown.new.add(now++);
    }
  }
  return shown;
}

/** The text of each line that a file's diff shows on its new side, by number. */
export function newLines({ hunks = '' }: FileDiff): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  for (const { newStart, lines } of hunksIn(hunks))
    for (const [at, line] of lines.filter((one) => !one.startsWith('-')).entries())
      texts.set(newStart + at, line.slice(1));
  return texts;
}

const MAX_RANGES = 8;

/** "3-9, 20" */
export function rangesOf(lines: ReadonlySet<number>): string {
  const ranges: [number, number][] = [];
  for (const line of [...lines].toSorted((one, other) => one - other)) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === line - 1) last[1] = line;
    else ranges.push([line, line]);
  }
  const words = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return words.length > MAX_RANGES
    ? `${words.slice(0, MAX_RANGES).join(', ')}, …`
    : words.join(', ');
}

// What of a change is new since it was looked at before, whatever was committed, rebased or merged meanwhile.

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
