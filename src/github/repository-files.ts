import type { ProbotOctokit } from 'probot';
import { TellPerson, unless } from '../lib/errors.ts';
import { ifFound, NotInstalled } from './errors.ts';

const LONGEST_FILE = 65_536;

/**
 * The text of a file on the default branch; `undefined` if there is none.
 * @throws {TellPerson} if the path is not a file, or the file is larger than 64 KB
 */
export async function readFile(
  octokit: ProbotOctokit,
  { owner, name: repo }: { readonly owner: string; readonly name: string },
  path: string,
): Promise<string | undefined> {
  const found = await ifFound(octokit.rest.repos.getContent({ owner, repo, path }));
  return found && textOf(found.data, path);
}

function textOf(data: object, path: string): string {
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

interface Kept {
  readonly text: Promise<string | undefined>;
  /** Milliseconds since the epoch. */
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
  now: () => number = Date.now,
): ReadOwnersFile {
  const kept = new Map<string, Kept>();
  return (installation, owner, path) => {
    for (const [key, { until }] of kept) if (until <= now()) kept.delete(key);
    const key = `${installation} ${owner.toLowerCase()} ${path}`;
    const known = kept.get(key);
    if (known !== undefined) return known.text;
    const text = unless(
      NotInstalled,
      readFile(client(installation, owner), { owner, name: OWNERS_REPOSITORY }, path),
    );
    kept.set(key, { text, until: now() + KEPT_MS });
    text.catch(() => kept.get(key)?.text === text && kept.delete(key));
    return text;
  };
}
