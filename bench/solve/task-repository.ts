// Makes the repository of a task: one commit that the agent gets, and one with the tests that judge.
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Task } from './task.ts';

const run = promisify(execFile);

/** References of the repository that `makeTaskRepository` makes; `solution` is missing if none is known. */
export const START = 'refs/heads/start';
export const JUDGE = 'refs/heads/judge';
export const SOLUTION = 'refs/heads/solution';

export interface TaskCommits {
  /** A bare repository. */
  readonly gitdir: string;
  readonly start: string;
  readonly judge: string;
  readonly solution: string | undefined;
}

const WHEN = '2026-01-01T00:00:00Z';
const IDENTITY = Object.fromEntries(
  ['AUTHOR', 'COMMITTER'].flatMap((who) => [
    [`GIT_${who}_NAME`, 'bench'],
    [`GIT_${who}_EMAIL`, 'bench@example.test'],
    [`GIT_${who}_DATE`, WHEN],
  ]),
);

/** Plain git, with the settings of whoever started this: so mirrors work by `url.….insteadOf`. */
export async function git(
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<string> {
  const env = { ...process.env, ...IDENTITY, ...environment };
  const { stdout } = await run('git', words, { env, maxBuffer: 256 * 1024 * 1024 });
  return stdout.trim();
}

/** Fetches what is not there yet. `work`: keeps what was fetched. */
export async function makeTaskRepository(task: Task, work: string): Promise<TaskCommits> {
  const gitdir = path.join(work, 'tasks', `${task.id}.git`);
  rmSync(gitdir, { recursive: true, force: true });
  mkdirSync(gitdir, { recursive: true });
  await git(['init', '--quiet', '--bare', gitdir]);
  const scratch = mkdtempSync(path.join(tmpdir(), 'bench-solve-'));
  try {
    const trees = new TreeMaker(gitdir, scratch, work);
    const { start, fixed } = await trees.ofSource(task);
    const hidden = await trees.hidden(task, fixed);
    const own = await trees.commit(await trees.without(start, task.without), START);
    const judge = await trees.commit(await trees.over(own, hidden), JUDGE);
    const solved = fixed && (await trees.over(await trees.without(fixed, task.without), hidden));
    const solution = solved && (await trees.commit(solved, SOLUTION));
    return { gitdir, start: own, judge, solution };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

class TreeMaker {
  readonly #gitdir: string;
  readonly #scratch: string;
  readonly #work: string;
  readonly #index: { readonly GIT_INDEX_FILE: string };

  constructor(gitdir: string, scratch: string, work: string) {
    this.#gitdir = gitdir;
    this.#scratch = scratch;
    this.#work = work;
    this.#index = { GIT_INDEX_FILE: path.join(scratch, 'index') };
  }

  async ofSource({
    source,
    directory,
  }: Task): Promise<{ readonly start: string; readonly fixed: string | undefined }> {
    if ('folder' in source)
      return { start: await this.#ofFolder(path.join(directory, source.folder)), fixed: undefined };
    const read = 'git' in source ? this.#fetch(source.git) : this.#pack(source.npm);
    return { start: await read(source.start), fixed: await read(source.fixed) };
  }

  /** A listing of the hidden tests, as `update-index` reads it. */
  async hidden(task: Task, fixed: string | undefined): Promise<string> {
    const own = path.join(task.directory, 'hidden');
    const tree = existsSync(own) ? await this.#ofFolder(own) : undefined;
    const ofFixed =
      fixed === undefined || task.hidden.length === 0
        ? ''
        : await this.#git(['ls-tree', '-r', '--full-tree', fixed, '--', ...task.hidden]);
    const ofOwn = tree === undefined ? '' : await this.#git(['ls-tree', '-r', tree]);
    return [ofFixed, ofOwn].filter(Boolean).join('\n');
  }

  async without(tree: string, paths: readonly string[]): Promise<string> {
    if (paths.length === 0) return tree;
    await this.#git(['read-tree', tree]);
    await this.#git(['rm', '-r', '--cached', '--quiet', '--ignore-unmatch', '--', ...paths]);
    return this.#git(['write-tree']);
  }

  async over(tree: string, listing: string): Promise<string> {
    await this.#git(['read-tree', tree]);
    for (const line of listing.split('\n').filter(Boolean)) {
      const [, mode = '', oid = '', name = ''] = /^(\d+) \w+ (\w+)\t(.*)$/.exec(line) ?? [];
      await this.#git(['update-index', '--add', '--replace', '--cacheinfo', mode, oid, name]);
    }
    return this.#git(['write-tree']);
  }

  async commit(tree: string, ref: string): Promise<string> {
    const commit = await this.#git(['commit-tree', '-m', 'The state before the change', tree]);
    await this.#git(['update-ref', ref, commit]);
    return commit;
  }

  #fetch(url: string): (commit: string) => Promise<string> {
    return async (commit) => {
      await this.#git(['fetch', '--quiet', '--depth=1', '--no-tags', url, commit]);
      return this.#git(['rev-parse', 'FETCH_HEAD^{tree}']);
    };
  }

  #pack(name: string): (version: string) => Promise<string> {
    return async (version) => {
      const packs = path.join(this.#work, 'packages');
      mkdirSync(packs, { recursive: true });
      const words = ['pack', '--silent', '--pack-destination', packs, `${name}@${version}`];
      const { stdout } = await run('npm', words, { cwd: this.#scratch });
      const into = mkdtempSync(path.join(this.#scratch, 'package-'));
      const file = path.join(packs, stdout.trim().split('\n').at(-1) ?? '');
      await run('tar', ['-xzf', file, '-C', into, '--strip-components=1']);
      return this.#ofFolder(into);
    };
  }

  async #ofFolder(folder: string): Promise<string> {
    const copy = mkdtempSync(path.join(this.#scratch, 'folder-'));
    cpSync(folder, copy, { recursive: true });
    await this.#git(['read-tree', '--empty']);
    await this.#git([`--work-tree=${copy}`, 'add', '--all', '--force', '.'], copy);
    return this.#git(['write-tree']);
  }

  #git(words: readonly string[], directory?: string): Promise<string> {
    const where = directory === undefined ? [] : ['-C', directory];
    return git([...where, `--git-dir=${this.#gitdir}`, ...words], this.#index);
  }
}
