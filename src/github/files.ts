import type { ProbotOctokit } from 'probot';
import { TellPerson } from '../lib/errors.ts';
import { Gone } from './errors.ts';

const LONGEST_FILE = 65_536;

/**
 * The text of a file on the default branch; `undefined` without one.
 * @throws {TellPerson} for what is no file, or longer than 64 KB
 */
export async function readFile(
  octokit: ProbotOctokit,
  { owner, name: repo }: { readonly owner: string; readonly name: string },
  path: string,
): Promise<string | undefined> {
  try {
    const { data } = await octokit.rest.repos.getContent({ owner, repo, path });
    return textOf(data, path);
  } catch (error) {
    if (error instanceof Gone) return undefined;
    throw error;
  }
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
