import { posix } from 'node:path';
import { TellModel, TryLater, unless } from '../../../lib/errors.ts';
import { instructionsTarget } from '../../../lib/target-of.ts';
import { folderInstructions } from '../../../agent/prompts/notices.ts';
import { underHeading } from '../../../agent/prompts/system.ts';
import type { Notice } from '../../../agent/agent-run.ts';
import type { Entry, EntryOf } from '../../../session/entry.ts';
import type { Files, Search } from '../../../contracts/files.ts';
import {
  MAX_BYTES,
  readInstructions,
  shownInstructions,
  type InstructionFile,
  type InstructionSource,
} from './repository-instructions.ts';

const TOPIC = 'instructions:';
const MAX_LOOKUPS = 20;
const MAX_FAILURES = 3;

export interface FolderInstructionsOptions extends InstructionSource {
  /** The workspace's, as they are. */
  readonly files: Files;
  readonly search: Search;
  /** The files that are read at the root; those without a slash are looked for in folders too. */
  readonly names: readonly string[];
  /** What this run was told is read there, also after an interruption. */
  readonly journal: { readonly entries: readonly Entry[] };
}

/**
 * The instructions of the folders that a run works in, each told once, after a tool first touched
 * the folder. Whether there are any is looked up in the workspace; what they say comes from the
 * default branch.
 */
export class FolderInstructions {
  /** Give these two to the tools: they tell which folders are touched. */
  readonly files: Files;
  readonly search: Search;
  readonly #options: FolderInstructionsOptions;
  readonly #names: readonly string[];
  readonly #folders = new Set<string>();
  /** Paths to look up, those of one folder together. */
  #pending: (readonly string[])[] = [];
  #lookups: number;
  #failures = 0;

  constructor(options: FolderInstructionsOptions) {
    this.#options = options;
    this.#names = options.names.filter((name) => !name.includes('/'));
    this.#lookups = toldInRun(options.journal.entries).length;
    this.files = this.#watchedFiles(options.files);
    this.search = this.#watchedSearch(options.search);
  }

  /** What to tell the model before its next request: the outer folder's before the inner one's. */
  async next(): Promise<readonly Notice[]> {
    const found = forgotten(this.#options.journal.entries);
    for (let paths = this.#pending[0]; paths !== undefined; paths = this.#pending[0]) {
      const files = await this.#lookUp(paths);
      if (files === undefined) break;
      this.#pending.shift();
      this.#tell(files, found);
    }
    return found;
  }

  /** `undefined`: not now. It is asked for again before the next request; the work continues. */
  async #lookUp(paths: readonly string[]): Promise<readonly InstructionFile[] | undefined> {
    const told = new Set(toldInRun(this.#options.journal.entries).map(({ topic }) => topic));
    const allowed = paths
      .filter((path) => !told.has(`${TOPIC}${path}`))
      .slice(0, Math.max(0, MAX_LOOKUPS - this.#lookups));
    try {
      const files = await readInstructions(this.#options, allowed);
      this.#lookups += allowed.length;
      return files;
    } catch (error) {
      if (!(error instanceof TryLater)) throw error;
      this.#failures += 1;
      return this.#failures < MAX_FAILURES ? undefined : [];
    }
  }

  /** Adds to `found` what neither the prompt nor an earlier notice says. */
  #tell(files: readonly InstructionFile[], found: Notice[]): void {
    const { names, journal } = this.#options;
    const prompt = promptOf(journal.entries);
    for (const file of files) {
      const before = toldInRun(journal.entries);
      const told = [
        ...before,
        ...found.filter((one) => !before.some(({ topic }) => topic === one.topic)),
      ];
      if (isInPrompt(file, prompt, names) || isTold(file, told)) continue;
      const room = told.reduce((left, { text }) => left - Buffer.byteLength(text), MAX_BYTES);
      found.push({ topic: `${TOPIC}${file.path}`, text: noticeOf(file, room) });
    }
  }

  #watchedFiles(files: Files): Files {
    return {
      read: (path, maxBytes) =>
        this.#touching([posix.dirname(path)], () => files.read(path, maxBytes)),
      write: (path, content) =>
        this.#touching([posix.dirname(path)], () => files.write(path, content)),
      delete: (path) => this.#touching([posix.dirname(path)], () => files.delete(path)),
      rename: (moves) => {
        const folders = moves.flatMap(({ from, to }) => [posix.dirname(from), posix.dirname(to)]);
        return this.#touching(folders, () => files.rename(moves));
      },
      list: (path) => this.#touching([path], () => files.list(path)),
    };
  }

  /** A search reads files without working on them: it touches only the folders that it starts in. */
  #watchedSearch(search: Search): Search {
    return {
      grep: (request, signal) => this.#touching([request.path], () => search.grep(request, signal)),
      find: (request, signal) => this.#touching([request.path], () => search.find(request, signal)),
      rank: (question, signal) =>
        this.#touching(question.paths, () => search.rank(question, signal)),
    };
  }

  /** Does the work, and only if it succeeds, touches the folders, in this order. */
  async #touching<Done>(folders: readonly string[], work: () => Promise<Done>): Promise<Done> {
    const done = await work();
    for (const folder of folders) await this.#touch(folder);
    return done;
  }

  /** Remembers what instructions the folder and those around it have, the root left out. */
  async #touch(path: string): Promise<void> {
    const names = path.split('/').filter((name) => name !== '' && name !== '.');
    for (const depth of names.keys()) {
      const folder = names.slice(0, depth + 1).join('/');
      if (this.#folders.has(folder)) continue;
      this.#folders.add(folder);
      const paths = await this.#instructionsIn(folder);
      if (paths.length > 0) this.#pending.push(paths);
    }
  }

  async #instructionsIn(folder: string): Promise<readonly string[]> {
    // It may be a file: a search may start at one.
    const entries = (await unless(TellModel, this.#options.files.list(folder))) ?? [];
    const present = new Set(
      entries.filter(({ kind }) => kind !== 'directory').map(({ name }) => name),
    );
    return this.#names.filter((name) => present.has(name)).map((name) => `${folder}/${name}`);
  }
}

function noticeOf(file: InstructionFile, room: number): string {
  const { path, importedBy = path } = file;
  const opening = folderInstructions(posix.dirname(importedBy), path);
  return `${opening}\n\n${shownInstructions(file, room - Buffer.byteLength(opening))}`;
}

/** Whether one of the root's files begins with it, imports it, or is what it only names. */
function isInPrompt(file: InstructionFile, prompt: string, roots: readonly string[]): boolean {
  const target = instructionsTarget(file);
  return [...roots, file.path].some(
    (path) => path === target || prompt.includes(underHeading(path, file.text)),
  );
}

/** Whether the model has already read the same text for a parent folder, or the file that this one points to. */
function isTold(file: InstructionFile, told: readonly Notice[]): boolean {
  const target = instructionsTarget(file);
  return told.some(({ topic, text }) => {
    const path = topic.slice(TOPIC.length);
    const isAround = file.path.startsWith(`${posix.dirname(path)}/`);
    const body = text.slice(text.indexOf('\n\n') + 2);
    return path === target || (isAround && body === file.text);
  });
}

const entriesOfRun = (entries: readonly Entry[]): readonly Entry[] =>
  entries.slice(entries.findLastIndex(({ type }) => type === 'run_started') + 1);

/** What folders' instructions the newest run of the journal was told, each as it was told last. */
function toldInRun(entries: readonly Entry[]): readonly EntryOf<'notice'>[] {
  const told = entriesOfRun(entries)
    .filter((entry) => entry.type === 'notice')
    .filter(({ topic }) => topic.startsWith(TOPIC));
  return [...new Map(told.map((notice) => [notice.topic, notice])).values()];
}

/** Those of them that have left the conversation since. */
function forgotten(entries: readonly Entry[]): Notice[] {
  const upTo = Math.max(
    0,
    ...entries.flatMap((entry) => (entry.type === 'compacted' ? [entry.upTo] : [])),
  );
  return toldInRun(entries)
    .filter(({ seq }) => seq <= upTo)
    .map(({ topic, text }) => ({ topic, text }));
}

function promptOf(entries: readonly Entry[]): string {
  const prompts = entriesOfRun(entries).filter((entry) => 'instructions' in entry);
  return prompts.at(-1)?.instructions ?? '';
}
