import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A repository whose tasks are imported, cloned without its files: only those that are named are read. */
export class ForeignTasks {
  readonly #clone: string;

  constructor(url: string, clone: string) {
    this.#clone = clone;
    rmSync(clone, { recursive: true, force: true });
    mkdirSync(path.dirname(clone), { recursive: true });
    execFileSync('git', ['clone', '--quiet', '--bare', url, clone]);
  }

  get commit(): string {
    return this.#git('rev-parse', 'HEAD').trim();
  }

  /** Below a folder. */
  files(folder: string): string[] {
    return this.#git('ls-tree', '-r', '-z', '--name-only', 'HEAD', `${folder}/`)
      .split('\0')
      .filter(Boolean);
  }

  read(name: string): string {
    return this.#git('show', `HEAD:${name}`);
  }

  #git(...words: readonly string[]): string {
    return execFileSync('git', [`--git-dir=${this.#clone}`, ...words], { encoding: 'utf8' });
  }
}

/** @param files beside `task.json`, by path */
export function writeTask(
  directory: string,
  task: object,
  files: Readonly<Record<string, string>>,
): void {
  rmSync(directory, { recursive: true, force: true });
  const all = { ...files, 'task.json': `${JSON.stringify(task, null, 2)}\n` };
  for (const [name, text] of Object.entries(all)) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
