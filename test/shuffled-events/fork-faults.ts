// What must hold of the work on a pull request from a fork: patches instead of pushes.
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Patch } from '../../src/contracts/effect.ts';
import type { Entry } from '../../src/session/entry.ts';
import { commentsOf, type Evidence } from './faults.ts';
import type { Place } from './place.ts';

const exec = promisify(execFile);

export async function forkFaults({ place, entries }: Evidence): Promise<readonly string[]> {
  const patches = patchesIn(entries);
  const told = commentsOf(place).filter(({ body }) =>
    body.includes("can't push to a fork, so here"),
  );
  const branches = await place.scene.gitIn(place.repository, 'branch', '--format=%(refname:short)');
  const finished = entries.filter(({ type }) => type === 'run_ended').length;
  const head = await place.head();
  return [
    ...(patches.length === finished ? [] : [`${finished} runs made ${patches.length} patches`]),
    ...(told.length === patches.length ? [] : [`${told.length} comments have a patch`]),
    ...(branches === 'main' ? [] : [`it pushed ${branches.replaceAll('\n', ' ')}`]),
    ...(head === place.pushed.at(-1) ? [] : [`the head of the fork is ${head}`]),
    ...(await Promise.all(patches.map((patch) => applyFaults(place, patch)))).flat(),
  ];
}

const patchesIn = (entries: readonly Entry[]): readonly Patch[] =>
  entries.flatMap((entry) =>
    'effects' in entry ? entry.effects.flatMap((one) => (one.type === 'patch' ? [one] : [])) : [],
  );

/** Onto the head that it was made for. */
async function applyFaults({ home, scene }: Place, { base, text }: Patch): Promise<string[]> {
  if (text === undefined) return [`a small patch is not in the comment`];
  const directory = await mkdtemp(path.join(scene.directory, 'patch-'));
  const file = path.join(directory, 'patch');
  const env = { ...process.env, GIT_INDEX_FILE: path.join(directory, 'index') };
  const git = (...words: string[]) => exec('git', ['-C', home.git.directory, ...words], { env });
  try {
    await writeFile(file, text);
    await git('read-tree', base);
    await git('apply', '--cached', '--check', file);
    return [];
  } catch (error) {
    return [`a patch for ${base} does not apply: ${String(error)}`];
  } finally {
    await rm(directory, { recursive: true });
  }
}
