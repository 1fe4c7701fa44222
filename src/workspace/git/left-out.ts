import { lstatSync, renameSync, unlinkSync } from 'node:fs';
import { unlessItFails } from '../../lib/unless-it-fails.ts';
import type { StoredChange } from '../../contracts/files.ts';
import type { ContainedTree } from '../files/contained-tree.ts';
import { openToUs, type Skipped } from '../files/walk-tree.ts';
import { removeTreeSync } from '../remove-tree.ts';
import { fingerprint } from './work-tree-changes.ts';

const IGNORE_FILE = '.gitignore';
/** Longer files are ignored. */
const MAX_BYTES = 256n * 1024n;

interface IgnoreFile {
  readonly looks: string;
  readonly size: bigint;
  /** `undefined`: too long to be kept. */
  content?: StoredChange | undefined;
}

/** As `Skipped`, with what is compared of its state. */
interface SkippedFile extends Omit<Skipped, 'stats'> {
  readonly size: bigint;
  readonly mtimeNs: bigint;
}

/** Plain data. */
export interface LeftOutState {
  readonly repositories: Set<string>;
  readonly skipped: Map<string, SkippedFile>;
  /** Those that are ignored, often by themselves. */
  readonly ignoreFiles: Map<string, IgnoreFile>;
}

/** What a walk left out of the files that may be committed: to say what a command made of it, and to undo that. */
export class LeftOutFiles {
  readonly found: LeftOutState;

  constructor(found?: LeftOutState) {
    this.found = found ?? { repositories: new Set(), skipped: new Map(), ignoreFiles: new Map() };
  }

  get repositories(): ReadonlySet<string> {
    return this.found.repositories;
  }

  get #skipped(): LeftOutState['skipped'] {
    return this.found.skipped;
  }

  get #ignoreFiles(): LeftOutState['ignoreFiles'] {
    return this.found.ignoreFiles;
  }

  readonly listeners = {
    onRepository: (directory: string): void => void this.found.repositories.add(directory),
    onSkipped: ({ path, name, why, stats }: Skipped): void => {
      const { size, mtimeNs } = stats;
      const key = `${why} ${path}/${name}`;
      if (why !== 'ignored') this.#skipped.set(key, { path, name, why, size, mtimeNs });
      else if (name === IGNORE_FILE)
        this.#ignoreFiles.set(path, { looks: fingerprint(stats), size: stats.size });
    },
  };

  /** Makes it possible to restore the ignored files of rules. */
  keep(tree: ContainedTree): void {
    for (const [path, file] of this.#ignoreFiles)
      if (file.size <= MAX_BYTES) file.content = readAt(tree, path);
  }

  since(before: LeftOutFiles) {
    const made = this.#madeSince(before);
    const named = (found: readonly SkippedFile[], why: Skipped['why']): string[] =>
      found.filter((each) => each.why === why).map(({ path }) => path);
    // The base may have such names, and submodules have files: no commit takes what becomes of them.
    const changed = [...this.#skipped].flatMap(([key, each]) =>
      before.#skipped.has(key) && !isAsIn(each, before.#skipped.get(key)) ? [each] : [],
    );
    const all = [...made, ...changed, ...before.#madeSince(this)];
    const repositories = [...this.repositories].filter((path) => !before.repositories.has(path));
    return {
      repositories,
      names: named(all, 'name'),
      special: named(made, 'kind'),
      submodules: named(all, 'submodule'),
      gitNames: named(made, 'git'),
    };
  }

  /** Whether what hid files is different: a repository is gone, or an ignored file of rules has changed. */
  mayUncoverSince(before: LeftOutFiles): boolean {
    const rules = [...before.#ignoreFiles].some(
      ([path, { looks }]) => this.#ignoreFiles.get(path)?.looks !== looks,
    );
    return rules || [...before.repositories].some((path) => !this.repositories.has(path));
  }

  removeSince(before: LeftOutFiles, tree: ContainedTree): void {
    for (const skipped of this.#madeSince(before)) remove(tree, skipped);
  }

  /** Returns whether anything had to be done. */
  revertIgnoreFiles(before: LeftOutFiles, tree: ContainedTree): boolean {
    const made = [...this.#ignoreFiles].filter(([path, { looks }]) => {
      const was = before.#ignoreFiles.get(path);
      return was === undefined || (was.content === undefined && was.looks !== looks);
    });
    const gone = [...before.#ignoreFiles].filter(
      ([path, { content }]) =>
        content !== undefined &&
        tree.exists(path.split('/').slice(0, -1)) &&
        !isEqual(content, readAt(tree, path)),
    );
    for (const [path] of made) tree.remove(path.split('/'));
    for (const [path, { content }] of gone) {
      const names = path.split('/');
      if (tree.exists(names) && tree.kind(names) === 'directory') tree.at(names, removeTreeSync);
      if (content !== undefined) tree.restore(names, content);
    }
    return made.length + gone.length > 0;
  }

  #madeSince(before: LeftOutFiles): SkippedFile[] {
    return [...this.#skipped].flatMap(([key, each]) => (before.#skipped.has(key) ? [] : [each]));
  }
}

function remove(tree: ContainedTree, { path, name, why }: SkippedFile): void {
  const names = path.split('/');
  if (why === 'kind' || why === 'submodule') return tree.remove(names);
  if (why === 'git') return tree.at(names, removeTreeSync);
  // Other programs take no such name.
  const other = [...names.slice(0, -1), '.issuewright-undecodable'];
  tree.at(other, (place) => {
    const parent = place.slice(0, place.lastIndexOf('/') + 1);
    renameSync(Buffer.concat([Buffer.from(parent), Buffer.from(name, 'latin1')]), place);
    if (lstatSync(place).isDirectory()) {
      openToUs(place);
      removeTreeSync(place);
    } else unlinkSync(place);
  });
}

/** A new owner alone is no change. */
const isAsIn = ({ size, mtimeNs }: SkippedFile, before: SkippedFile | undefined): boolean =>
  size === before?.size && mtimeNs === before.mtimeNs;

/** `undefined` if it is closed to us. */
const readAt = (tree: ContainedTree, path: string): StoredChange | undefined =>
  unlessItFails(() => tree.capture(path.split('/'), Number(MAX_BYTES)));

const isEqual = (one: StoredChange, other: StoredChange | undefined): boolean =>
  one.mode === other?.mode &&
  Buffer.compare(one.content ?? Buffer.of(), other.content ?? Buffer.of()) === 0;
