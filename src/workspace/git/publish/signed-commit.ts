// A commit that GitHub made, written into the workspace's repository byte for byte.
import { createHash } from 'node:crypto';
import type { MadeCommit } from '../../../contracts/verified-commits.ts';
import type { GitObjects } from '../objects.ts';

/** Answers false if what the API says of the commit is not all of it: then it has to be fetched. */
export async function writeSigned(
  objects: GitObjects,
  { sha, signed }: Pick<MadeCommit, 'sha' | 'signed'>,
): Promise<boolean> {
  if (signed === undefined) return false;
  for (const text of textsOf(signed)) {
    const content = Buffer.from(text);
    if (idOf(content) !== sha) continue;
    await objects.write({ type: 'commit', content });
    return true;
  }
  return false;
}

/** GitHub's own signatures end with an empty line in the header; others do not. */
function textsOf({ payload, signature }: NonNullable<MadeCommit['signed']>): readonly string[] {
  const end = payload.indexOf('\n\n');
  if (end === -1) return [];
  return [signature, signature.trimEnd()].map((one) => {
    const lines = one.replaceAll('\n', '\n ');
    return `${payload.slice(0, end)}\ngpgsig ${lines}${payload.slice(end)}`;
  });
}

const idOf = (content: Buffer): string =>
  createHash('sha1').update(`commit ${content.byteLength}\0`).update(content).digest('hex');
