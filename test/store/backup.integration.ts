import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { backUp } from '../../src/store/backup.ts';
import { openStore, type OpenStore } from '../../src/store/open.ts';
import { inputTaken, newSession, silent, temporaryDirectory } from '../contract/store-world.ts';
import { prepareData } from '../support/prepared-data.ts';

describe('a backup of the embedded database', () => {
  let directory: ReturnType<typeof temporaryDirectory>;
  let store: OpenStore;
  beforeEach(async () => {
    directory = temporaryDirectory();
    await prepareData(dataDir());
    store = await openStore({ dataDir: dataDir(), log: silent });
  });
  afterEach(async () => {
    await store.close();
    directory.remove();
  });

  const dataDir = () => join(directory.path, 'data');
  const file = () => join(directory.path, 'backup.tar.gz');
  const backUpData = () => backUp({ dataDir: dataDir(), file: file(), log: silent });

  /** As the documents say. */
  function restore(): string {
    const restored = join(directory.path, 'restored');
    mkdirSync(restored, { mode: 0o700 });
    execFileSync('tar', ['-xzf', file(), '-C', restored]);
    return restored;
  }

  const textsIn = async (from: OpenStore, id: string) =>
    (await from.journal(id)).flatMap((entry) => (entry.type === 'input_read' ? entry.text : []));

  it('has all that was written before, and no half of what is written meanwhile', async () => {
    const before = await newSession(store);
    await store.append(before, [inputTaken('before')]);
    let isDone = false;
    const written = new Set<string>();
    const writers = Array.from({ length: 4 }, async () => {
      const session = await newSession(store);
      for (let count = 0; !isDone; count += 1) {
        await store.append(session, [inputTaken(`${count} a`.repeat(500)), inputTaken(`${count}`)]);
        written.add(session);
      }
    });
    await backUpData();
    isDone = true;
    await Promise.all(writers);
    expect(written.size).toBe(4);

    const copy = await openStore({ dataDir: restore(), log: silent });
    try {
      expect(await textsIn(copy, before)).toEqual(['before']);
      for (const session of written) {
        const [kept, all] = [await textsIn(copy, session), await textsIn(store, session)];
        expect(kept).toEqual(all.slice(0, kept.length));
        expect(kept.length % 2).toBe(0);
      }
      // It is a database like any other.
      const next = await newSession(copy);
      await copy.append(next, [inputTaken('after')]);
      expect(await textsIn(copy, next)).toEqual(['after']);
    } finally {
      await copy.close();
    }
  });

  it('can be made again and again, and while no service runs', async () => {
    await newSession(store);
    await backUpData();
    await backUp({ dataDir: dataDir(), file: `${file()}.2`, log: silent });
    await store.close();
    await backUp({ dataDir: dataDir(), file: `${file()}.3`, log: silent });
    expect(readdirSync(directory.path).toSorted()).toEqual([
      'backup.tar.gz',
      'backup.tar.gz.2',
      'backup.tar.gz.3',
      'data',
    ]);
  });

  it('is for its owner alone, and has no lock, cache or log of the service', async () => {
    writeFileSync(join(dataDir(), 'pages-token'), 'a token\n');
    mkdirSync(join(dataDir(), 'cache'));
    await backUpData();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const restored = restore();
    expect(readdirSync(restored).toSorted()).toEqual(['pages-token', 'postgres']);
    const left = ['postmaster.pid', '.s.PGSQL.5432', '.s.PGSQL.5432.lock'];
    expect(left.filter((name) => existsSync(join(restored, 'postgres', name)))).toEqual([]);
    const modes = ['pages-token', 'postgres', 'postgres/base'].map(
      (name) => statSync(join(restored, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o700, 0o700]);
  });

  it('replaces no file', async () => {
    writeFileSync(file(), 'what is there');
    await expect(backUpData()).rejects.toThrow(
      /backup\.tar\.gz exists already, and a backup replaces no file/,
    );
    expect(readFileSync(file(), 'utf8')).toBe('what is there');
  });

  it('leaves nothing behind if it fails', async () => {
    // No name of PostgreSQL is as long.
    mkdirSync(join(dataDir(), 'postgres/base', 'x'.repeat(120)));
    await expect(backUpData()).rejects.toThrow(/^The backup failed: /);
    expect(readdirSync(directory.path)).toEqual(['data']);
    await expect(
      backUp({ dataDir: dataDir(), file: join(directory.path, 'none/b.tar.gz'), log: silent }),
    ).rejects.toThrow(/Nothing was written: .*none cannot be used: no such file/);
  });

  it('needs a database that a service has used', async () => {
    await expect(
      backUp({ dataDir: join(directory.path, 'other'), file: file(), log: silent }),
    ).rejects.toThrow(/no service was found, because the data directory \S+other has no database/);
    expect(readdirSync(directory.path)).toEqual(['data']);
  });
});
