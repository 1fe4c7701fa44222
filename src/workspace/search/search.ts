import { messageOf, TellModel } from '../../lib/errors.ts';
import { ContainedTree, isThereIn } from '../files/contained-tree.ts';
import { IsSymbolicLink, explainFileErrors, NotPlainFile } from '../files/open-directory.ts';
import { parsePath, quotePath } from '../files/path-policy.ts';
import { hintFor } from '../files/near-twin.ts';
import { OutsideDirectories } from '../files/outside-directories.ts';
import { PathRules } from '../files/repository-paths.ts';
import { answerCodeQuestion } from './code/questions.ts';
import type {
  CodeAnswer,
  Question,
  GrepAnswer,
  GrepRequest,
  FindRequest,
  FoundFiles,
} from '../../contracts/files.ts';
import { countFiles, grepFiles } from './lines/grep.ts';
import { globFilter } from '../../lib/glob.ts';
import { readPattern } from './lines/pattern.ts';
import { SearchThreads, type FileParts } from './lines/search-threads.ts';
import type { FindTask, ListTask } from './lines/tasks.ts';
import type { SearchPlace, FilesIn } from './walk.ts';
import { TookTooLong } from '../../lib/threads/task-thread.ts';

/** The most files that one search covers. */
const MAX_FILES = 200_000;

const NO_FILES: FoundFiles = { paths: [], total: 0 };

/** The directory to begin in, and the file in it if the path is a file. */
interface Start {
  readonly start: readonly string[];
  readonly file: string | undefined;
}

/** All workspaces of the process share these threads. */
const processThreads = new SearchThreads();

/**
 * The searches of one workspace. They see what the file tools see, except ignored files, and run on other
 * threads. Invalid requests throw `TellModel`.
 */
export class WorkspaceSearch {
  readonly #place: SearchPlace;
  readonly #outside: OutsideDirectories;
  readonly #threads: SearchThreads;

  /** @param outside directories of the base commit that the place does not have */
  constructor(place: SearchPlace, threads = processThreads, outside = new OutsideDirectories()) {
    this.#place = place;
    this.#outside = outside;
    this.#threads = threads;
  }

  /** The matching lines. @throws {TellModel} if the pattern is invalid, saying what is wrong and where */
  async grep(request: GrepRequest, signal: AbortSignal): Promise<GrepAnswer> {
    const { context, maxMatches, glob } = request;
    const pattern = readPattern(request.pattern, request.ignoreCase);
    const { root } = this.#place;
    const begin = await this.#startAt(request.path);
    const parts = await this.#filesFrom(begin, glob, signal);
    const asked = { root, pattern, context, maxMatches };
    const answer = await grepFiles(this.#threads, asked, parts, signal);
    return { ...answer, ...this.#unsearched([begin]) };
  }

  /** The matching files in the requested order, and their total number. */
  async find(request: FindRequest, signal: AbortSignal): Promise<FoundFiles> {
    const { glob, order, limit } = request;
    const begin = await this.#startAt(request.path);
    const { start, file } = begin;
    const matches = requireGlob(glob, start.join('/'));
    const path = pathTo(begin);
    if (file !== undefined) return matches(path) ? { paths: [path], total: 1 } : NO_FILES;
    const task: FindTask = { kind: 'find', place: this.#place, start, glob, order, limit };
    let answer = NO_FILES;
    await inTime(this.#threads.run<'find'>(task, (part) => (answer = part), signal));
    return { ...answer, ...this.#unsearched([begin]) };
  }

  /** The files most relevant to a question in natural language, best first. */
  async rank(question: Question, signal: AbortSignal): Promise<CodeAnswer> {
    const starts = await Promise.all(question.paths.map((path) => this.#startAt(path)));
    const list = async (): Promise<FileParts> => {
      const lists = starts.map((start) => this.#filesFrom(start, question.glob, signal));
      return (await Promise.all(lists)).flat();
    };
    const { root } = this.#place;
    const asked = { threads: this.#threads, root, signal };
    const answer = await inTime(answerCodeQuestion(question, list, asked));
    return { ...answer, ...this.#unsearched(starts) };
  }

  /** What a search leaves out that begins there. */
  #unsearched(starts: readonly Start[]): { outside?: readonly string[] } {
    const directories = starts.filter(({ file }) => file === undefined);
    const outside = [...new Set(directories.flatMap(({ start }) => this.#outside.around(start)))];
    return outside.length === 0 ? {} : { outside };
  }

  /** @throws {TellModel} if the glob is invalid, or there are too many files */
  async #filesFrom(
    begin: Start,
    glob: string | undefined,
    signal: AbortSignal,
  ): Promise<FileParts> {
    const { start, file } = begin;
    const directory = start.join('/');
    const matches = requireGlob(glob, directory);
    if (file !== undefined) return [[{ directory, names: matches(pathTo(begin)) ? [file] : [] }]];
    const task: ListTask = { kind: 'list', place: this.#place, start, glob, limit: MAX_FILES };
    const parts: (readonly FilesIn[])[] = [];
    await inTime(this.#threads.run<'list'>(task, (part) => parts.push(part), signal));
    if (countFiles(parts.flat()) < MAX_FILES) return parts;
    throw new TellModel(`More than ${MAX_FILES} files match. Narrow the search with path or glob.`);
  }

  /** @throws {TellModel} if the path may not be read, or is not a file or directory */
  async #startAt(path: string): Promise<Start> {
    const tree = new ContainedTree(this.#place.root);
    const names = parsePath(path, isThereIn(tree));
    const rules = new PathRules(this.#place.paths);
    rules.requireOpen(names);
    if (this.#outside.has(names) && !isThereIn(tree)(names))
      throw new TellModel(`${quotePath(path)} ${NOT_SEARCHED}`);
    const look = (): Start => {
      const kind = tree.kind(names);
      if (kind === 'symlink') throw new IsSymbolicLink(path);
      if (kind === 'other') throw new NotPlainFile(path);
      if (kind === 'directory') return { start: names, file: undefined };
      return { start: names.slice(0, -1), file: names.at(-1) };
    };
    return explainFileErrors(path, look, () => hintFor(tree, rules, names));
  }
}

const NOT_SEARCHED =
  'is outside of the workspace, where nothing is searched. It can be listed and read.';

const pathTo = ({ start, file }: Start): string =>
  [...start, file].filter((name) => name !== undefined).join('/');

/** @throws {TellModel} if the glob is invalid */
function requireGlob(glob: string | undefined, start: string): (path: string) => boolean {
  try {
    return globFilter(glob, start);
  } catch (error) {
    throw new TellModel(`The glob ${JSON.stringify(glob)} is not valid: ${messageOf(error)}.`);
  }
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof TookTooLong)) throw error;
    throw new TellModel('The search took too long. Set path to a directory.');
  }
}
