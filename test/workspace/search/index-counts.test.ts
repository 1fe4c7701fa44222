import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { QuestionMatcher } from '../../../src/workspace/search/code/matcher.ts';
import { scanFiles } from '../../../src/workspace/search/code/scan.ts';
import { TermCounts } from '../../../src/workspace/search/code/term-counts.ts';
import { IndexedTerms } from '../../../src/workspace/search/indexed/lookup.ts';
import { WordPlaces } from '../../../src/workspace/search/indexed/word-places.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { dice, MIB, resultOf } from './indexed.ts';

/** Syllables of which the words of texts and questions are made, so that they meet often and nearly. */
const SYLLABLES =
  'retry delay num Events er parse parser make Make con fig config color colour ise ize or our user us into in to the is Valid ' +
  'HTTP Code code http 2 302 é É ß ẞ İ i K k Å å Σ ς σ Ω ω 漢 字 𐐀 𐐨 constructor proto x X a A';
const JOINTS = [
  '',
  '',
  '',
  '_',
  '-',
  '__',
  '--',
  ' ',
  ' ',
  '.',
  '\n',
  '_-',
  '$',
  '😀',
  ' '.repeat(700),
];

function randomText(roll: (sides: number) => number, length: number): string {
  const syllables = SYLLABLES.split(' ');
  let text = '';
  for (let count = 0; count < length; count += 1)
    text += (syllables[roll(syllables.length)] ?? '') + (JOINTS[roll(JOINTS.length)] ?? '');
  return text;
}

/** Two identifiers, each of several words. The first one is a word of the second. */
function nestedIdentifiers(roll: (sides: number) => number): string {
  const words = ['retry', 'delay', 'parse', 'num', 'code', 'user', 'name', 'x'];
  const [one, two, three] = [0, 0, 0].map(() => words[roll(words.length)] ?? '');
  return `${one}_${two} ${one}${two}_${three}`;
}

describe('what the index says of a text', () => {
  it.each(Array.from({ length: 60 }, (_, seed) => seed + 1))('is what reading it counts, seed %i', (seed) => {
    const roll = dice(seed);
    const texts = Array.from({ length: 6 }, () => randomText(roll, 1 + roll(200)));
    texts.push('', 'ab'.repeat(400), `ab_c${'_'.repeat(400)} ${'x'.repeat(101)}_y abC`, '-_'.repeat(300));
    const nested = Array.from({ length: 4 }, () => nestedIdentifiers(roll));
    texts.push(nested.join(' '.repeat(roll(700))), 'username_hash');
    const directory = temporaryDirectory();
    const words = new WordPlaces();
    const oids = Buffer.alloc(20 * texts.length);
    for (const [at, text] of texts.entries()) {
      oids.writeUInt32BE(roll(2 ** 30), 20 * at);
      oids.writeUInt32BE(at, 20 * at + 16);
      words.add(oids.subarray(20 * at, 20 * at + 20), text);
    }
    words.writeTo(join(directory, 'one.words'));
    const shared = new SharedArrayBuffer(oids.length);
    new Uint8Array(shared).set(oids);
    const place = { directory, oids: shared, room: { directory, maxBytes: MIB } };
    const questions = Array.from({ length: 12 }, () => randomText(roll, 1 + roll(5)));
    const fixed = ['ab_c abC', 'inTo aB ABAB', 'numeric numbers', 'userName usernameHash'];
    for (const question of [...fixed, ...nested, nested.join(' '), ...questions]) {
      const matcher = new QuestionMatcher(question);
      const [read, looked] = [new TermCounts(matcher), new TermCounts(matcher)];
      const terms = resultOf(IndexedTerms.of(place, question, matcher));
      for (const [at, text] of texts.entries())
        expect([question, text, terms?.countsOf(at, looked)]).toEqual([question, text, read.ofText(text)]);
      expect(looked.frequencies).toEqual(read.frequencies);
    }
  }); // prettier-ignore
});

it('says nothing of a question that hits too much, so that the files are read', () => {
  const directory = temporaryDirectory();
  const words = new WordPlaces();
  const oid = Buffer.alloc(20, 7);
  words.add(oid, 'apple\n'.repeat(10_000));
  words.writeTo(join(directory, 'one.words'));
  const oids = new SharedArrayBuffer(20);
  new Uint8Array(oids).set(oid);
  const place = { directory, oids, room: { directory, maxBytes: MIB } };
  const countsFor = (question: string, mostHits: number): number[] | undefined => {
    const matcher = new QuestionMatcher(question);
    const terms = resultOf(IndexedTerms.of(place, question, matcher, mostHits));
    return terms?.countsOf(0, new TermCounts(matcher));
  };
  expect(countsFor('apple', 100)).toHaveLength(59);
  expect(countsFor('apples', 30)).toBeUndefined();
});

it('keeps two million hits of a question in a thread, and no more', () => {
  const directory = temporaryDirectory();
  const words = new WordPlaces();
  const letters = ['b', 'c', 'd', 'f', 'g', 'h', 'k', 'm'];
  const question = letters.flatMap((one) => letters.map((other) => `${one}${other}x`)).join(' ');
  const oids = Buffer.alloc(20 * 32_000);
  for (let file = 0; file < 32_000; file += 1) {
    oids.writeUInt32BE(file, 20 * file);
    words.add(oids.subarray(20 * file, 20 * file + 20), question);
  }
  words.writeTo(join(directory, 'one.words'));
  const shared = new SharedArrayBuffer(oids.length);
  new Uint8Array(shared).set(oids);
  const place = { directory, oids: shared, room: { directory, maxBytes: MIB } };
  const countsFor = (asked: string): number[] | undefined => {
    const matcher = new QuestionMatcher(asked);
    return resultOf(IndexedTerms.of(place, asked, matcher))?.countsOf(9, new TermCounts(matcher));
  };
  expect(countsFor(question)).toBeUndefined();
  expect(countsFor(question.slice(0, -20))).toHaveLength(59);
});

it('shows that it is running while it looks up a question on a slow disk', () => {
  const directory = temporaryDirectory();
  const words = new WordPlaces();
  // None of them counts for the question, and all of them are read for it.
  const letters = 'b c d f g h j k l m n p q r t v w x z'.split(' ');
  const similar = letters.flatMap((one) => letters.map((other) => `appl${one}${other}q`));
  words.add(Buffer.alloc(20), similar.join(' '));
  words.writeTo(join(directory, 'one.words'));
  const place = { directory, oids: new SharedArrayBuffer(20), room: { directory, maxBytes: MIB } };
  const files = [{ directory: '', names: ['one.ts'], blobs: [0] }];
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 60));
  try {
    const task = { kind: 'scan', root: directory, files, question: 'apple', index: place } as const;
    const parts = [...scanFiles(task)];
    expect(parts.at(-1)).toMatchObject({ files: 1, missing: 0 });
    expect(parts.length).toBeGreaterThan(similar.length / 3);
  } finally {
    clock.mockRestore();
  }
});
