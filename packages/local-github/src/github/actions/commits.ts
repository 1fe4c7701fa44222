// Commits that GitHub itself makes: it is their committer, and signs them (rule `web-commits-are-signed`).
import { createHash } from 'node:crypto';
import { GITHUB_SIGNATURE, type Signature } from '../git/git.ts';
import { commitText, signedText, writeCommit } from '../git/objects.ts';
import type { Hub } from '../hub.ts';
import type { Repository } from '../state.ts';
import { timestamp } from '../state.ts';

/**
 * Writes a commit and records its signature. The signature is a stand-in of the right form: whether a commit is
 * verified, the world says.
 */
export async function writeSignedCommit(
  { world }: Hub,
  { git }: Repository,
  commit: { tree: string; parents: readonly string[]; message: string; author: Signature },
): Promise<string> {
  const date = timestamp();
  const author = { ...commit.author, date };
  const payload = commitText({ ...commit, author, committer: { ...GITHUB_SIGNATURE, date } });
  const signature = standIn(payload);
  const sha = await writeCommit(git.directory, signedText(payload, signature));
  world.signatures.set(sha, { signature, payload, at: date });
  return sha;
}

function standIn(payload: string): string {
  const lines =
    createHash('sha512')
      .update(payload)
      .digest('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PGP SIGNATURE-----', '', ...lines, '-----END PGP SIGNATURE-----', ''].join(
    '\n',
  );
}
