import type { CodeAnswer, FoundFile, Neighbours, Question } from '../../../contracts/files.ts';
import { TellModel } from '../../../lib/errors.ts';
import { TaskFailed, TookTooLong } from '../../../lib/threads/task-thread.ts';
import { countFiles } from '../lines/grep.ts';
import type { FileParts, SearchThreads } from '../lines/search-threads.ts';
import type { Frequencies, ScannedFile, ScanTask, NameUse } from '../lines/tasks.ts';
import { isTest } from './rank.ts';
import type { FilesIn } from '../walk.ts';

const MAX_ANSWER_MS = 20_000;
/** Of how many files the best definition is looked for in others, and in how many: those around it. */
const WITH_NEIGHBOURS = 4;
const MAX_NEAR_FILES = 4000;

interface SearchScope {
  readonly threads: SearchThreads;
  readonly root: string;
  readonly signal: AbortSignal;
}

/** Answers a question about the files: it reads each of them. @throws {TookTooLong | TellModel} */
export async function answerCodeQuestion(
  question: Question,
  list: () => Promise<FileParts>,
  place: SearchScope,
): Promise<CodeAnswer> {
  const deadline = AbortSignal.timeout(MAX_ANSWER_MS);
  const signal = AbortSignal.any([place.signal, deadline]);
  try {
    return await answer(question, await list(), { ...place, signal });
  } catch (error) {
    if (deadline.aborted && error === deadline.reason) throw new TookTooLong('it took too long');
    if (!(error instanceof TaskFailed)) throw error;
    throw new TellModel(`The search failed: ${error.message}. Search for exact text instead.`);
  }
}

async function answer(
  question: Question,
  parts: FileParts,
  place: SearchScope,
): Promise<CodeAnswer> {
  const { threads, root, signal } = place;
  const { best, frequencies, files, tooLarge } = await scan(question, parts, place);
  let found: readonly FoundFile[] = [];
  await threads.run<'show'>(
    { kind: 'show', root, files: best, frequencies, question },
    (part) => (found = part ?? found),
    signal,
  );
  const uses = question.names === true ? await findUses(found, parts.flat(), place) : [];
  const withNeighbours = found.map((file) => ({ ...file, neighbours: neighboursOf(file, uses) }));
  return { files: withNeighbours, searched: files, tooLarge };
}

interface ScanResult {
  readonly best: readonly ScannedFile[];
  readonly frequencies: Frequencies;
  readonly files: number;
  readonly tooLarge: readonly string[];
}

async function scan(question: Question, parts: FileParts, place: SearchScope): Promise<ScanResult> {
  const best: ScannedFile[] = [];
  const having: number[] = [];
  let [files, windows] = [0, 0];
  const tooLarge: string[] = [];
  const { root, threads, signal } = place;
  await threads.onAll(parts, async (part) => {
    const task: ScanTask = { kind: 'scan', root, files: part, question: question.text };
    await threads.run<'scan'>(
      task,
      (found) => {
        if (found === undefined) return;
        best.push(...found.best);
        files += found.files;
        tooLarge.push(...found.tooLarge);
        windows += found.frequencies.windows;
        for (const [term, count] of found.frequencies.having.entries())
          having[term] = (having[term] ?? 0) + count;
      },
      signal,
    );
  });
  return { best, frequencies: { windows, having }, files, tooLarge };
}

async function findUses(
  found: readonly FoundFile[],
  listed: readonly FilesIn[],
  { threads, root, signal }: SearchScope,
): Promise<NameUse[]> {
  const best = found.slice(0, WITH_NEIGHBOURS);
  const names = best.flatMap(({ definitions }) => definitions.slice(0, 1).map(({ name }) => name));
  if (names.length === 0) return [];
  const uses: NameUse[] = [];
  await threads.onAll(nearest(listed, best), (files) =>
    threads.run<'uses'>({ kind: 'uses', root, files, names }, (part) => uses.push(...part), signal),
  );
  return uses;
}

/** The files in the directories nearest to those found, in parts for the threads. */
function nearest(listed: readonly FilesIn[], found: readonly FoundFile[]): FilesIn[][] {
  const distance = distanceTo(found.map(({ path }) => path));
  const byDistance = listed
    .map((files) => ({ files, distance: distance(files.directory) }))
    .toSorted((one, other) => one.distance - other.distance);
  const parts: FilesIn[][] = [];
  let count = 0;
  for (const { files } of byDistance) {
    if (count >= MAX_NEAR_FILES) break;
    const last = parts.at(-1);
    if (last === undefined || countFiles(last) >= MAX_NEAR_FILES / 8) parts.push([files]);
    else last.push(files);
    count += files.names.length;
  }
  return parts;
}

/** A name that more files use tells nothing. */
const MAX_FILES = 40;
const MAX_CALLERS = 3;
const MAX_TESTS = 2;

/** The files and lines that use a definition of a found file, the nearest files first. */
function neighboursOf(file: FoundFile, uses: readonly NameUse[]): Neighbours | undefined {
  const [definition] = file.definitions;
  if (definition === undefined) return undefined;
  const { name, from, to } = definition;
  const isInside = ({ path, line }: NameUse): boolean =>
    path === file.path && line >= from && line <= to;
  const others = uses.filter((use) => use.name === name && !isInside(use));
  if (others.length === 0 || others.length > MAX_FILES) return undefined;
  const distance = distanceTo([file.path]);
  const near = others.toSorted(
    (one, other) =>
      distance(parentOf(one.path)) - distance(parentOf(other.path)) ||
      (one.path < other.path ? -1 : 1),
  );
  const place = ({ path, line }: NameUse): string => `${path}:${line}`;
  return {
    name,
    callers: near
      .filter(({ path }) => !isTest(path))
      .slice(0, MAX_CALLERS)
      .map(place),
    tests: near
      .filter(({ path }) => isTest(path))
      .slice(0, MAX_TESTS)
      .map(place),
  };
}

/** Tells how many directories lie between a directory and the nearest of some files. */
function distanceTo(files: readonly string[]): (directory: string) => number {
  const up = new Map<string, number>();
  for (const file of files)
    for (
      let [directory, steps] = [parentOf(file), 0];
      ;
      directory = parentOf(directory), steps += 1
    ) {
      up.set(directory, Math.min(steps, up.get(directory) ?? Infinity));
      if (directory === '') break;
    }
  return (directory) => {
    let [at, steps] = [directory, 0];
    for (; !up.has(at) && at !== ''; at = parentOf(at)) steps += 1;
    return steps + (up.get(at) ?? 0);
  };
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
