import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { Segment } from '../../../src/workspace/search/indexed/segment.ts';
import type { ListFiles } from '../../../src/workspace/search/lines/search-threads.ts';
import { ignoresCase } from '../../../src/workspace/workspace.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { ask, filesIn, indexed, segmentsIn } from './indexed.ts';
import { write } from './support.ts';

/** In a directory that stands for the cache. */
const newDirectory = (): string => join(temporaryDirectory(), 'words');

const shop = (extra = ''): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: 60 }, (_, at) => [
      `d${at % 7}/f${at}.ts`,
      `export function retryDelay${at}() {}\nconst basket = ${'apple '.repeat(at % 9)}${extra};\n`,
    ]),
  );

it('is not for a file system that takes names for one', () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'git'));
  expect(ignoresCase(join(directory, 'git'))).toBe(false);
  // What such a file system says, of one directory.
  mkdirSync(join(directory, 'GIT'));
  expect(ignoresCase(join(directory, 'git'))).toBe(true);
});

describe('an index', () => {
  const scene = (options: Partial<Parameters<typeof indexed>[2]> = {}) => {
    const root = temporaryDirectory();
    write(root, shop());
    return { root, ...indexed(root, filesIn(root), { directory: newDirectory(), ...options }) };
  };

  it('is used in place of files that are certain to be what it knows, and of no other', async () => {
    const changed = new Set<string>();
    const { root, search, index } = scene({ changed });
    await ask(search, 'apple');
    expect(await index.built()).toMatchObject({ files: 60 });
    // As no workspace does: that shows what is read.
    write(root, { 'd1/f1.ts': 'cherry', 'd2/f2.ts': 'cherry' });
    expect((await ask(search, 'cherry')).files).toEqual([]);
    changed.add('d2/f2.ts');
    expect((await ask(search, 'cherry')).files.map(({ path }) => path)).toEqual(['d2/f2.ts']);
  });

  it('adds only what it lacks, and what it has is known by content', async () => {
    const directory = newDirectory();
    const first = scene({ directory });
    await ask(first.search, 'apple');
    expect(await first.index.built()).toMatchObject({ files: 60 });
    write(first.root, { 'd0/f0.ts': 'cherry', 'more/a.ts': 'cherries', 'more/b.ts': 'cherries' });
    const second = indexed(first.root, filesIn(first.root), { directory });
    expect((await ask(second.search, 'cherry')).files).toHaveLength(3);
    // Two files have the same content.
    expect(await second.index.built()).toMatchObject({ files: 2 });
    const third = indexed(first.root, filesIn(first.root), { directory });
    expect(await ask(third.search, 'cherry')).toEqual(await ask(third.plain, 'cherry'));
    expect(await third.index.built()).toBeUndefined();
  });

  it('takes nothing in that is not what its object id says', async () => {
    const { root, search, plain, index } = scene();
    write(root, { 'd3/f3.ts': 'cherry' });
    await ask(search, 'apple');
    expect(await index.built()).toMatchObject({ files: 59 });
    expect(await ask(search, 'cherry')).toEqual(await ask(plain, 'cherry'));
  });

  it('joins its segments when there are many, and forgets what is long out of use', async () => {
    const directory = newDirectory();
    const root = temporaryDirectory();
    const sizes: number[] = [];
    for (let round = 0; round < 12; round += 1) {
      const stays = { 'stays.ts': 'apple grape basket\n'.repeat(90) };
      write(root, { ...shop(`grape${round}`), [`new/${round}.ts`]: `cherry${round}`, ...stays });
      const { search, index, failures } = indexed(root, filesIn(root), { directory });
      await ask(search, 'apple');
      const built = await index.built();
      expect([round, built?.files, failures]).toEqual([round, round === 0 ? 62 : 61, []]);
      sizes.push(built?.bytes ?? 0);
    }
    expect(segmentsIn(directory).length).toBeLessThanOrEqual(9);
    expect(sizes.at(-1)).toBeLessThan(6 * (sizes[0] ?? 0));
    const last = indexed(root, filesIn(root), { directory });
    for (const question of ['apple basket', 'cherry3', 'grape3', 'grape11', 'retryDelay'])
      expect(await ask(last.search, question)).toEqual(await ask(last.plain, question));
    expect(await last.index.built()).toBeUndefined();
  });

  it.each([
    ['a byte that was changed', (path: string) => flip(path, 0.3)],
    ['a changed directory', (path: string) => flip(path, 0.9)],
    ['a changed end', (path: string) => flip(path, 0.999)],
    ['an end that is missing', (path: string) => truncateSync(path, 1000)],
    ['nothing in it', (path: string) => truncateSync(path, 0)],
    ['nothing but zeros', (path: string) => writeFileSync(path, Buffer.alloc(5000))],
    ['more files than it has room for', (path: string) => forge(path, (end) => end.writeUInt32LE(2 ** 32 - 1, 12))],
    ['a few files more', (path: string) => forge(path, (end) => end.writeUInt32LE(90, 12))],
    ['more blocks than it has room for', (path: string) => forge(path, (end) => end.writeUInt32LE(2 ** 32 - 1, 16))],
    ['a directory that is nowhere', (path: string) => forge(path, (end) => end.writeDoubleLE(NaN, 20))],
    ['a file of an absurd number', (path: string) => forge(path, (_, directory) => directory.writeUInt32LE(2 ** 32 - 1, 20))],
    ['two files of one number', (path: string) => forge(path, (_, directory) => directory.copy(directory, 20, 44, 48))],
    ['a block of absurd length', (path: string) => forge(path, (_, directory) => directory.fill(0xff, 60 * 26 + 1, 60 * 26 + 8))],
  ])('with %s is made again, and answers stay the same', async (_name, damage) => {
    const { directory, root, search, index } = scene();
    await ask(search, 'apple');
    await index.built();
    const [name = ''] = segmentsIn(directory);
    damage(join(directory, name));
    const next = indexed(root, filesIn(root), { directory });
    for (const question of ['retry delay basket apple', 'export function const', 'retryDelay17'])
      expect(await ask(next.search, question)).toEqual(await ask(next.plain, question));
    await next.index.built();
    expect(next.failures).toEqual([]);
    const last = indexed(root, filesIn(root), { directory });
    expect(await ask(last.search, 'apple')).toEqual(await ask(last.plain, 'apple'));
    expect(segmentsIn(directory)).not.toContain(name);
  }); // prettier-ignore

  it('never answers with what the settings deny, whoever put it in', async () => {
    const directory = newDirectory();
    const root = temporaryDirectory();
    write(root, { ...shop(), 'secret/key.ts': 'cherry', 'open.ts': 'cherry' });
    const open = indexed(root, filesIn(root), { directory });
    expect((await ask(open.search, 'cherry')).files).toHaveLength(2);
    await open.index.built();
    const denied = indexed(root, filesIn(root), { directory, paths: { deny: ['secret/**'] } });
    const { files, indexed: count } = await ask(denied.search, 'cherry');
    expect([files.map(({ path }) => path), count]).toEqual([['open.ts'], 61]);
  });

  it('takes nothing more in once it takes its share of the cache', async () => {
    const directory = newDirectory();
    const { root, search, index } = scene({ directory, maxBytes: 8 });
    await ask(search, 'apple');
    expect(await index.built()).toMatchObject({ files: 60 });
    write(root, { 'more.ts': 'cherry' });
    const full = indexed(root, filesIn(root), { directory, maxBytes: 8 });
    expect(await ask(full.search, 'cherry')).toEqual(await ask(full.plain, 'cherry'));
    expect([(await full.index.built())?.files, full.failures]).toEqual([0, []]);
  });

  it('drops what is of other commits once it is full, if that is much', async () => {
    const options = { directory: newDirectory(), maxBytes: 8000 };
    const { root, directory, search, index } = scene(options);
    await ask(search, 'apple');
    const { bytes } = (await index.built()) ?? { bytes: 0 };
    expect(bytes).toBeGreaterThan(1000);
    const first = segmentsIn(directory);
    // Little is of other commits, so that it is not worth it.
    write(root, { 'd0/f0.ts': 'cherry' });
    const full = indexed(root, filesIn(root), options);
    await ask(full.search, 'cherry');
    expect([(await full.index.built())?.files, segmentsIn(directory)]).toEqual([0, first]);
    const stays = readFileSync(join(root, 'd1/f1.ts'), 'utf8');
    write(root, { ...shop('grape'), 'd1/f1.ts': stays });
    const renewed = indexed(root, filesIn(root), options);
    expect(await ask(renewed.search, 'grape')).toEqual(await ask(renewed.plain, 'grape'));
    expect(await renewed.index.built()).toMatchObject({ files: 59 });
    const segments = segmentsIn(directory).map((name) => new Segment(join(directory, name)));
    expect(segments.reduce((sum, { files }) => sum + files, 0)).toBe(60);
    for (const segment of segments) segment.close();
    const last = indexed(root, filesIn(root), options);
    expect(await ask(last.search, 'grape')).toEqual(await ask(last.plain, 'grape'));
    expect([await last.index.built(), renewed.failures]).toEqual([undefined, []]);
  });

  it('is not made where it is gone with its repository, and its failure is told', async () => {
    const gone = scene();
    rmSync(join(gone.directory, '..'), { recursive: true });
    expect((await ask(gone.search, 'apple')).files).toHaveLength(8);
    expect(await gone.index.built()).toBeUndefined();
    expect(gone.failures).toEqual([]);
    const barred = scene();
    writeFileSync(barred.directory, 'a file where the directory should be');
    expect((await ask(barred.search, 'apple')).files).toHaveLength(8);
    await barred.index.built();
    expect(String(barred.failures)).toContain('ENOTDIR');
  });

  it('is added to by one at a time', async () => {
    const directory = newDirectory();
    const one = scene({ directory });
    const other = scene({ directory });
    await Promise.all([ask(one.search, 'apple'), ask(other.search, 'apple')]);
    const built = [await one.index.built(), await other.index.built()];
    expect(built.reduce((sum, each) => sum + (each?.files ?? 0), 0)).toBe(60);
    expect(segmentsIn(directory)).toHaveLength(1);
  });

  it('ends what it does with its workspace', async () => {
    const { search, index, failures } = scene();
    await ask(search, 'apple');
    await index.close();
    expect([await index.built(), failures]).toEqual([undefined, []]);
  });

  it('does not wait for the searches of others when its workspace closes', async () => {
    const { index, failures } = scene();
    // As long as they take all threads, listing does not begin.
    index.noteMissing(60, () => () => new Promise(() => {}));
    await index.close();
    expect([await index.built(), failures]).toEqual([undefined, []]);
  });

  it('is made at a later question if a command ran when it was to be', async () => {
    const changed = new Set<string>();
    const { root, index } = scene({ changed });
    const files = filesIn(root);
    const list = (): ListFiles => async (onPart) => {
      for (const path of files) onPart([{ directory: dirname(path), names: [basename(path)] }]);
    };
    for (const path of files) changed.add(path);
    index.noteMissing(60, list);
    expect(await index.built()).toBeUndefined();
    changed.clear();
    index.noteMissing(60, list);
    expect(await index.built()).toMatchObject({ files: 60 });
  });

  it.each([
    ['the program of another version', 8],
    ['a Node with other Unicode tables', 36],
  ])('leaves files that %s wrote to be made again', async (_, at) => {
    const { directory, root, search, index } = scene();
    await ask(search, 'apple');
    await index.built();
    const path = join(directory, segmentsIn(directory)[0] ?? '');
    // Whole by its checksums, but for the number of that version.
    const program = `
      import { readFileSync, writeFileSync } from 'node:fs';
      import { crc32 } from 'node:zlib';
      const bytes = readFileSync(process.argv[1]);
      const end = bytes.subarray(-40);
      end.writeUInt32LE(end.readUInt32LE(${at}) ^ 1, ${at});
      end.writeUInt32LE(crc32(end.subarray(4)), 0);
      writeFileSync(process.argv[1], bytes);`;
    execFileSync(process.execPath, ['--input-type=module', '-e', program, path]);
    const next = indexed(root, filesIn(root), { directory });
    expect(await ask(next.search, 'apple')).toEqual(await ask(next.plain, 'apple'));
    expect(await next.index.built()).toMatchObject({ files: 60 });
  });
});

function flip(path: string, where: number): void {
  const bytes = readFileSync(path);
  const at = Math.floor(bytes.length * where);
  bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  writeFileSync(path, bytes);
}

/** Changes what a segment says of itself, and makes its checksums right again. */
function forge(path: string, change: (trailer: Buffer, directory: Buffer) => void): void {
  const bytes = readFileSync(path);
  const trailer = bytes.subarray(-40);
  const directory = bytes.subarray(trailer.readDoubleLE(20), -40);
  change(trailer, directory);
  trailer.writeUInt32LE(crc32(directory), 32);
  trailer.writeUInt32LE(crc32(trailer.subarray(4)), 0);
  writeFileSync(path, bytes);
}
