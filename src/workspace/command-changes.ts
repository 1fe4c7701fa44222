import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { TellModel, TellPerson, unlessItFails } from '../lib/errors.ts';
import type { ConsideredChanges } from './files/recorded-changes.ts';
import type { WorkspaceFiles } from './files/files.ts';
import type { GitCaller } from './git/client.ts';
import type { ChangeLimits } from './git/work-tree.ts';
import type { StoredChange } from '../contracts/files.ts';
import type { CommandChanges, FilesLeftOut } from '../contracts/shell.ts';

const LOOK_MS = 60_000;
const REVERT_MS = 180_000;
const IGNORE_FILE = '.gitignore';

/** How much commands may change outside of what .gitignore ignores, in files and bytes. */
interface CommandLimits {
  /** One command. */
  readonly files: number;
  readonly bytes: number;
  /** All commands of a workspace together. */
  readonly allBytes: number;
}

const NOTHING_LEFT_OUT: FilesLeftOut = {
  bySetup: [],
  protectedBySetup: [],
  links: [],
  repositories: [],
  names: [],
  special: [],
  submodules: [],
  gitNames: [],
  uncovered: [],
};
/** What a command changed that changed nothing. */
export const UNCHANGED: CommandChanges = {
  changed: [],
  reverted: [],
  leftOut: NOTHING_LEFT_OUT,
  excess: undefined,
};
const MIB = 1024 * 1024;
const COMMAND_LIMITS: CommandLimits = { files: 5_000, bytes: 32 * MIB, allBytes: 256 * MIB };

/** Reads the stored changes since the base commit: the last state of each path. */
type ReadStored = () => Promise<readonly StoredChange[]>;

interface CommandOptions {
  readonly isSetup?: boolean;
  /** Whether the command names a file that it changed; it does if omitted. */
  readonly isNamed?: (path: string) => boolean;
}

/** Adds what commands change to the workspace's changes, or reverts it. */
export class CommandWatch {
  readonly #client: GitCaller;
  readonly #files: WorkspaceFiles;
  readonly #limits: CommandLimits;
  #isRemembered = false;
  /** Paths that the last command changed. */
  #changed: ReadonlySet<string> = new Set();
  /** Paths that setup commands changed and nothing since. */
  readonly #bySetup = new Set<string>();
  #began = 0n;
  #bytes = 0;

  constructor(client: GitCaller, files: WorkspaceFiles, limits: CommandLimits = COMMAND_LIMITS) {
    this.#client = client;
    this.#files = files;
    this.#limits = limits;
  }

  /** Call before a command, so that earlier changes are not attributed to it. */
  async begin(): Promise<void> {
    const changed = this.#isRemembered ? undefined : this.considered();
    this.#began = await this.#client.call('begin', { changed }, LOOK_MS);
    this.#isRemembered = true;
  }

  /** What counts as a change: what is known to be made by a tool or a command, but not to prepare the workspace. */
  considered(): ConsideredChanges {
    return { except: [...this.#bySetup], recorded: this.#files.changes.all() };
  }

  /** Call after a drain. If anything but a command changed files, the next command needs a new baseline. */
  drained(changes: readonly StoredChange[]): void {
    for (const { path } of changes) this.#bySetup.delete(path);
    if (changes.some(({ path }) => !this.#changed.has(path))) this.#isRemembered = false;
    this.#changed = new Set();
  }

  /**
   * Call after a command, once all of its processes have ended. What a setup command changed is neither
   * stored nor committed, unless it changed before: on another machine setup runs again. Protected files
   * that it made stay too, whatever changes them later: without them the tests may fail.
   */
  async end(
    stored: ReadStored,
    { isSetup = false, isNamed }: CommandOptions = {},
  ): Promise<CommandChanges> {
    const limits = this.#left();
    const since = isSetup ? undefined : this.#began;
    const recorded = this.#files.changes.all();
    const looked = await this.#client.call('look', { ...limits, since, recorded }, LOOK_MS);
    if ('excess' in looked) {
      await this.takeBack(stored);
      const excess = this.#excessText(looked.excess, limits);
      return { changed: [], reverted: [], leftOut: NOTHING_LEFT_OUT, excess };
    }
    const before = new Set(isSetup ? (await stored()).map(({ path }) => path) : []);
    const sorted = Object.groupBy(looked.touched, (path) =>
      this.#fateOf(path, isSetup && !before.has(path)),
    );
    const { changed = [], reverted = [], bySetup = [], protectedBySetup = [] } = sorted;
    for (const path of [...bySetup, ...protectedBySetup]) this.#bySetup.add(path);
    this.#bytes += looked.bytes;
    this.#changed = new Set(changed);
    if (reverted.length > 0) await this.#revertPaths(reverted, stored);
    const written = this.#files.changes.noteChanged(changed, isNamed);
    const made = changed.filter((path) => this.#files.changes.isMadeByCommands(path));
    const links = looked.leadingOut.filter((path) => this.#changed.has(path));
    const { repositories, names, special, submodules, gitNames, uncovered } = looked;
    const found = { repositories, names, special, submodules, gitNames, uncovered };
    const leftOut = { bySetup, protectedBySetup, links, ...found };
    const unnamed = made.length === 0 ? {} : { made };
    return { changed, ...unnamed, reverted, leftOut, ...written, excess: undefined };
  }

  /** @param bySetup whether a setup command changed the file, and nothing before */
  #fateOf(path: string, bySetup: boolean): 'changed' | 'reverted' | 'bySetup' | 'protectedBySetup' {
    if (this.#files.mayKeep(path)) return bySetup ? 'bySetup' : 'changed';
    const isByProduct =
      this.#bySetup.has(path) || (bySetup && !this.#files.changes.isTracked(path));
    return isByProduct ? 'protectedBySetup' : 'reverted';
  }

  /** Reverts everything the command did, except in what was ignored before. */
  async takeBack(stored: ReadStored): Promise<void> {
    const before = await stored();
    // Restore .gitignore files first: they decide which other files are compared and reverted.
    const rules = before.filter(({ path }) => path.split('/').at(-1) === IGNORE_FILE);
    await this.#revert({ name: IGNORE_FILE }, rules);
    await this.#revert({}, before);
  }

  async #revertPaths(paths: readonly string[], stored: ReadStored): Promise<void> {
    // The last detection has already recorded these files as current, so name them.
    const names = new Set(paths);
    const before = (await stored()).filter(({ path }) => names.has(path));
    await this.#revert({ paths }, before);
  }

  #left(): ChangeLimits {
    const { files, bytes, allBytes } = this.#limits;
    const left = Math.min(bytes, allBytes - this.#bytes, this.#files.changes.bytesLeft);
    return { files, bytes: Math.max(0, left) };
  }

  /** @param before what was changed before the command, of the files to revert */
  async #revert(
    which: { paths?: readonly string[]; name?: string },
    before: readonly StoredChange[],
  ): Promise<void> {
    const rewritten = before.filter(({ content }) => content !== null).map(({ path }) => path);
    this.#isRemembered = false;
    try {
      await this.#client.call('revert', { ...which, rewritten }, REVERT_MS);
      this.#files.restore(before);
    } catch (error) {
      if (error instanceof TellPerson) throw error;
      throw new TellPerson(
        'The changes of a command could not be undone, so the run was ended. Request the work again: it continues in a fresh workspace.',
        { cause: error },
      );
    }
  }

  #excessText(excess: 'files' | 'bytes', { files, bytes }: ChangeLimits): string {
    if (excess === 'files') return `more than ${files} files that are not in .gitignore`;
    const isUncommitted = this.#files.changes.bytesLeft < this.#limits.allBytes - this.#bytes;
    const what = isUncommitted ? 'what is not committed yet' : 'the commands of this run';
    const all = bytes < this.#limits.bytes ? ` (all that is left for ${what})` : '';
    return `more than ${Math.floor(bytes / MIB)} MiB${all} in files that are not in .gitignore`;
  }
}

const MOST_KEPT = 20;
/** Characters: what is not longer is in the result of its call. */
const SHORT = 4_000;
const PREFIX = 'output:';

interface KeptOutput {
  /** Must not throw: a full disk keeps nothing. */
  hear(text: string): void;
  /** The name that it has from now on; `undefined`: it is short, or could not be kept. */
  end(): string | undefined;
}

/**
 * All that commands put out, beside the work tree and removed with it: no command reaches it. Only the last ones are
 * kept.
 */
export class CommandOutputs {
  readonly #directory: string;
  #kept: readonly string[] = [];

  /** @param tree the work tree, whose parent directory is its own */
  constructor(tree: string) {
    this.#directory = join(dirname(tree), 'outputs');
  }

  begin(): KeptOutput {
    const id = randomBytes(4).toString('hex');
    const file = unlessItFails(() => {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      return openSync(join(this.#directory, id), 'wx', 0o600);
    });
    let length = 0;
    let isWhole = file !== undefined;
    return {
      hear: (text) => {
        length += text.length;
        if (file !== undefined && isWhole)
          isWhole = unlessItFails(() => writeSync(file, text)) !== undefined;
      },
      end: () => {
        if (file !== undefined) closeSync(file);
        const isKept = isWhole && length > SHORT;
        this.#keep(id, isKept);
        return isKept ? `${PREFIX}${id}` : undefined;
      },
    };
  }

  #keep(id: string, isKept: boolean): void {
    const all = isKept ? [...this.#kept, id] : this.#kept;
    const gone = all.slice(0, -MOST_KEPT);
    if (!isKept) gone.push(id);
    for (const one of gone) unlessItFails(() => rmSync(join(this.#directory, one)));
    this.#kept = all.slice(-MOST_KEPT);
  }

  /** @throws {TellModel} if it is not kept */
  async read(name: string): Promise<Uint8Array> {
    const id = name.slice(PREFIX.length);
    if (name.startsWith(PREFIX) && this.#kept.includes(id))
      return readFile(join(this.#directory, id));
    throw new TellModel('This output is not kept any more: run the command again.');
  }
}

/** Separate the words of a command, and of the code in it. Brackets belong to names of files too. */
const SEPARATORS = [/[\s'"`;|&<>$=,:*?\\]+/, /[\s'"`;|&<>$=,:*?\\(){}]+/];

/**
 * Tells which files a command names: by their path, by one below a directory that it names too (`cd lib && touch a.ts`), or
 * by such a directory and the name of another file (`mv src/a.ts lib`). A directory alone names none of its files.
 */
export function filesNamedIn(command: string, directory: string): (path: string) => boolean {
  const words = new Set(
    SEPARATORS.flatMap((separator) => command.split(separator)).map((word) =>
      posix.normalize(word).replace(/(?<=.)\/$/, ''),
    ),
  );
  const absolute = [...words].filter((word) => word.startsWith('/'));
  const names = new Set([...words].map((word) => posix.basename(word)));
  const isAbsolute = (path: string): boolean => absolute.some((word) => word.endsWith(`/${path}`));
  const isBelow = (path: string): boolean =>
    words.has(path) || isAbsolute(path) || directory === path;
  return (path) => {
    if (words.has(path) || isAbsolute(path)) return true;
    const parent = posix.dirname(path);
    if (isBelow(parent) && names.has(posix.basename(path))) return true;
    return [...path.matchAll(/\//g)].some(
      ({ index }) => isBelow(path.slice(0, index)) && words.has(path.slice(index + 1)),
    );
  };
}
