// Whatever a repository or a server sends is checked out without harm, or refused in words.
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { contentOf } from '../../../../src/workspace/files/recorded-changes.ts';
import { prepareSpare } from '../../../../src/workspace/git/engines/native/spare-tree.ts';
import { RawObjects } from '../../../support/raw-objects.ts';
import { startPackServer, type PackServer } from '../../../support/pack-server.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { AT, withoutThread } from '../../support.ts';
import { ENGINES, refusalOf } from '../engines.ts';
import { COMMITS, PACKS } from './packs.ts';
import { FILE, outside, SECRET, secret, TREES, type Seen, type Trap } from './trees.ts';

const MAX_BYTES = 2 * 1024 * 1024;

const WITH_SPARE = 'native (with a spare work tree)';
const SETUPS = [...ENGINES, WITH_SPARE] as const;

let server: PackServer;
beforeAll(async () => {
  writeFileSync(secret, SECRET);
  server = await startPackServer();
});
afterAll(async () => server.close());

function look(root: string, below = ''): Seen {
  const seen: Record<string, string> = {};
  const names = readdirSync(join(root, below));
  if (below !== '' && names.length === 0) seen[below] = '/';
  for (const name of names) {
    const path = below === '' ? name : `${below}/${name}`;
    const stats = lstatSync(join(root, path));
    if (stats.isSymbolicLink()) seen[path] = `→ ${readlinkSync(join(root, path))}`;
    else if (stats.isDirectory()) Object.assign(seen, look(root, path));
    else seen[path] = readFileSync(join(root, path), 'utf8');
  }
  return seen;
}

const A_REFUSAL: unknown = expect.stringMatching(/[Rr]epository/);

/** It takes Jest minutes to show how long paths differ. */
const shortened = (seen: Seen): Seen =>
  Object.fromEntries(
    Object.entries(seen).map(([path, what]) => [
      path.length > 200 ? `a path of ${path.length}` : path,
      what,
    ]),
  );

/** A cache with a work tree of another commit, which is changed to that of the trap. */
async function cacheWithSpare() {
  const cache = { directory: temporaryDirectory(), maxBytes: 2 ** 28, installation: 1 };
  const objects = new RawObjects();
  const harmless = objects.blob('harmless');
  const inner = objects.tree(['100644', 'harmless', harmless]);
  const names = [
    ['40000', 'dir', inner],
    ['120000', 'link', harmless],
  ] as const;
  const commit = objects.commit(objects.tree(...names));
  Object.assign(server, { commit, pack: objects.pack() });
  const { git, place } = withoutThread(server, { engine: 'native', cache });
  await git.clone({ commit, token: 'none' });
  await prepareSpare({ ...place, cache }, commit, new AbortController().signal);
  expect(readdirSync(cache.directory).some((name) => name.endsWith('.spare'))).toBe(true);
  return cache;
}

/** Opens the trap in a directory with nothing else in it. */
async function spring(setup: (typeof SETUPS)[number], { objects, commit, pack }: Trap) {
  const engine = setup === 'isomorphic' ? setup : 'native';
  const cache = setup === WITH_SPARE ? await cacheWithSpare() : undefined;
  const directory = temporaryDirectory();
  const place = { gitdir: join(directory, 'git'), tree: join(directory, 'tree') };
  mkdirSync(place.tree);
  Object.assign(server, { commit, pack: pack ?? objects.pack() });
  const { git } = withoutThread(server, { ...place, engine, cache, maxBytes: MAX_BYTES });
  const refusal = await refusalOf(git.clone({ commit, token: 'none' }));
  expect(look(outside)).toEqual({ secret: SECRET });
  expect(readdirSync(directory).toSorted()).toEqual(['git', 'tree']);
  return { git, tree: place.tree, refusal };
}

/** Nothing differs from the base, and a commit with a new file has all that the base has. */
async function expectToWork({ git, tree }: Awaited<ReturnType<typeof spring>>, trap: Trap) {
  const none = { except: [], recorded: new Map<string, string>() };
  expect((await git.changes(none)).changes).toEqual([]);
  const content = Buffer.from('added');
  writeFileSync(join(tree, 'added'), content);
  const recorded = new Map([['added', contentOf({ mode: '100644', content })]]);
  const request = { message: 'Add', at: AT.getTime(), only: undefined, except: [], recorded };
  expect(await git.commit(request)).toMatchObject({ files: [{ path: 'added' }], left: [] });
  const { parents } = await git.lastCommit();
  expect(parents).toEqual([trap.commit]);
}

describe.each(SETUPS)('with the %s engine', (setup) => {
  describe.each([
    ['a tree with', TREES],
    ['a commit', COMMITS],
    ['a pack', PACKS],
  ] as const)('%s', (_kind, traps) => {
    it.each(Object.entries(traps))('%s does no harm', async (_name, [make, seen]) => {
      const trap = make();
      const sprung = await spring(setup, trap);
      const found = sprung.refusal ?? shortened(look(sprung.tree));
      const isRefused = seen === 'refused' || (seen === 'either' && sprung.refusal !== undefined);
      const files = seen === 'either' || seen === 'refused' ? FILE : seen;
      expect(found).toEqual(isRefused ? A_REFUSAL : shortened(files));
      if (sprung.refusal !== undefined) return;
      await expectToWork(sprung, trap);
    });
  });
});
