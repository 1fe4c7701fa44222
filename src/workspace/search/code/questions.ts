import type { Answer, FoundFile, Question } from '../../../contracts/search.ts';
import { TellModel } from '../../../lib/errors.ts';
import { TaskFailed, TookTooLong } from '../../../lib/threads/task-thread.ts';
import { countFiles } from '../lines/grep.ts';
import type { ListFiles, SearchThreads } from '../lines/search-threads.ts';
import type { FilesIn, ScanTask } from '../lines/tasks.ts';
import { distanceTo, neighboursOf } from './neighbours.ts';
import type { Frequencies, ScannedFile, Use } from './scanned.ts';

const MAX_ANSWER_MS = 20_000;
/** Of how many files the best definition is looked for in others, and in how many: those around it. */
const WITH_NEIGHBOURS = 4;
const MAX_NEAR_FILES = 4000;

interface Place {
  readonly threads: SearchThreads;
  readonly root: string;
  readonly signal: AbortSignal;
}

/** Answers a question about the files: it reads each of them. @throws {TookTooLong | TellModel} */
export async function answerQuestion(
  question: Question,
  list: ListFiles,
  place: Place,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(MAX_ANSWER_MS);
  const signal = AbortSignal.any([place.signal, deadline]);
  try {
    return await answer(question, list, { ...place, signal });
  } catch (error) {
    if (deadline.aborted && error === deadline.reason) throw new TookTooLong('it took too long');
    if (!(error instanceof TaskFailed)) throw error;
    throw new TellModel(`The search failed: ${error.message}. Use grep_search.`);
  }
}

async function answer(question: Question, list: ListFiles, place: Place): Promise<Answer> {
  const { threads, root, signal } = place;
  const { best, frequencies, files, tooLarge, listed } = await scan(question, list, place);
  let found: readonly FoundFile[] = [];
  await threads.run<'show'>(
    { kind: 'show', root, files: best, frequencies, question },
    (part) => (found = part ?? found),
    signal,
  );
  const uses = question.names === true ? await findUses(found, listed, place) : [];
  const withNeighbours = found.map((file) => ({ ...file, neighbours: neighboursOf(file, uses) }));
  return { files: withNeighbours, searched: files, tooLarge };
}

interface Scanned {
  readonly best: readonly ScannedFile[];
  readonly frequencies: Frequencies;
  readonly files: number;
  readonly tooLarge: readonly string[];
  readonly listed: readonly FilesIn[];
}

async function scan(question: Question, list: ListFiles, place: Place): Promise<Scanned> {
  const best: ScannedFile[] = [];
  const listed: FilesIn[] = [];
  const having: number[] = [];
  let [files, windows] = [0, 0];
  const tooLarge: string[] = [];
  const { root, threads, signal } = place;
  await threads.onAll(list, async (part) => {
    listed.push(...part);
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
  return { best, frequencies: { windows, having }, files, tooLarge, listed };
}

async function findUses(
  found: readonly FoundFile[],
  listed: readonly FilesIn[],
  { threads, root, signal }: Place,
): Promise<Use[]> {
  const best = found.slice(0, WITH_NEIGHBOURS);
  const names = best.flatMap(({ definitions }) => definitions.slice(0, 1).map(({ name }) => name));
  if (names.length === 0) return [];
  const uses: Use[] = [];
  const near: ListFiles = async (onPart) => {
    for (const part of nearest(listed, best)) onPart(part);
  };
  await threads.onAll(near, (files) =>
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
