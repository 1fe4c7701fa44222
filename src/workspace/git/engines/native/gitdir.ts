// A git directory, made by hand: what `git init` makes depends on templates and settings.
import { constants } from 'node:fs';
import { copyFile, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../../../lib/errors.ts';
import { unlessMissing } from './cache-room.ts';

const DIRECTORIES = ['objects/pack', 'objects/info', 'refs/heads', 'refs/tags', 'info'];

/** Attributes of the repository change no byte of a file, and name no filter. Those of this file win over all others. */
export const ATTRIBUTES = '* -text -eol -crlf -ident -filter !working-tree-encoding\n';

const config = (remoteUrl: string): string =>
  [
    '[core]',
    '\trepositoryformatversion = 0',
    '\tfilemode = true',
    '\tbare = false',
    '\tlogallrefupdates = false',
    // For people who look at it; git is always given the address.
    '[remote "origin"]',
    `\turl = ${remoteUrl}`,
    '',
  ].join('\n');

/** Safe to repeat, also after it was interrupted. */
export async function makeGitdir(gitdir: string, remoteUrl: string): Promise<void> {
  const make = (directory: string) =>
    mkdir(join(gitdir, directory), { recursive: true, mode: 0o700 });
  await Promise.all(DIRECTORIES.map(make));
  await Promise.all([
    writeFile(join(gitdir, 'config'), config(remoteUrl)),
    writeFile(join(gitdir, 'info/attributes'), ATTRIBUTES),
    writeFile(join(gitdir, 'HEAD'), 'ref: refs/heads/main\n'),
  ]);
}

/**
 * The ref of a commit that was fetched with all its files: git fetches only what such commits do not have. In a sparse
 * repository: that was fetched with all its directories.
 */
export const keptRef = (commit: string): string => `refs/issuewright/${commit}`;

/** Commits whose history is missing from now on, and those whose history is there now. */
export interface HistoryChange {
  readonly shallow: readonly string[];
  readonly unshallow: readonly string[];
}

/** Gives refs to commits that were fetched. Each file is there as a whole or not at all. */
export async function recordFetched(
  gitdir: string,
  commits: readonly string[],
  { shallow, unshallow }: HistoryChange,
): Promise<void> {
  const cut = new Set([...(await shallowIn(gitdir)), ...shallow]);
  for (const commit of unshallow) cut.delete(commit);
  const path = join(gitdir, 'shallow');
  if (cut.size === 0) await rm(path, { force: true });
  else await replaceFile(path, `${[...cut].join('\n')}\n`);
  await mkdir(join(gitdir, keptRef('')), { recursive: true });
  for (const commit of commits) await replaceFile(join(gitdir, keptRef(commit)), `${commit}\n`);
}

/** The commits that have a ref. */
export async function commitsWithRef(gitdir: string): Promise<readonly string[]> {
  const names = (await readdir(join(gitdir, keptRef(''))).catch(unlessMissing)) ?? [];
  const isNamed = await Promise.all(names.map((name) => hasRef(gitdir, name)));
  return names.filter((_, at) => isNamed[at]);
}

export async function hasRef(gitdir: string, commit: string): Promise<boolean> {
  const text = await readFile(join(gitdir, keptRef(commit)), 'latin1').catch(unlessMissing);
  return text?.trim() === commit;
}

/** The commits whose history a repository lacks. */
export async function shallowIn(gitdir: string): Promise<readonly string[]> {
  const text = await readFile(join(gitdir, 'shallow'), 'latin1').catch(unlessMissing);
  return text?.match(/^[\da-f]{40}$/gm) ?? [];
}

/** Under the name that git gives such a file, too, so what is left of it is removed like git's. */
async function replaceFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.lock`, text);
  await rename(`${path}.lock`, path);
}

/** Git looks for a pack by its `.idx`, which therefore comes last. */
const PACK_FILE = /^(pack-[\da-f]{40})\.(pack|rev|idx)$/;
const ORDER = ['pack', 'rev', 'idx'];
const TRIES = 5;

/**
 * Links all packs of one directory of objects into another. Git never writes to a pack again, and a link outlives the file that
 * it was made of. Answers false if there are none, or they are being removed.
 */
export async function linkPacks(from: string, to: string): Promise<boolean> {
  const source = join(from, 'pack');
  const isMissing = (error: unknown): boolean => hasCode(error, 'ENOENT');
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      const names = packFilesIn(await readdir(source));
      for (const name of names) await linkFile(join(source, name), join(to, 'pack', name));
      return names.length > 0;
    } catch (error) {
      // Packs were joined meanwhile: what they hold is in another one by now.
      if (!isMissing(error)) throw error;
    }
  }
  return false;
}

function packFilesIn(names: readonly string[]): readonly string[] {
  const found = names.flatMap((name) => {
    const [, pack, kind = ''] = PACK_FILE.exec(name) ?? [];
    const isWhole = pack !== undefined && names.includes(`${pack}.pack`);
    return isWhole && names.includes(`${pack}.idx`) ? [{ name, rank: ORDER.indexOf(kind) }] : [];
  });
  return found.toSorted((one, other) => one.rank - other.rank).map(({ name }) => name);
}

/** A copy where no link is possible: on another file system. */
export async function linkFile(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    if (!hasCode(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP')) throw error;
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  }
}
