// The base branch, merged into the work tree of a workspace before anything else happens in it.
import type {
  CommitInShort,
  ConflictSide,
  MergeConflict,
  WorkspaceMerge,
} from '../contracts/git.ts';
import { MergeRejected, TellPerson } from '../lib/errors.ts';
import { quoted } from '../lib/text/invisible.ts';
import type { GitClient } from './git/client.ts';
import { reachRemote, type Credentials } from './git/credentials.ts';
import type { GitSettings } from './git/engines/choose-engine.ts';
import type { ClonedPaths, OperationRequest } from './git/operations.ts';
import { mergeSparse, type FetchFiles } from './git/sparse/sparse-merge.ts';
import { requireMergingGit, runGit, type NativePlace } from './git/engines/native/native-git.ts';
import { bytesOfFiles } from './git/engines/native/fetch-pack.ts';
import { TOO_LARGE_TO_MERGE } from '../session/texts/merges.ts';
import {
  mergeTrees,
  relationOf,
  withinMergeLimits,
  type Relation,
  type Sides,
  type SideFile,
  type TreeConflict,
  type TreeMerge,
} from './git/merge/three-way-merge.ts';
import type { UnresolvedFile } from './git/merge/open-merge.ts';

export interface MergeRequest {
  /** The full SHA of what is merged. */
  readonly theirs: string;
  /** Its branch, for markers and messages. */
  readonly branch: string;
}

interface MergeOptions extends NativePlace {
  readonly baseCommit: string;
  readonly credentials: Credentials;
  readonly git: Pick<GitSettings, 'maxBytes'>;
  /** The only directories that the work tree has; all if omitted. */
  readonly sparse?: readonly string[] | undefined;
}

const FETCH_MS = 300_000;
const MERGE_MS = 120_000;
/** Commits of each side, until the common ancestors are known; the last one is git's word for all. */
const DEPTHS = [50, 500, 5_000, 2 ** 31 - 1];

interface MergedTree {
  readonly merge: WorkspaceMerge;
  readonly cloned?: ClonedPaths;
}

/**
 * The same commits give the same files each time, so a merge that was interrupted begins again.
 * @throws {MergeRejected} if only people can change something about it; {MergedCommitGone}; what `reachRemote` throws
 */
export const mergeInto = (
  client: GitClient,
  options: MergeOptions,
  request: MergeRequest,
): Promise<MergedTree> => withinMergeLimits(merged(client, options, request));

async function merged(
  client: GitClient,
  options: MergeOptions,
  { theirs, branch }: MergeRequest,
): Promise<MergedTree> {
  await requireMergingGit();
  const sides = { ours: options.baseCommit, theirs };
  const none = { theirs, branch, conflicts: [], paths: [], messages: [] };
  if ((await fetchHistory(client, options, sides)) === 'contained')
    return { merge: { ...none, result: 'contained' } };
  const { sparse } = options;
  const done =
    sparse === undefined
      ? await mergeTrees(options, sides, branch)
      : await mergeSparse(options, { ...sides, branch, sparse }, fetchWithinLimit(client, options));
  const { tree, conflicts, messages } = done;
  const cloned = await putMerged(client, { tree, theirs, conflicts });
  if (conflicts.length === 0) return { merge: { ...none, result: 'clean' }, cloned };
  const described = await describeConflicts(options, sides, done);
  const paths = conflicts.map(({ path }) => path);
  const result = 'conflicts';
  return { merge: { ...none, result, conflicts: described, paths, messages }, cloned };
}

/** Asks no server: whatever keeps the tree from the workspace concerns this merge. */
async function putMerged(client: GitClient, put: OperationRequest<'merge'>): Promise<ClonedPaths> {
  try {
    return await client.call('merge', put, MERGE_MS);
  } catch (error) {
    if (!(error instanceof TellPerson) || error instanceof MergeRejected) throw error;
    throw new MergeRejected(error.message, { cause: error });
  }
}

async function fetchHistory(
  client: GitClient,
  options: MergeOptions,
  sides: Sides,
): Promise<Relation> {
  const commits = [sides.ours, sides.theirs];
  for (const depth of DEPTHS) {
    await reachRemote({ ...options, access: 'read', signal: client.signal }, (token) =>
      client.call('deepen', { commits, depth, token }, FETCH_MS),
    );
    const relation = await relationOf(options, sides);
    if (relation !== 'deeper') return relation;
  }
  throw new MergeRejected(
    'Git cannot tell from the history of the repository what the two branches have in common. Merge them by hand.',
  );
}

/** Fetches files for one merge, within `maxBytes` in total. */
function fetchWithinLimit(client: GitClient, options: MergeOptions): FetchFiles {
  let left = options.git.maxBytes;
  return async (oids) => {
    const wanted = { oids, maxBytes: left, isForMerge: true };
    const fetched = await reachRemote(
      { ...options, access: 'read', signal: client.signal },
      (token) => client.call('fetchMissing', { ...wanted, token }, FETCH_MS),
    );
    left -= fetched === 'fetched' ? await bytesOfFiles(options, oids) : left;
    if (left <= 0) throw new MergeRejected(TOO_LARGE_TO_MERGE);
  };
}

const MOST_DESCRIBED = 20;
const MOST_COMMITS = 8;
const MOST_SUBJECT = 120;
const MOST_HUNKS = 4_000;

async function describeConflicts(
  place: NativePlace,
  { ours, theirs }: Sides,
  { conflicts, bases, tree }: TreeMerge,
): Promise<readonly MergeConflict[]> {
  const described: MergeConflict[] = [];
  for (const conflict of conflicts.slice(0, MOST_DESCRIBED)) {
    const side = async (tip: string, file: SideFile | undefined): Promise<ConflictSide> => ({
      did: whatDid(conflict.base, file),
      hunks: await hunksBetween(place, conflict.base, file),
      commits: await commitsOn(place, { tip, bases, path: conflict.path }),
    });
    described.push({
      path: conflict.path,
      ours: await side(ours, conflict.ours),
      theirs: await side(theirs, conflict.theirs),
      hasMarkers: await hasMarkers(place, tree, conflict),
      isSubmodule: sidesOf(conflict).some(({ mode }) => mode === SUBMODULE),
    });
  }
  return described;
}

const SUBMODULE = '160000';

const sidesOf = ({ base, ours, theirs }: TreeConflict): SideFile[] =>
  [base, ours, theirs].filter((side) => side !== undefined);

function whatDid(base: SideFile | undefined, file: SideFile | undefined): ConflictSide['did'] {
  if (base === undefined) return file === undefined ? 'nothing' : 'added';
  if (file === undefined) return 'deleted';
  return base.oid === file.oid && base.mode === file.mode ? 'nothing' : 'changed';
}

/** What became of the file on this side; all of it if the side added it. */
async function hunksBetween(
  place: NativePlace,
  base: SideFile | undefined,
  file: SideFile | undefined,
): Promise<string> {
  const isText = [base, file].every((side) => side?.mode !== SUBMODULE);
  if (file === undefined || !isText || base?.oid === file.oid) return '';
  const from = base?.oid ?? (await emptyBlob(place));
  const options = ['--no-ext-diff', '--no-textconv', '--no-color', '--unified=3'];
  const { output } = await runGit(place, 'diff', ...options, from, file.oid);
  const hunks = output.indexOf('\n@@ ');
  if (hunks === -1) return '';
  const text = Buffer.from(output.slice(hunks + 1), 'latin1').toString();
  return text.length <= MOST_HUNKS
    ? text
    : `${text.slice(0, MOST_HUNKS).toWellFormed()}\n… (cut)\n`;
}

const emptyBlob = async (place: NativePlace): Promise<string> =>
  (await runGit(place, 'hash-object', '-t', 'blob', '-w', '/dev/null')).output.trim();

const FIELD = '\u001F';

async function commitsOn(
  place: NativePlace,
  { tip, bases, path }: { tip: string; bases: readonly string[]; path: string },
): Promise<readonly CommitInShort[]> {
  const format = `--format=%H${FIELD}%an${FIELD}%s`;
  const range = [tip, ...bases.map((base) => `^${base}`)];
  const limit = `--max-count=${MOST_COMMITS}`;
  const { output } = await runGit(place, 'log', limit, format, ...range, '--', `:(literal)${path}`);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [sha = '', author = '', subject = ''] = Buffer.from(line, 'latin1')
        .toString()
        .split(FIELD);
      return { sha, author, subject: subject.slice(0, MOST_SUBJECT).toWellFormed() };
    });
}

/** Git gives markers to a text that both sides have. */
async function hasMarkers(
  place: NativePlace,
  tree: string,
  conflict: TreeConflict,
): Promise<boolean> {
  if (sidesOf(conflict).some(({ mode }) => mode === SUBMODULE || mode === '120000')) return false;
  const { exitCode, output } = await runGit(place, 'cat-file', 'blob', `${tree}:${conflict.path}`);
  return (
    exitCode === 0 && !output.includes('\0') && /^<{7,} /m.test(output) && /^>{7,} /m.test(output)
  );
}

const MOST_NAMED = 20;

/** What the model is told when it commits too early. */
export function unresolvedWords(open: readonly UnresolvedFile[]): string {
  const listed = (why: UnresolvedFile['why']): string => {
    const paths = open.filter((one) => one.why === why).map(({ path }) => quoted(path));
    const more = paths.length > MOST_NAMED ? `, and ${paths.length - MOST_NAMED} more` : '';
    return paths.length === 0 ? '' : `${paths.slice(0, MOST_NAMED).join(', ')}${more}`;
  };
  const [markers, undecided] = [listed('markers'), listed('undecided')];
  return [
    'Nothing was committed: the merge is not resolved.',
    markers === ''
      ? ''
      : `These files still have conflict markers: ${markers}. Edit them until both sides' intent is in them.`,
    undecided === ''
      ? ''
      : `Nothing was decided about these paths, which have no markers: ${undecided}. Edit or delete them, or name them in \`files\` of commit to keep them as they are.`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}
