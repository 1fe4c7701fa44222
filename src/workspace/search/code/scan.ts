import {
  MAX_FILE_BYTES,
  searchedText,
  type ScannedFile,
  type Frequencies,
  type ScanTask,
  type TaskParts,
  type UsesTask,
  type NameUse,
} from '../lines/tasks.ts';
import { QuestionMatcher } from './matcher.ts';
import { rankFiles } from './rank.ts';
import { readFiles } from '../walk.ts';

/** How many files of a part can be among the best of all. */
const BEST_OF_PART = 64;
const MAX_SILENCE_MS = 100;

/** Counts the terms of a question in some files. Yields `undefined` to show that it is running. */
export function* scanFiles(task: ScanTask): Generator<TaskParts['scan']> {
  const matcher = new QuestionMatcher(task.question);
  const counts = new TermCounts(matcher);
  const scanned: ScannedFile[] = [];
  const tooLarge: string[] = [];
  let told = performance.now();
  for (const { path, content } of readFiles(task.root, task.files, MAX_FILE_BYTES)) {
    if (content === 'too large') tooLarge.push(path);
    else scanned.push({ path, counts: counts.ofText(searchedText(content)) });
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    yield undefined;
    told = performance.now();
  }
  // Of files of one score the first ones by path stay, as among the best of all parts.
  scanned.sort((one, other) => (one.path < other.path ? -1 : 1));
  const { frequencies } = counts;
  const best = rankFiles(scanned, frequencies, matcher, task.question, BEST_OF_PART);
  yield { files: scanned.length, tooLarge, frequencies, best };
}

/** The characters of a window. */
const WINDOW = 1024;
const FIFTHS = 5;

/** Counts the terms of a question in each window of some files. */
export class TermCounts {
  readonly #matcher: QuestionMatcher;
  readonly #having: number[];
  #windows = 0;

  constructor(matcher: QuestionMatcher) {
    this.#matcher = matcher;
    this.#having = matcher.terms.map(() => 0);
  }

  /** In all files so far. */
  get frequencies(): Frequencies {
    return { windows: this.#windows, having: this.#having };
  }

  /** Of a text, as in `ScannedFile`. */
  ofText(text: string): number[] {
    const rows = new Map<number, number[]>();
    this.#matcher.eachIn(text, (term, at, fifths) => {
      const window = Math.floor(at / WINDOW);
      let row = rows.get(window);
      if (row === undefined) rows.set(window, (row = this.#having.map(() => 0)));
      row[term] = (row[term] ?? 0) + fifths;
    });
    // Identifiers are found after all words, so windows do not come in order.
    const inOrder = [...rows].toSorted(([one], [other]) => one - other);
    const counts: number[] = [];
    for (const [, row] of inOrder)
      for (const [term, fifths] of row.entries()) {
        if (fifths > 0) this.#having[term] = (this.#having[term] ?? 0) + 1;
        counts.push(fifths / FIFTHS);
      }
    this.#windows += Math.ceil(text.length / WINDOW);
    return counts;
  }
}

const IMPORT = /^\s*(?:import|from|use|using|#include|require|export \{|const .*require\()/;

/** Finds names in files: of each name in each file the first line, an import only if there is no other. */
export function* findUses(task: UsesTask): Generator<TaskParts['uses']> {
  const names = task.names.map((name) => name.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`));
  const pattern = new RegExp(`(?<![\\w$])(?:${names.join('|')})(?![\\w$])`, 'g');
  let told = performance.now();
  let uses: NameUse[] = [];
  for (const { path, content } of readFiles(task.root, task.files, MAX_FILE_BYTES)) {
    if (content !== 'too large' && !content.includes(0))
      uses.push(...usesIn(path, content.toString(), pattern));
    if (performance.now() - told < MAX_SILENCE_MS) continue;
    yield uses;
    [uses, told] = [[], performance.now()];
  }
  yield uses;
}

function usesIn(path: string, text: string, pattern: RegExp): NameUse[] {
  const first = new Map<string, number>();
  const imports = new Map<string, number>();
  for (const { 0: name, index } of text.matchAll(pattern)) {
    if (first.has(name)) continue;
    const start = text.lastIndexOf('\n', index) + 1;
    const isImport = IMPORT.test(text.slice(start, index + 1));
    if (!isImport) first.set(name, index);
    else if (!imports.has(name)) imports.set(name, index);
  }
  return [...new Map([...imports, ...first])].map(([name, at]) => ({
    name,
    path,
    line: lineAt(text, at),
  }));
}

function lineAt(text: string, position: number): number {
  let line = 1;
  for (let end = text.indexOf('\n'); end >= 0 && end < position; end = text.indexOf('\n', end + 1))
    line += 1;
  return line;
}
