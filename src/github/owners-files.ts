// What an account says for all of its repositories: files of its `.github` repository.
import type { ProbotOctokit } from 'probot';
import { Gone, InstallationGone } from './errors.ts';
import { readFile } from './files.ts';

/** GitHub's name for the repository with the defaults of an account. */
export const OWNERS_REPOSITORY = '.github';

const KEPT_MS = 5 * 60_000;

/** An octokit that may read that repository of the installation's account. */
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
 * Reads them through a memory of five minutes: every run asks, and most accounts have none. That there
 * is none is kept too, a failure is not.
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
    const text = find(client(installation, owner), owner, path);
    kept.set(key, { text, until: now() + KEPT_MS });
    text.catch(() => kept.get(key)?.text === text && kept.delete(key));
    return text;
  };
}

async function find(
  octokit: ProbotOctokit,
  owner: string,
  path: string,
): Promise<string | undefined> {
  try {
    return await readFile(octokit, { owner, name: OWNERS_REPOSITORY }, path);
  } catch (error) {
    if (error instanceof Gone || error instanceof InstallationGone) return undefined;
    throw error;
  }
}
