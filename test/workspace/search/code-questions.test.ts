import { renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { QuestionMatcher } from '../../../src/workspace/search/code/matcher.ts';
import { TellModel } from '../../../src/lib/errors.ts';
import { TaskFailed } from '../../../src/lib/threads/task-thread.ts';
import { SearchThreads } from '../../../src/workspace/search/lines/search-threads.ts';
import { makePlace } from '../../../src/workspace/search/walk.ts';
import { WorkspaceSearch } from '../../../src/workspace/search/search.ts';
import { searchIn, shortly, write } from './support.ts';

describe('a question', () => {
  const finds = (question: string, text: string): boolean => {
    let count = 0;
    new QuestionMatcher(question).eachIn(text, () => (count += 1));
    return count > 0;
  };

  it.each([
    ['factory', 'reqIdGenFactory'], ['codes', 'getHTTPCode2'], ['http', 'getHTTPCode2'], ['code', 'get_http_code'],
    ['HTTP code', 'HTTP_CODE'], ['reqIdGen', 'reqidgen'], ['req_id_gen', 'ReqIDGen'], ['302', 'is302'],
    ['Änderung', 'größen_änderung'], ['漢字', '(漢字)'], ['retrying', 'RETRY_DELAY'], ['configuration', 'newConfig()'],
    ['parser', 'parse()'], ['parse', 'class Parser'], ['hoping', 'hope'], ['colours', 'a color'], ['color', 'colour'],
    ['ab.bc*cd(ef', 'the ef'], ['constructor __proto__', 'constructor'], ['retryDelay', 'retry-delay'],
  ])('about %s finds %s', (question, text) => expect(finds(question, text)).toBe(true)); // prettier-ignore

  it.each([
    ['price', 'reprice'], ['id', 'idle'], ['code', 'decoder'], ['the', 'the'], ['x', 'x'], ['config', 'configuration'],
    ['a'.repeat(101), 'a'.repeat(101)], ['', 'text'], ['***', '***'], ['ones', 'on'],
    ['maker', 'make'], ['numeric', 'numEvents numFiles'],
  ])('about %s does not find %s', (question, text) => expect(finds(question, text)).toBe(false)); // prettier-ignore

  it.each([
    'validate validates validated validating validation validator validators',
    'serialise serialize serialiser serializers serialization',
    'colour color colours', 'dependency dependencies depends dependent', 'query queries', 'plugin plugins',
  ])('finds each of %s by each', (words) => {
    for (const question of words.split(' '))
      for (const word of words.split(' ')) expect([question, word, finds(question, word)]).toEqual([question, word, true]);
  }); // prettier-ignore
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

  it('leaves out what is made of a file that it shows, and puts the rest of what is made last', async () => {
    const { ask } = searchIn({
      'dist/clock.min.js': 'The clock ticks. '.repeat(9),
      'dist/bundle.js': 'The clock ticks. '.repeat(9),
      'src/clock.ts': 'The clock ticks.',
      'src/watch.ts': 'The watch ticks.',
    });
    expect(await ask('clock ticks')).toEqual(['src/clock.ts', 'src/watch.ts', 'dist/bundle.js']);
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

describe('an answer', () => {
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
    const { ask } = searchIn({ 'a.ts': 'apple', 'b.ts': 'banana' });
    expect(await Promise.all([ask('apple'), ask('banana'), ask('cherry')])).toEqual([
      ['a.ts'],
      ['b.ts'],
      [],
    ]);
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

  it('is the same on one thread and on two', async () => {
    const seed = Object.fromEntries(
      Array.from({ length: 1200 }, (_, index) => [
        `d${index % 40}/f${index}.ts`,
        `export const apple${index} = '${'banana '.repeat(index % 7)}';\n`,
      ]),
    );
    const { root, ask } = searchIn(seed, { threads: new SearchThreads({ size: 2 }) });
    const one = new WorkspaceSearch(makePlace(root), new SearchThreads({ size: 1 }));
    expect(await ask('banana')).toEqual(await shortly(one).ask('banana'));
  });

  it('ends with its signal, with the reason of it', async () => {
    const { search } = searchIn({ 'a.ts': 'apple' });
    const question = { text: 'apple', paths: ['.'], maxFiles: 1, maxPassages: 1, span: 1 };
    const stopped = AbortSignal.abort(new Error('stopped by a person'));
    await expect(search.rank(question, stopped)).rejects.toThrow('stopped by a person');
  });

  it('says what to do instead if a thread fails or says nothing', async () => {
    class FailingThreads extends SearchThreads {
      override async run(): Promise<void> {
        throw new TaskFailed('it needs too much memory');
      }
    }
    const failing = searchIn({ 'a.ts': 'apple' }, { threads: new FailingThreads() });
    await expect(failing.ask('apple')).rejects.toThrow(
      new TellModel('The search failed: it needs too much memory. Search for exact text instead.'),
    );
    const silent = searchIn(
      { 'a.ts': 'apple' },
      { threads: new SearchThreads({ maxSilenceMs: 0 }) },
    );
    await expect(silent.ask('apple')).rejects.toThrow('The search took too long');
  });
});
