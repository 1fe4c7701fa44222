// Commits that no git would make, and packs that no server would send.
import { createHash } from 'node:crypto';
import { deltaOf, packed, packedDelta, packOf, RawObjects } from '../../../support/raw-objects.ts';
import { FILE, type Trap, type Traps } from './trees.ts';

const MISSING = '1'.repeat(40);
const PERSON = 'attacker <attacker@example.test> 1767323045 +0000';
const BLOB = 3;

/** A commit of a directory with one file, with headers of its own. */
const commit =
  (headers: (tree: string, kit: RawObjects) => string): (() => Trap) =>
  () => {
    const objects = new RawObjects();
    const tree = objects.tree(['100644', 'file', objects.blob('x')]);
    return { objects, commit: objects.commit(tree, headers(tree, objects)) };
  };

/** The same with the usual headers, in a pack of its own. */
const pack =
  (make: (sound: Buffer, trap: Trap) => Buffer): (() => Trap) =>
  () => {
    const objects = new RawObjects();
    const tree = objects.tree(['100644', 'file', objects.blob('x')]);
    const trap = { objects, commit: objects.commit(tree) };
    return { ...trap, pack: make(objects.pack(), trap) };
  };

/** A commit of a directory with one file, which is a delta in the pack. */
const delta =
  (base: Buffer, bytes: (base: Buffer) => Buffer, result: Buffer): (() => Trap) =>
  () => {
    const objects = new RawObjects();
    const before = objects.blob(base);
    const oid = idOf(result);
    const trap = { objects, commit: objects.commit(objects.tree(['100644', 'file', oid])) };
    const all = [...objects.all].map(([, { type, content }]) =>
      packed({ commit: 1, tree: 2, blob: BLOB, tag: 4 }[type], content),
    );
    return { ...trap, pack: packOf([...all, packedDelta(before, bytes(base))]) };
  };

const idOf = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.byteLength}\0`).update(content).digest('hex');

const usual = `author ${PERSON}\ncommitter ${PERSON}\n`;

export const COMMITS: Traps = {
  'without headers': [commit(() => ''), 'refused'],
  'without a tree': [commit(() => usual), 'refused'],
  'of a tree that is no id': [commit(() => `tree ../../x\n${usual}`), 'refused'],
  'of a tree that is missing': [commit(() => `tree ${MISSING}\n${usual}`), 'refused'],
  'of a tree that is a file': [
    commit((_tree, objects) => `tree ${objects.blob('no tree')}\n${usual}`),
    'refused',
  ],
  'of a tree that is a commit': [
    commit((tree, objects) => `tree ${objects.commit(tree)}\n${usual}`),
    'refused',
  ],
  'of two trees': [commit((tree) => `tree ${tree}\ntree ${MISSING}\n${usual}`), FILE],
  'without people': [commit((tree) => `tree ${tree}\n`), FILE],
  'of a person with a NUL': [
    commit((tree) => `tree ${tree}\nauthor a\0b <x> 1 +0000\ncommitter ${PERSON}\n`),
    FILE,
  ],
  'at no time': [
    commit((tree) => `tree ${tree}\nauthor a <b> x y\ncommitter > < 99999999999999999999 +9999\n`),
    FILE,
  ],
  'with a parent that is no id': [
    commit((tree) => `tree ${tree}\nparent ../../x\n${usual}`),
    'either',
  ],
  'with headers of 4 MB': [
    commit((tree) => `tree ${tree}\n${usual}x-more ${'y'.repeat(4_000_000)}\n`),
    'either',
  ],
};

export const PACKS: Traps = {
  'that is sound': [pack((sound) => sound), FILE],
  'that is empty': [pack(() => packOf([])), 'refused'],
  'that is nothing': [pack(() => Buffer.of()), 'refused'],
  'that is no pack': [pack(() => Buffer.from('<h1>Maintenance</h1>'.repeat(50))), 'refused'],
  'that is cut off in its head': [pack((sound) => sound.subarray(0, 8)), 'refused'],
  'that is cut off in an object': [pack((sound) => sound.subarray(0, -60)), 'refused'],
  'that is cut off in its sum': [pack((sound) => sound.subarray(0, -10)), 'refused'],
  'with a wrong sum': [
    pack((sound) => Buffer.concat([sound.subarray(0, -20), Buffer.alloc(20)])),
    'refused',
  ],
  'with an object that is damaged': [
    pack((sound) => {
      const bytes = Buffer.from(sound.subarray(0, -20));
      bytes.fill(0xff, 16, 40);
      return Buffer.concat([bytes, createHash('sha1').update(bytes).digest()]);
    }),
    'refused',
  ],
  'with fewer objects than it says': [
    pack((_sound, { objects }) => packOf(objectsOf(objects), 2_000_000_000)),
    'refused',
  ],
  'with more objects than it says': [
    pack((_sound, { objects }) => packOf(objectsOf(objects), 1)),
    'refused',
  ],
  'without its commit': [
    pack((_sound, { objects, commit: oid }) => objects.pack([oid])),
    'refused',
  ],
  'with an object of another size than it says': [
    pack((_sound, { objects }) =>
      packOf([...objectsOf(objects), packed(BLOB, Buffer.alloc(2_000_000), 5)]),
    ),
    'refused',
  ],
  'with an object of a type that there is not': [
    pack((_sound, { objects }) => packOf([...objectsOf(objects), packed(5, Buffer.from('x'))])),
    'either',
  ],
  'with a delta': [
    delta(Buffer.from('xyz'), (base) => deltaOf(base.length, [[0, 1]]), Buffer.from('x')),
    FILE,
  ],
  'with a delta that copies from beyond its base': [
    delta(Buffer.from('xyz'), (base) => deltaOf(base.length, [[2, 100]]), Buffer.alloc(100)),
    'refused',
  ],
  'with a delta of another base than there is': [
    delta(Buffer.from('xyz'), () => deltaOf(77, [[0, 1]]), Buffer.from('x')),
    'refused',
  ],
  'with a delta that is cut off': [
    delta(
      Buffer.from('xyz'),
      (base) => deltaOf(base.length, [[0, 1]]).subarray(0, 4),
      Buffer.from('x'),
    ),
    'refused',
  ],
  'with a delta of a base that is missing': [
    pack((_sound, { objects }) =>
      packOf([...objectsOf(objects), packedDelta(MISSING, deltaOf(1, [[0, 1]]))]),
    ),
    'either',
  ],
  'with a delta of 20 bytes that makes 128 MB': [
    delta(
      Buffer.alloc(1_000_000),
      (base) =>
        deltaOf(
          base.length,
          Array.from({ length: 128 }, () => [0, 1_000_000] as const),
        ),
      Buffer.alloc(128_000_000),
    ),
    'refused',
  ],
};

const objectsOf = (objects: RawObjects): Buffer[] =>
  [...objects.all].map(([, { type, content }]) =>
    packed({ commit: 1, tree: 2, blob: BLOB, tag: 4 }[type], content),
  );
