// A process that works on a repository, and prints how often each step asked the file system for something.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { contentOf } from '../../../src/workspace/files/recorded-changes.ts';
import { ClonedRepository } from '../../../src/workspace/git/cloned-repository.ts';
import type { EngineName } from '../../../src/workspace/git/engines/engine.ts';
import { makePlace } from '../../../src/workspace/search/walk.ts';
import { walkDirectories } from '../../../src/workspace/search/walk.ts';

export interface DeepWork {
  readonly engine: EngineName;
  readonly remoteUrl: string;
  readonly token: string;
  readonly commit: string;
  /** An empty directory. */
  readonly directory: string;
}

export interface Asked {
  readonly calls: number;
  /** Names in the paths of these calls, each of which the system looks up. */
  readonly names: number;
}

let calls = 0;
let names = 0;
type Functions = Record<string, unknown>;
for (const functions of [fs, fs.promises] as unknown as Functions[])
  for (const [name, original] of Object.entries(functions))
    if (typeof original === 'function' && /^[a-z]/.test(name)) {
      const counted = (...words: unknown[]): unknown => {
        calls += 1;
        if (typeof words[0] === 'string') names += words[0].split('/').length;
        return Reflect.apply(original, functions, words);
      };
      // Some have others as their properties, as `realpath.native`.
      functions[name] = Object.defineProperties(
        counted,
        Object.getOwnPropertyDescriptors(original),
      );
    }
syncBuiltinESMExports();

const given = JSON.parse(process.argv[2] ?? '') as DeepWork;
const { directory, token, commit, ...place } = given;
const tree = join(directory, 'tree');
fs.mkdirSync(tree);
const author = { name: 'issuewright[bot]', email: 'bot@example.test' };
const gitdir = join(directory, 'git');
const whole = { ...place, maxBytes: 2 ** 28, gitdir, tree, author };
const repository = new ClonedRepository(whole, new AbortController().signal);

const counts: Record<string, Asked> = {};
async function count<T>(step: string, act: () => Promise<T> | T): Promise<T> {
  [calls, names] = [0, 0];
  const result = await act();
  counts[step] = { calls, names };
  return result;
}

const { files } = await count('clone', () => repository.clone({ commit, token }));
const nothing = { except: [], recorded: new Map<string, string>() };
await count('search', () => {
  // It sees what tools can name.
  const found = [...walkDirectories(makePlace(tree, files), [])];
  if (found.length < 60) throw new Error('the search missed a directory');
});
await count('before a command', async () => {
  await repository.begin({ changed: nothing });
});
const [kept = '', ...gone] = files;
for (const path of gone) fs.rmSync(join(tree, path));
fs.writeFileSync(join(tree, kept), 'changed');
const limits = { files: 1000, bytes: 2 ** 20, recorded: nothing.recorded };
const looked = await count('after a command', () => repository.look(limits));
if (!('touched' in looked) || looked.touched.length !== files.length)
  throw new Error('the look missed a change');
const changed = { mode: '100644', content: Buffer.from('changed') };
const recorded = new Map(gone.map((path) => [path, contentOf({ mode: '100644', content: null })]));
recorded.set(kept, contentOf(changed));
const found = await count('changes', () => repository.changes({ except: [], recorded }));
if (found.changes.length !== files.length) throw new Error('a change was not found');
const request = { message: 'Change', at: Date.now(), only: undefined, except: [], recorded };
await count('commit', () => repository.commit(request));
await repository.close();
process.stdout.write(JSON.stringify(counts));
