// A three-way merge as `git merge` makes it, by git itself: with renames, modes, submodules and several merge bases.
import { MergeRejected } from '../../../lib/errors.ts';
import { notMerged, TOO_MANY_BASES } from '../../../session/texts/merges.ts';
import { shallowIn } from '../engines/native/gitdir.ts';
import { askGit, runGit, LimitReached, type NativePlace } from '../engines/native/native-git.ts';
import { TooManyBytes } from '../http-client.ts';

/** A path as one side has it. */
export interface SideFile {
  readonly mode: string;
  readonly oid: string;
}

/** What git could not merge at a path. */
export interface TreeConflict {
  readonly path: string;
  /** Missing if that side has no file there. */
  readonly base?: SideFile;
  readonly ours?: SideFile;
  readonly theirs?: SideFile;
}

export interface TreeMerge {
  /** With markers in the files that have conflicts. */
  readonly tree: string;
  /** By path; none if it is clean. */
  readonly conflicts: readonly TreeConflict[];
  /** What git says of them, one line each. */
  readonly messages: readonly string[];
  /** The best common ancestors. */
  readonly bases: readonly string[];
}

export interface Sides {
  /** Commits. */
  readonly ours: string;
  readonly theirs: string;
}

/** `deeper`: the history that is here does not tell; `contained`: ours has all of theirs already. */
export type Relation = 'deeper' | 'contained' | 'diverged';

/**
 * How two commits are related, as far as a shallow history tells. A commit whose parents are missing hides no common
 * ancestor if both sides have it; between several merge bases, git looks further back.
 */
export async function relationOf(place: NativePlace, sides: Sides): Promise<Relation> {
  const { ours, theirs } = sides;
  const contained = await runGit(place, 'merge-base', '--is-ancestor', theirs, ours);
  if (contained.exitCode === 0) return 'contained';
  const shallow = new Set(await shallowIn(place.gitdir));
  if (shallow.size === 0) return 'diverged';
  const oneSided = linesOf(await askGit(place, 'rev-list', `${ours}...${theirs}`));
  if (oneSided.some((commit) => shallow.has(commit))) return 'deeper';
  return (await commonAncestors(place, sides)).length > 1 ? 'deeper' : 'diverged';
}

/** Git merges them with one another first, each with all their files. Real histories have a few. */
const MOST_BASES = 32;

/**
 * The merge bases of two commits with their whole history.
 * @throws {MergeRejected} if there are too many: a history of a few kB can have thousands
 */
export async function basesOf(place: NativePlace, sides: Sides): Promise<string[]> {
  const bases = await commonAncestors(place, sides);
  if (bases.length > MOST_BASES) throw new MergeRejected(TOO_MANY_BASES);
  return bases;
}

const commonAncestors = async (place: NativePlace, { ours, theirs }: Sides): Promise<string[]> =>
  linesOf((await runGit(place, 'merge-base', '--all', ours, theirs)).output);

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

const CONFLICTS = 1;
const UNRELATED = 'unrelated histories';

/**
 * Merges `theirs` into `ours`, and writes the tree of the result. Markers name ours `HEAD`, and theirs by its branch, as
 * `git merge` does.
 */
export async function mergeTrees(
  place: NativePlace,
  sides: Sides,
  branch: string,
): Promise<TreeMerge> {
  const bases = await basesOf(place, sides);
  const label = /^[\w][\w./+-]*$/.test(branch) ? branch : 'base';
  await askGit(place, 'update-ref', '--no-deref', 'HEAD', sides.ours);
  await askGit(place, 'update-ref', `refs/heads/${label}`, sides.theirs);
  const merged = await runGit(place, 'merge-tree', '--write-tree', '-z', 'HEAD', label);
  if (merged.exitCode === 0 || merged.exitCode === CONFLICTS)
    return { ...readMergeTree(merged.output), bases };
  if (merged.errors.includes(UNRELATED))
    throw new MergeRejected(
      `\`${branch}\` and the branch of the pull request have no commit in common, so git cannot merge them. Merge them by hand, or close the pull request and request the work again.`,
    );
  throw new Error(`git merge-tree exited with ${merged.exitCode}: ${merged.errors.slice(-500)}`);
}

/** What a step of a merge resolves with. @throws {MergeRejected} if git needs more for it than it may take, or its files are too large */
export async function withinMergeLimits<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof LimitReached || error instanceof TooManyBytes)) throw error;
    throw new MergeRejected(notMerged(error.message), { cause: error });
  }
}

const STAGES = ['base', 'ours', 'theirs'] as const;

/** The output of `git merge-tree -z`: a tree, files with conflicts, and messages with the paths they are about. */
function readMergeTree(output: string): Omit<TreeMerge, 'bases'> {
  const [tree = '', ...fields] = output.split('\0');
  const end = fields.indexOf('');
  const files = end === -1 ? fields : fields.slice(0, end);
  const conflicts = new Map<string, TreeConflict>();
  for (const line of files) {
    const [, mode, oid, stage, name] = /^(\d+) ([\da-f]+) ([123])\t(.*)$/s.exec(line) ?? [];
    const side = STAGES[Number(stage) - 1];
    if (mode === undefined || oid === undefined || name === undefined || side === undefined)
      continue;
    const path = Buffer.from(name, 'latin1').toString();
    conflicts.set(path, { ...conflicts.get(path), path, [side]: { mode, oid } });
  }
  const messages = end === -1 ? [] : messagesIn(fields.slice(end + 1));
  return { tree: tree.trim(), conflicts: [...conflicts.values()], messages };
}

/** Each: the number of its paths, the paths, its kind, its words. */
function messagesIn(fields: readonly string[]): string[] {
  const messages: string[] = [];
  for (let at = 0; at < fields.length;) {
    const count = Number(fields[at]);
    if (!Number.isSafeInteger(count) || fields[at] === '') break;
    const kind = fields[at + count + 1] ?? '';
    const words = fields[at + count + 2] ?? '';
    if (kind.startsWith('CONFLICT')) messages.push(Buffer.from(words, 'latin1').toString().trim());
    at += count + 3;
  }
  return messages;
}
