import { posix } from 'node:path';
import type { ProbotOctokit } from 'probot';
import { TellPerson, unless } from '../lib/errors.ts';
import { followLinks, type IsClosed, type LinkAt } from '../lib/target-of.ts';
import { ifFound, NotInstalled } from './errors.ts';

const LONGEST_FILE = 65_536;

/**
 * The text of a file on the default branch; `undefined` if there is none.
 * @throws {TellPerson} if the path is not a file, or the file is larger than 64 KB
 * @throws {LinkFault} if it leads out of the repository, in a circle, to nothing, or to a path that is closed
 */
export async function readRepositoryFile(
  octokit: ProbotOctokit,
  { owner, name: repo }: { readonly owner: string; readonly name: string },
  path: string,
  isClosed?: IsClosed,
): Promise<string | undefined> {
  const at = { owner, repo };
  const place = await followLinks(path, linkIn(octokit, at), isClosed);
  if (place === undefined) return undefined;
  const found = await ifFound(octokit.rest.repos.getContent({ ...at, path: place }));
  return found && decodeFile(found.data, path);
}

interface Repository {
  readonly owner: string;
  readonly repo: string;
}

type ListedFolder = Awaited<ReturnType<ProbotOctokit['rest']['repos']['getContent']>> | undefined;

/** What is being listed now, by path. */
const listing = new WeakMap<ProbotOctokit, Map<string, Promise<ListedFolder>>>();

/** Those who ask for several files at once ask for each directory once. */
function listed(octokit: ProbotOctokit, at: Repository, path: string): Promise<ListedFolder> {
  const open = listing.get(octokit) ?? new Map<string, Promise<ListedFolder>>();
  listing.set(octokit, open);
  const key = `${at.owner}/${at.repo}/${path}`;
  const list =
    open.get(key) ??
    ifFound(octokit.rest.repos.getContent({ ...at, path })).finally(() => open.delete(key));
  open.set(key, list);
  return list;
}

/** What GitHub lists of a directory at most (rule `listings-of-a-directory` of docs/github-rules.md). */
const LONGEST_LIST = 1_000;

/**
 * Looks paths up in the lists of their directories: one request tells of all files that are not there. A link is read as the
 * blob that it is: asked for its contents, GitHub answers with the file that it leads to, and does not say which (rule
 * `contents-of-links`).
 */
const linkIn =
  (octokit: ProbotOctokit, at: Repository): LinkAt =>
  async (path) => {
    const { dir, base } = posix.parse(path);
    const list = await listed(octokit, at, dir);
    if (list === undefined) return 'nothing';
    // No directory: GitHub itself says what is at the path.
    if (!Array.isArray(list.data) || list.data.length >= LONGEST_LIST) return 'no link';
    const entry = list.data.find(({ name }) => name === base);
    if (entry === undefined) return 'nothing';
    if (entry.type !== 'symlink') return 'no link';
    const { data } = await octokit.rest.git.getBlob({ ...at, file_sha: entry.sha });
    return { target: Buffer.from(data.content, 'base64').toString('utf8') };
  };

function decodeFile(data: object, path: string): string {
  const isFile = 'content' in data && typeof data.content === 'string';
  if (!isFile)
    throw new TellPerson(`\`${path}\` is not a file. Replace it with a file, or remove it.`);
  const bytes = Buffer.from(String(data.content), 'base64');
  const size = 'size' in data ? Number(data.size) : bytes.length;
  if (size > LONGEST_FILE) throw new TellPerson(`\`${path}\` is larger than 64 KB. Shorten it.`);
  return bytes.toString('utf8');
}

/** GitHub's name for the repository with an account's defaults for all of its repositories. */
export const OWNERS_REPOSITORY = '.github';

const KEPT_MS = 5 * 60_000;

/** Returns an octokit that may read that repository. */
type OpenClient = (installation: number, owner: string) => ProbotOctokit;

interface CachedFile {
  readonly text: Promise<string | undefined>;
  /** Milliseconds, by `performance.now()`. */
  readonly until: number;
}

type ReadOwnersFile = (
  installation: number,
  owner: string,
  path: string,
) => Promise<string | undefined>;

/**
 * Reads files of an account's `.github` repository, cached for five minutes, because every run asks for
 * them and most accounts have none. Missing files are cached too, failures are not.
 */
export function createOwnersFiles(
  client: OpenClient,
  now: () => number = () => performance.now(),
): ReadOwnersFile {
  const kept = new Map<string, CachedFile>();
  return (installation, owner, path) => {
    for (const [key, { until }] of kept) if (until <= now()) kept.delete(key);
    const key = `${installation} ${owner.toLowerCase()} ${path}`;
    const known = kept.get(key);
    if (known !== undefined) return known.text;
    const text = unless(
      NotInstalled,
      readRepositoryFile(client(installation, owner), { owner, name: OWNERS_REPOSITORY }, path),
    );
    kept.set(key, { text, until: now() + KEPT_MS });
    text.catch(() => kept.get(key)?.text === text && kept.delete(key));
    return text;
  };
}
