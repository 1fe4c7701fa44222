import { lstatSync } from 'node:fs';
import type { FoundLine } from '../../../contracts/files.ts';
import type { GrepTask, TaskParts, FindTask, ListTask } from './tasks.ts';
import {
  readFiles,
  joinPath,
  unlessGone,
  walkDirectories,
  type ReadFile,
  type WalkedDirectory,
  type FilesIn,
} from '../walk.ts';
import type { LinePattern } from './pattern.ts';
import type { OpenDirectory } from '../../files/open-directory.ts';
import { globFilter } from '../../../lib/glob.ts';

const MAX_FILE_BYTES = 16 * 1024 * 1024;
const MAX_SILENCE_MS = 100;

/**
 * Searches the files in order and stops when there are enough matches. Yields the matches of each file at
 * once, because a later file may get the thread terminated.
 */
export function* grepFilesTask(task: GrepTask): Generator<TaskParts['grep']> {
  const matcher = new LineMatcher(task.pattern);
  let left = task.maxMatches;
  let told = performance.now();
  let notText: string[] = [];
  for (const { path, content } of readFiles(task.root, task.files, MAX_FILE_BYTES)) {
    const part = searchIn(path, content, (bytes) => matcher.search(bytes, task.context, left));
    if (part === NOTHING && typeof content !== 'string' && content.includes(0)) notText.push(path);
    if (part === NOTHING && performance.now() - told < MAX_SILENCE_MS) continue;
    yield { ...part, notText };
    notText = [];
    told = performance.now();
    left -= part.found.flatMap(({ lines }) => lines).filter(({ matches }) => matches).length;
    if (left <= 0) return;
  }
  if (notText.length > 0) yield { ...NOTHING, notText };
}

const NOTHING: TaskParts['grep'] = { found: [], tooLarge: [], notText: [] };

function searchIn(
  path: string,
  content: ReadFile['content'],
  search: (content: Buffer) => readonly FoundLine[],
): TaskParts['grep'] {
  if (content === 'too large') return { ...NOTHING, tooLarge: [path] };
  const lines = search(content);
  return lines.length === 0 ? NOTHING : { ...NOTHING, found: [{ path, lines }] };
}

const MAX_LINE_CHARACTERS = 300;
const MAX_BEFORE_MATCH = 60;
const MAX_WHOLE_CHARACTERS = 64 * 1024;

/** Finds matching lines. Matches each line separately: no pattern can match across a line end. */
export class LineMatcher {
  readonly #line: RegExp;
  readonly #whole: RegExp | undefined;

  constructor({ source, flags }: LinePattern) {
    this.#line = new RegExp(source, flags);
    // One call for the whole text is much faster than one for each line. If it finds nothing, no line
    // matches. Negative lookarounds are the exception: in the whole text they see neighbouring lines.
    this.#whole = /\(\?<?!/.test(source) ? undefined : new RegExp(source, `${flags}m`);
  }

  /**
   * Up to `maxMatches` matching lines, with `context` lines around each; none for binary content.
   * @throws {SyntaxError} if the pattern is too large for the engine
   */
  search(content: Buffer, context: number, maxMatches: number): FoundLine[] {
    if (content.includes(0)) return [];
    const text = content.toString().replace(/^\ufeff/, '');
    // In a long text an expression may backtrack for very long.
    const isShort = text.length <= MAX_WHOLE_CHARACTERS;
    if (isShort && this.#whole?.test(text) === false) return [];
    const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
    if (lines.at(-1) === '') lines.pop(); // nothing follows the last line end
    return linesAround(lines, this.#matchesIn(lines, maxMatches), context);
  }

  /** The column of each match, by the index of its line. */
  #matchesIn(lines: readonly string[], maxMatches: number): ReadonlyMap<number, number> {
    const matches = new Map<number, number>();
    for (const [index, line] of lines.entries()) {
      const match = this.#line.exec(line);
      if (match !== null) matches.set(index, match.index);
      if (matches.size === maxMatches) break;
    }
    return matches;
  }
}

function linesAround(
  lines: readonly string[],
  matches: ReadonlyMap<number, number>,
  context: number,
): FoundLine[] {
  const shown = new Set<number>();
  for (const index of matches.keys())
    for (let near = index - context; near <= index + context; near += 1)
      if (near >= 0 && near < lines.length) shown.add(near);
  return [...shown].map((index) => ({
    number: index + 1,
    text: cutAround(lines[index] ?? '', matches.get(index) ?? 0),
    matches: matches.has(index),
  }));
}

function cutAround(line: string, match: number): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const start = Math.max(0, Math.min(match - MAX_BEFORE_MATCH, line.length - MAX_LINE_CHARACTERS));
  const end = start + MAX_LINE_CHARACTERS;
  const cut = line.slice(start, end).toWellFormed();
  return `${start > 0 ? '…' : ''}${cut}${end < line.length ? '…' : ''}`;
}

const FILES_IN_PART = 1024;

/** The matching files, in parts of about equal size. */
export function* listFilesTask(task: ListTask): Generator<TaskParts['list']> {
  let part: FilesIn[] = [];
  let size = 0;
  let left = task.limit;
  let told = performance.now();
  for (const { path, names } of matchingFiles(task)) {
    for (let start = 0; start < names.length && left > 0; start += FILES_IN_PART) {
      const some = names.slice(start, start + Math.min(FILES_IN_PART, left));
      part.push({ directory: path, names: some });
      size += some.length;
      left -= some.length;
      if (size < FILES_IN_PART) continue;
      yield part;
      [part, size, told] = [[], 0, performance.now()];
    }
    if (left === 0) break;
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    // No part of its files yet: where parts begin must not depend on the time.
    yield [];
    told = performance.now();
  }
  yield part;
}

/** The first matching files in the requested order, and their total number. */
export function* findFilesTask(task: FindTask): Generator<TaskParts['find']> {
  const found: { readonly path: string; readonly changedAt: number }[] = [];
  let told = performance.now();
  for (const { path, directory, names } of matchingFiles(task)) {
    for (const name of names) {
      const changedAt = task.order === 'newest' ? changeTime(directory, name) : 0;
      found.push({ path: joinPath(path, name), changedAt });
    }
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    yield { paths: [], total: found.length };
    told = performance.now();
  }
  found.sort((a, b) => b.changedAt - a.changedAt || (a.path < b.path ? -1 : 1));
  yield { paths: found.slice(0, task.limit).map(({ path }) => path), total: found.length };
}

type NamesOfDirectory = Pick<WalkedDirectory, 'path' | 'directory'> & {
  readonly names: readonly string[];
};

function* matchingFiles({
  place,
  start,
  glob,
}: Pick<ListTask, 'place' | 'start' | 'glob'>): Generator<NamesOfDirectory> {
  const matches = globFilter(glob, start.join('/'));
  for (const { path, directory, files } of walkDirectories(place, start))
    yield { path, directory, names: files.filter((name) => matches(joinPath(path, name))) };
}

const changeTime = (directory: OpenDirectory, name: string): number =>
  unlessGone(() => lstatSync(directory.place(name)).mtimeMs) ?? 0;
