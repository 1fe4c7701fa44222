// When a proof was made last, and what came of it, for `issuewright doctor`.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const LastProof = z.object({
  /** ISO time. */
  at: z.iso.datetime(),
  version: z.string(),
  held: z.number(),
  /** Ids of beliefs. */
  wrong: z.array(z.string()),
});
export type LastProof = z.infer<typeof LastProof>;

const fileIn = (dataDir: string): string => join(dataDir, 'proof.json');

export async function keepProof(dataDir: string, proof: LastProof): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeFile(fileIn(dataDir), `${JSON.stringify(proof, undefined, 2)}\n`, { mode: 0o600 });
}

/** `undefined`: none was made, or the file is no proof. */
export async function lastProof(dataDir: string): Promise<LastProof | undefined> {
  const text = await readFile(fileIn(dataDir), 'utf8').catch(() => '');
  try {
    return LastProof.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
