// A work tree that stays in the cache, where the file system can copy by reference: all sessions that begin at once get copies
// of it, which share its blocks until they change a file. No command ever sees it.
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { copyFile, mkdir, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hasCode } from '../../../../lib/errors.ts';
import { SYSTEM_PATH } from '../../../../lib/system-path.ts';
import { OpenDirectory } from '../../../files/open-directory.ts';
import { removeRepository, TEMPLATE, unlessMissing } from './cache-room.ts';
import type { CachedRepository } from './cached-repository.ts';
import { FILES, looksOfAll, readRecord, writeRecord, type TreeState } from './tree-record.ts';

/** The file that names the commit it was made of. */
const COMMIT = 'commit';
const PROBE = 'probe';

export class TemplateTree {
  readonly #path: string;
  readonly #signal: AbortSignal;

  constructor(cached: CachedRepository, signal: AbortSignal) {
    this.#path = cached.pathOf(TEMPLATE);
    this.#signal = signal;
  }

  /**
   * Copies its files by reference to a directory that is not there yet. Resolves with `undefined` if there is none.
   * @throws {Error} if it is not as it was made, or goes meanwhile
   */
  async copyTo(to: string): Promise<TreeState | undefined> {
    const directory = this.#open();
    if (directory === undefined) return undefined;
    try {
      // In the directory that is open now, whatever takes its name meanwhile.
      await copyByReference(directory.at(FILES), to, this.#signal);
      const state = await readRecord(directory.at('.'));
      return { ...state, ...(await looksOfAll(to, state)) };
    } finally {
      directory.close();
    }
  }

  #open(): OpenDirectory | undefined {
    try {
      return OpenDirectory.open(this.#path);
    } catch (error) {
      return unlessMissing(error);
    }
  }

  /**
   * Makes the files of a commit the template, unless they are, or the file system cannot. The caller has the lock for spare
   * work trees.
   * @param files that nobody has used
   * @param making is not there yet, and beside them
   */
  async keep(files: string, state: TreeState, commit: string, making: string): Promise<void> {
    const known = await readFile(join(this.#path, COMMIT), 'latin1').catch(unlessMissing);
    if (known === commit) return;
    await mkdir(making, { mode: 0o700 });
    await writeFile(join(making, COMMIT), commit);
    if (!(await canReference(making))) {
      // To remove it as a tree would start a program, for every spare work tree.
      for (const name of [COMMIT, PROBE]) await rm(join(making, name), { force: true });
      return rmdir(making);
    }
    await copyByReference(files, join(making, FILES), this.#signal);
    await writeRecord(making, { ...state, ...(await looksOfAll(join(making, FILES), state)) });
    await removeRepository(this.#path);
    await rename(making, this.#path);
  }
}

async function canReference(directory: string): Promise<boolean> {
  const [from, to] = [join(directory, COMMIT), join(directory, PROBE)];
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EXDEV', 'EINVAL', 'ENOTTY'))
      return false;
    throw error;
  }
}

/** Never a hard link: a command that writes to one file would write to all. */
async function copyByReference(from: string, to: string, signal: AbortSignal): Promise<void> {
  const env = { PATH: SYSTEM_PATH.join(':'), LC_ALL: 'C' };
  const how = ['-R', '--no-dereference', '--no-target-directory', '--reflink=always'];
  await promisify(execFile)('cp', [...how, '--preserve=mode,timestamps', '--', from, to], {
    env,
    signal,
  });
}
