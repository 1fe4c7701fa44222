// The references of a repository that someone else may have made, read and written as the files that they are. Names are
// text of one character for each byte, as git's own output is read.
import { hasCode } from '../../../lib/errors.ts';
import type { FoundRepository } from './find-repository.ts';
import type { GitDirectory } from './git-directory.ts';

const COMMIT = /^([\da-f]{40})\s*$/;
const SYMBOLIC = /^ref:\s*(\S+)\s*$/;
const LONGEST_REFERENCE = 4096;
const PACKED_BYTES = 256 * 1024 * 1024;

/** Names to objects. Those that lead nowhere are left out. */
export type References = ReadonlyMap<string, string>;

/** @throws {TellPerson} if one is a link or no file */
export function readReferences(common: GitDirectory): References {
  const found = new Map<string, string>();
  const packed = common.read('packed-refs', PACKED_BYTES)?.toString('latin1') ?? '';
  for (const [, object = '', name = ''] of packed.matchAll(/^([\da-f]{40}) (\S+)$/gm))
    if (isName(name)) found.set(name, object);
  const symbolic = new Map<string, string>();
  for (const path of common.files('refs')) {
    const name = Buffer.from(path).toString('latin1');
    if (!isName(name)) continue;
    const text = common.read(path, LONGEST_REFERENCE)?.toString('latin1') ?? '';
    const [, object] = COMMIT.exec(text) ?? [];
    const [, target] = SYMBOLIC.exec(text) ?? [];
    found.delete(name);
    if (object !== undefined) found.set(name, object);
    else if (target !== undefined) symbolic.set(name, target);
  }
  for (const [name, target] of symbolic) {
    const object = found.get(symbolic.get(target) ?? target);
    if (object !== undefined) found.set(name, object);
  }
  return found;
}

/** By the rules of git-check-ref-format, as far as it matters where a name is a path. */
const isName = (name: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- none may be in a name
  /^refs(?:\/(?!\.)[^\u0000-\u0020\u007f~^:?*[\\/]+)+$/.test(name) &&
  !/\.\.|@\{|\.lock(?:\/|$)/.test(name);

export interface CheckedOut {
  /** Of a reference; `undefined` if a commit is checked out without one. */
  readonly name: string | undefined;
  /** `undefined` if the branch has no commit yet. */
  readonly commit: string | undefined;
}

export function readHead(gitdir: GitDirectory, references: References): CheckedOut {
  const text = gitdir.read('HEAD', LONGEST_REFERENCE)?.toString('latin1') ?? '';
  const [, commit] = COMMIT.exec(text) ?? [];
  if (commit !== undefined) return { name: undefined, commit };
  const [, name = ''] = SYMBOLIC.exec(text) ?? [];
  return { name, commit: references.get(name) };
}

type Shared = Pick<FoundRepository, 'common' | 'settings'>;

/** The references that are checked out in a work tree, whether they exist or not. */
export function checkedOut({ common, settings }: Shared): readonly string[] {
  const others = common.list('worktrees').map(({ name }) => `worktrees/${name}/HEAD`);
  return [...(settings.isBare ? [] : ['HEAD']), ...others].flatMap((path) => {
    const text = common.read(path, LONGEST_REFERENCE)?.toString('latin1') ?? '';
    return SYMBOLIC.exec(text)?.[1] ?? [];
  });
}

/** Why a reference was not moved, as the end of git's own line about it. */
export class NotMoved extends Error {
  override readonly name = 'NotMoved';
}

export interface ReferenceMove {
  readonly name: string;
  /** `undefined`: it is new. */
  readonly from: string | undefined;
  readonly to: string;
}

/**
 * Moves a reference, if it is where it was. Nothing is checked out and nothing logged.
 * @throws {NotMoved} @throws {TellPerson} if something on the way is a link
 */
export function moveReference(repository: Shared, { name, from, to }: ReferenceMove): void {
  const { common } = repository;
  const path = Buffer.from(name, 'latin1').toString();
  try {
    common.replace(path, () => {
      if (checkedOut(repository).includes(name)) throw new NotMoved(`${name} is checked out`);
      const text = common.read(path, LONGEST_REFERENCE)?.toString('latin1');
      if (text !== undefined && SYMBOLIC.test(text))
        throw new NotMoved(`${name} is a symbolic reference`);
      if (readReferences(common).get(name) !== from)
        throw new NotMoved('failed to update ref: it was moved meanwhile');
      return `${to}\n`;
    });
  } catch (error) {
    if (!hasCode(error, 'EEXIST', 'EISDIR', 'ENOTEMPTY')) throw error;
    throw new NotMoved(
      hasCode(error, 'EEXIST')
        ? 'cannot lock ref: another process is writing it'
        : `there are references below ${name}`,
      { cause: error },
    );
  }
}
