import { TellPerson } from '../lib/errors.ts';
import type { WorkspaceFiles } from './files/files.ts';
import type { GitClient } from './git/client.ts';
import type { ChangeLimits } from './git/command-change-detector.ts';
import type { StoredChange } from '../contracts/files.ts';

const LOOK_MS = 60_000;
const PUT_BACK_MS = 180_000;
const IGNORE_FILE = '.gitignore';

/** What commands may change, as far as .gitignore does not leave it out. Bytes. */
export interface CommandLimits {
  /** One command. */
  readonly files: number;
  readonly bytes: number;
  /** All commands of a workspace together. */
  readonly allBytes: number;
}

const MIB = 1024 * 1024;
const COMMAND_LIMITS: CommandLimits = { files: 5_000, bytes: 32 * MIB, allBytes: 256 * MIB };

/** What was changed since the base commit and stored, the last state of each path. */
export type ReadStored = () => Promise<readonly StoredChange[]>;

export interface CommandChanges {
  /** Files that it changed: they are part of the next drain. */
  readonly changed: readonly string[];
  /** Files that nobody may write here: they are as they were. */
  readonly reverted: readonly string[];
  /** Why nothing of what it changed was kept, in words that follow "it changed". */
  readonly excess: string | undefined;
}

/** Makes what commands change part of the workspace, or takes it back. */
export class CommandWatch {
  readonly #client: Pick<GitClient, 'call'>;
  readonly #files: WorkspaceFiles;
  readonly #limits: CommandLimits;
  #isRemembered = false;
  /** By the last command. */
  #changed: ReadonlySet<string> = new Set();
  #bytes = 0;

  constructor(
    client: Pick<GitClient, 'call'>,
    files: WorkspaceFiles,
    limits: CommandLimits = COMMAND_LIMITS,
  ) {
    this.#client = client;
    this.#files = files;
    this.#limits = limits;
  }

  /** Before a command: what others changed is not its doing. */
  async begin(): Promise<void> {
    if (!this.#isRemembered) await this.#client.call('remember', undefined, LOOK_MS);
    this.#isRemembered = true;
  }

  /** What was drained; where more than a command changed files, the next one finds them so. */
  drained(changes: readonly StoredChange[]): void {
    if (changes.some(({ path }) => !this.#changed.has(path))) this.#isRemembered = false;
    this.#changed = new Set();
  }

  /** After a command, when nothing of it runs any more. */
  async end(stored: ReadStored): Promise<CommandChanges> {
    const limits = this.#left();
    const looked = await this.#client.call('look', limits, LOOK_MS);
    if ('excess' in looked) {
      await this.takeBack(stored);
      return { changed: [], reverted: [], excess: this.#wordsFor(looked.excess, limits) };
    }
    const refused = looked.touched.filter((path) => !this.#files.mayKeep(path));
    const changed = looked.touched.filter((path) => this.#files.mayKeep(path));
    this.#bytes += looked.bytes;
    this.#files.noteChanged(changed);
    this.#changed = new Set(changed);
    if (refused.length > 0) await this.#refuse(refused, stored);
    return { changed, reverted: refused, excess: undefined };
  }

  /** As if the command had not run, but for what .gitignore leaves out. */
  async takeBack(stored: ReadStored): Promise<void> {
    const before = await stored();
    // First what says which files count: else those that it let in would be taken away.
    const rules = before.filter(({ path }) => path.split('/').at(-1) === IGNORE_FILE);
    await this.#revert({ name: IGNORE_FILE });
    this.#restore(rules);
    await this.#revert({});
    this.#restore(before);
    this.#isRemembered = false;
  }

  async #refuse(paths: readonly string[], stored: ReadStored): Promise<void> {
    // The look has noted them: what is put back is told by its being wanted alone.
    await this.#revert({ paths });
    const names = new Set(paths);
    this.#restore((await stored()).filter(({ path }) => names.has(path)));
    this.#isRemembered = false;
  }

  #left(): ChangeLimits {
    const { files, bytes, allBytes } = this.#limits;
    return { files, bytes: Math.max(0, Math.min(bytes, allBytes - this.#bytes)) };
  }

  #revert(which: { paths?: readonly string[]; name?: string }): Promise<void> {
    return this.#client.call('revert', which, PUT_BACK_MS);
  }

  #restore(changes: readonly StoredChange[]): void {
    try {
      this.#files.restore(changes);
    } catch (error) {
      throw new TellPerson(
        'A command left the workspace in a state that could not be undone. Add the label again to continue in a new one.',
        { cause: error },
      );
    }
  }

  #wordsFor(excess: 'files' | 'bytes', { files, bytes }: ChangeLimits): string {
    if (excess === 'files') return `more than ${files} files that .gitignore does not leave out`;
    const all =
      bytes < this.#limits.bytes ? ' (all that is left for the commands of this run)' : '';
    return `more than ${Math.floor(bytes / MIB)} MiB${all} in files that .gitignore does not leave out`;
  }
}
