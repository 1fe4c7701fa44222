// Repositories that come from elsewhere: a folder of this machine or an address.
import { existsSync } from 'node:fs';
import { readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { GitHubError } from '../github-error.ts';
import { GitFailed } from './git.ts';
import { RepositoryGit } from './repository.ts';

/**
 * Clones the branches and tags of `source`, an absolute path or an http(s) address. Resolves with the branch that it is on.
 * Rejects with an error for people, and leaves nothing behind, if it cannot.
 */
export async function importRepository(target: RepositoryGit, source: string): Promise<string> {
  const from = new RepositoryGit(await addressOf(source));
  if (existsSync(target.directory))
    throw new GitHubError(
      'own',
      422,
      `The folder ${target.directory} is there already, but the local GitHub knows no repository in it: an addition may have been killed. Look into it, then move it away or delete it, or choose another name with --name.`,
    );
  try {
    await target.copy(from);
    const head = await readFile(path.join(target.directory, 'HEAD'), 'utf8');
    const [, branch] = /^ref: refs\/heads\/(.+)$/m.exec(head) ?? [];
    if (branch !== undefined && (await target.head(branch)) !== undefined) return branch;
    throw new GitHubError(
      'own',
      422,
      `${source} is on no branch that has a commit. Check out a branch there, commit something, and add it again.`,
    );
  } catch (error) {
    await rm(target.directory, { recursive: true, force: true });
    if (!(error instanceof GitFailed)) throw error;
    const reason = error.stderr.trim().split('\n').at(-1) ?? '';
    throw new GitHubError(
      'own',
      422,
      `git could not clone ${source} (${reason}). It must be the folder of a git repository, or an http(s) address that git can read without asking for a password.`,
    );
  }
}

/** A folder is read as an address, so that no file is shared with it. */
async function addressOf(source: string): Promise<string> {
  if (/^https?:\/\//.test(source)) return source;
  const isFolder = path.isAbsolute(source) && (await stat(source).catch(() => undefined));
  if (!isFolder) throw new GitHubError('own', 422, `There is no folder ${source}.`);
  return pathToFileURL(source).href;
}
