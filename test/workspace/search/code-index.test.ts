import { renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stem } from '../../../src/workspace/search/code/stem.ts';
import { termsOf } from '../../../src/workspace/search/code/terms.ts';
import { searchIn, write } from './support.ts';

describe('the terms of a word', () => {
  it.each([
    ['reqIdGenFactory', ['req', 'id', 'gen', 'factori', 'reqidgenfactory']],
    ['get_http_code', ['http', 'code', 'gethttpcode']],
    ['getHTTPCode2', ['http', 'code', 'gethttpcode2']],
    ['the', []],
    ['x', []],
    ['größenÄnderung', ['größen', 'änderung', 'größenänderung']],
    ['漢字', ['漢字']],
    ['a'.repeat(101), []],
  ])('%s', (word, terms) => expect(termsOf(word)).toEqual(terms));
});

describe('the stem of a word', () => {
  it.each([
    'validate validates validated validating validation validator validators',
    'serialise serialize serialiser serializers serialization',
    'colour color colours', 'dependency dependencies depends dependent', 'query queries', 'plugin plugins',
  ])('is one for %s', (words) => {
    expect(new Set(words.split(' ').map(stem)).size).toBe(1);
  }); // prettier-ignore

  it.each([
    ['caresses', 'caress'], ['ponies', 'poni'], ['agreed', 'agre'], ['hopping', 'hop'], ['falling', 'fall'],
    ['sized', 'size'], ['relational', 'relat'], ['hopefulness', 'hope'], ['adjustment', 'adjust'], ['sky', 'sky'],
  ])('of %s is %s, as Porter says', (word, expected) => expect(stem(word)).toBe(expected)); // prettier-ignore
});

describe('the order of the files', () => {
  it('puts what defines before what mentions, and tests and documents behind', async () => {
    const { ask } = searchIn({
      'docs/guide.md': 'The rate limiter limits the rate. '.repeat(3),
      'src/a.ts': '// uses the rate limiter\nlimiter();\n',
      'src/b.ts': 'export function rateLimiter() {}\n',
      'test/b.test.ts': "it('limits', () => rateLimiter());\n",
    });
    expect((await ask('rate limiter'))[0]).toBe('src/b.ts');
    expect((await ask('rateLimiter'))[0]).toBe('src/b.ts');
    expect((await ask('rate_limiter'))[0]).toBe('src/b.ts');
    expect((await ask('how is the rate limiter tested')).slice(0, 2)).toContain('test/b.test.ts');
  });

  it('puts source before what is of the same words but made, tested with or written about', async () => {
    const paths = [
      'dist/clock.ts',
      'docs/clock.md',
      'examples/clock.ts',
      'src/clock.ts',
      'test/clock.ts',
    ];
    const { ask } = searchIn(Object.fromEntries(paths.map((path) => [path, 'The clock ticks.'])));
    expect((await ask('clock ticks'))[0]).toBe('src/clock.ts');
    expect((await ask('clock ticks in the documents')).slice(0, 2)).toContain('docs/clock.md');
  });

  it('knows a file by its name and by its directories', async () => {
    const filler = 'const some = thing;\n'.repeat(5);
    const { ask } = searchIn({
      'billing/invoice.ts': filler,
      'billing/other.ts': filler,
      'shipping/other.ts': filler,
    });
    expect(await ask('invoices')).toEqual(['billing/invoice.ts']);
    expect(await ask('billing')).toHaveLength(2);
  });
});

describe('an index', () => {
  it('sees what was written, moved and deleted since the last question', async () => {
    const { root, ask } = searchIn({ 'a.ts': 'apple', 'b.ts': 'banana' });
    expect(await ask('apple banana')).toEqual(['a.ts', 'b.ts']);
    write(root, { 'a.ts': 'grape', 'c/d.ts': 'cherry' });
    renameSync(join(root, 'b.ts'), join(root, 'moved.ts'));
    expect(await ask('apple')).toEqual([]);
    expect(await ask('grape')).toEqual(['a.ts']);
    expect(await ask('banana')).toEqual(['moved.ts']);
    rmSync(join(root, 'c'), { recursive: true });
    expect(await ask('cherry')).toEqual([]);
  });

  it('sees a change that leaves size and time as they were', async () => {
    const { root, ask } = searchIn({ 'a.ts': 'apple' });
    const time = new Date(1_700_000_000_000);
    utimesSync(join(root, 'a.ts'), time, time);
    expect(await ask('apple')).toEqual(['a.ts']);
    write(root, { 'a.ts': 'grape' });
    utimesSync(join(root, 'a.ts'), time, time);
    expect(await ask('grape')).toEqual(['a.ts']);
  });

  it('answers questions that are asked at once, each with its own answer', async () => {
    const { ask, search } = searchIn({ 'a.ts': 'apple', 'b.ts': 'banana' });
    expect(await Promise.all([ask('apple'), ask('banana'), ask('cherry')])).toEqual([
      ['a.ts'],
      ['b.ts'],
      [],
    ]);
    await search.close();
  });

  it('takes hostile text for what it is', async () => {
    const { ask } = searchIn({
      'long-line.ts': `${'x1 '.repeat(100_000)}needle`,
      'prototype.ts': 'constructor __proto__ hasOwnProperty toString',
      'words.ts': Array.from({ length: 30_000 }, (_, index) => `word${index}a`).join(' '),
    });
    expect(await ask('needle')).toEqual(['long-line.ts']);
    expect(await ask('__proto__ constructor')).toEqual(['prototype.ts']);
  });
});
