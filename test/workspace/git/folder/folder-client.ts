// A client of a served folder: git in a repository of its own, without settings.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TellPerson } from '../../../../src/lib/errors.ts';
import { basicAuthorization } from '../../../../src/workspace/git/credentials.ts';

export const BRANCH = 'issuewright/a-task';

const run = promisify(execFile);

/**
 * Pushes a commit on top of another one to the branch, and answers it. It has the files of that one, or `files` of its own.
 * @throws {TellPerson} with what git says if the push is rejected
 */
export async function pushCommit(
  { url, token }: { url: string; token: string },
  commit: string,
  files = 0,
): Promise<string> {
  const own = mkdtempSync(join(tmpdir(), 'client-'));
  const env = {
    PATH: process.env['PATH'],
    HOME: own,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_COUNT: '3',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: ${basicAuthorization(token)}`,
    GIT_CONFIG_KEY_1: 'user.name',
    GIT_CONFIG_VALUE_1: 'A client',
    GIT_CONFIG_KEY_2: 'user.email',
    GIT_CONFIG_VALUE_2: 'client@example.test',
  };
  const git = async (...words: string[]): Promise<string> =>
    (await run('git', words, { cwd: own, env })).stdout.trim();
  try {
    await git('init', '-q', '--bare', '--template=');
    await git('fetch', '-q', '--depth=1', url, commit);
    const tree = files === 0 ? `${commit}^{tree}` : await treeOf(files, own, git);
    const made = await git('commit-tree', '-p', commit, '-m', 'Made', tree);
    await git('push', '-q', url, `${made}:refs/heads/${BRANCH}`);
    return made;
  } catch (error) {
    const said = String(Reflect.get(error as object, 'stderr') ?? '');
    throw /rejected/.test(said) ? new TellPerson(said) : error;
  } finally {
    rmSync(own, { recursive: true });
  }
}

/** A tree of so many files, each with a number in it. */
async function treeOf(
  files: number,
  own: string,
  git: (...words: string[]) => Promise<string>,
): Promise<string> {
  mkdirSync(join(own, 'files'));
  for (let at = 0; at < files; at += 1) writeFileSync(join(own, 'files', `${at}.txt`), `${at}\n`);
  await git('--work-tree=files', 'add', '--all');
  return git('write-tree');
}
