import { prepare } from '../../src/agent/dispatch.ts';
import { describe, expect, it } from '@jest/globals';
import { TellModel } from '../../src/lib/errors.ts';
import { bench } from './support.ts';

const SEED = {
  'src/a.ts': 'const a = 1;\nconst Bee = 2;\n',
  'src/deep/b.tsx': 'const b = 3;\r\n',
  'docs/c.md': 'const c\n',
  binary: Uint8Array.from([0, ...Buffer.from('const')]),
  'ignored/d.ts': 'const d',
  '.gitignore': 'ignored/\n',
};

/** What a tool answers, over these files. */
const over = async (tool: string, seed: Record<string, string | Uint8Array> = SEED) => {
  const { call } = await bench(seed);
  return async (args: object): Promise<string> => (await call(tool, args)).output;
};

describe('grep_search', () => {
  it.each([
    ['greet', 'Search for greet'],
    ['greet\\(', 'Search for greet('],
    ['greet|hello', 'Search for greet or hello'],
    ['\\bgreet\\s*\\(', 'Search the files'],
    ['class \\w+Error', 'Search the files'],
    ['a|', 'Search the files'],
  ])('is named after what it looks for, unless %j is no text', async (pattern, title) => {
    const { tools } = await bench();
    expect(prepare(tools, { tool: 'grep_search', arguments: { pattern } })).toMatchObject({
      title,
    });
  });

  it('finds lines with file and number, by path, glob and case', async () => {
    const grep = await over('grep_search');
    expect(await grep({ pattern: '^const \\w+' })).toBe(
      'docs/c.md\n1: const c\n\nsrc/a.ts\n1: const a = 1;\n2: const Bee = 2;\n\nsrc/deep/b.tsx\n1: const b = 3;',
    );
    expect(await grep({ pattern: 'const', path: 'docs' })).toBe('docs/c.md\n1: const c');
    expect(await grep({ pattern: 'const b', glob: '*.{ts,tsx}' })).toBe(
      'src/deep/b.tsx\n1: const b = 3;',
    );
    expect(await grep({ pattern: 'b', path: 'src', glob: 'deep/*' })).toContain('deep/b.tsx\n1:');
    expect(await grep({ pattern: 'bee', ignore_case: true })).toBe('src/a.ts\n2: const Bee = 2;');
  });

  it('searches one file, and an ignored one if it is named', async () => {
    const grep = await over('grep_search');
    expect(await grep({ pattern: 'const a', path: 'src/a.ts' })).toBe('src/a.ts\n1: const a = 1;');
    expect(await grep({ pattern: 'const', path: 'ignored' })).toBe('ignored/d.ts\n1: const d');
  });

  it('says that nothing matches, and in how many files', async () => {
    const grep = await over('grep_search');
    expect(await grep({ pattern: 'bee', glob: 'src/*' })).toBe('No match in 1 file.');
    expect(await grep({ pattern: 'a', path: 'src/a.ts', glob: '*.md' })).toBe(
      'No match in 0 files.',
    );
  });

  it('gives the lines around each match, as grep marks them', async () => {
    const grep = await over('grep_search', { 'a.txt': '1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n' });
    expect(await grep({ pattern: 'hit', context: 1 })).toBe(
      'a.txt\n2- 2\n3: hit\n4- 4\n--\n7- 7\n8: hit\n9: hit',
    );
  });

  it('gives ten lines around a match to who asks for more, and says so', async () => {
    const lines = Array.from({ length: 41 }, (_, at) => (at === 20 ? 'hit' : `${at + 1}`));
    const grep = await over('grep_search', { 'a.txt': lines.join('\n') });
    for (const context of [70, '70']) {
      const shown = (await grep({ pattern: 'hit', context })).split('\n');
      expect(shown.slice(0, 2)).toEqual(['a.txt', '11- 11']);
      expect(shown.slice(-2)).toEqual(['31- 31', '(10 lines around a match at most)']);
    }
  });

  it('says what is wrong with a pattern and where, with a glob, and with a path', async () => {
    const grep = await over('grep_search');
    await expect(grep({ pattern: 'x[a-' })).rejects.toThrow('"[" is never closed, at character 2');
    await expect(grep({ pattern: 'a', glob: '[z-a]' })).rejects.toThrow(
      'glob "[z-a]" is not valid',
    );
    await expect(grep({ pattern: 'a', path: 'nowhere' })).rejects.toThrow('does not exist');
    await expect(grep({ pattern: 'a', path: '../x' })).rejects.toBeInstanceOf(TellModel);
  });

  it('stops at 200 matches and at 40 kB, and cuts long lines around the match', async () => {
    const grep = await over('grep_search', {
      'many.txt': 'x\n'.repeat(300),
      'wide.txt': `${'z'.repeat(5000)}needle${'z'.repeat(5000)}`,
      'heavy.txt': `${'w'.repeat(299)}\n`.repeat(300),
    });
    const lines = (await grep({ pattern: 'x' })).split('\n');
    expect(lines).toHaveLength(202);
    expect(lines.at(-1)).toContain('the first 200 matches');
    expect(await grep({ pattern: 'needle' })).toMatch(/^wide\.txt\n1: …z+needlez+…$/);
    const heavy = await grep({ pattern: 'w+' });
    expect(heavy.length).toBeLessThan(41_000);
    expect(heavy).toMatch(/\(the first \d\d\d matches; narrow the search/);
  });

  it('gives a pattern up that goes astray, with what was found before', async () => {
    const grep = await over('grep_search', { 'a.txt': 'aab\n', 'b.txt': `${'a'.repeat(5000)}\n` });
    const output = await grep({ pattern: '(a+)+b' });
    expect(output).toContain('a.txt\n1: aab');
    expect(output).toContain('the search took too long');
  });
});

describe('find_files', () => {
  it('finds files by name anywhere, and by their path from the root or from where it begins', async () => {
    const find = await over('find_files');
    expect(await find({ pattern: '*.ts' })).toBe('src/a.ts');
    expect(await find({ pattern: '**/*.{tsx,md}' })).toBe('docs/c.md\nsrc/deep/b.tsx');
    expect(await find({ pattern: 'src/*' })).toBe('src/a.ts');
    expect(await find({ pattern: 'deep/*', path: 'src' })).toBe('src/deep/b.tsx');
    expect(await find({ pattern: '*.ts', path: 'src/a.ts' })).toBe('src/a.ts');
  });

  it('puts the newest first if asked to', async () => {
    const { call, files } = await bench({ 'a.txt': '', 'b.txt': '' });
    await files.write('a.txt', Buffer.from('newer'));
    const { output } = await call('find_files', { pattern: '*.txt', sort: 'newest' });
    expect(output).toBe('a.txt\nb.txt');
  });

  it('says that nothing matches, and why that may be', async () => {
    const find = await over('find_files');
    expect(await find({ pattern: '*.py' })).toBe('No file matches "*.py".');
    expect(await find({ pattern: 'deep/b.tsx' })).toContain('Begin it with "**/"');
    expect(await find({ pattern: 'app/[slug].ts' })).toContain('begins a character class');
    await expect(find({ pattern: 'app/[slug' })).rejects.toThrow('is never closed');
  });

  it('names the first 200, and says how many there are', async () => {
    const seed = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`f${index}`, '']));
    const find = await over('find_files', seed);
    const lines = (await find({ pattern: '*' })).split('\n');
    expect(lines.at(-1)).toBe('(the first 200 of 250 files; narrow the search by pattern or path)');
    expect((await find({ pattern: '*', limit: '250' })).split('\n')).toHaveLength(250);
  });
});

const CODE = {
  'lib/token-store.ts': `import { now } from './clock.ts';\n\n${'// filler\n'.repeat(60)}/** Forgets the tokens that have expired. */\nexport function dropExpiredTokens(tokens: Map<string, number>): void {\n  for (const [token, until] of tokens) if (until < now()) tokens.delete(token);\n}\n`,
  'lib/clock.ts': 'export const now = (): number => Date.now();\n',
  'test/token-store.test.ts': "it('drops expired tokens', () => dropExpiredTokens(new Map()));\n",
};

describe('search_codebase', () => {
  it('finds the file that a question is about, with the lines that fit best', async () => {
    const search = await over('search_codebase', CODE);
    const output = await search({ query: 'Where are expired tokens removed?' });
    expect(output).toMatch(/^lib\/token-store\.ts\n63\t\/\*\* Forgets the tokens/);
    expect(output).toContain('64\texport function dropExpiredTokens');
    expect(output).toContain('dropExpiredTokens is tested in test/token-store.test.ts:1');
  });

  it('answers in 6,000 bytes, the best file with its lines', async () => {
    const long = (name: string): string =>
      Array.from(
        { length: 30 },
        (_, index) =>
          `// apple ${'and a long comment '.repeat(9)}\nfunction ${name}Apple${index}() {}\n`,
      ).join('');
    const seed = Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`src/f${index}.ts`, long(`f${index}`)]),
    );
    const output = await (await over('search_codebase', seed))({ query: 'apple' });
    expect(Buffer.byteLength(output)).toBeLessThanOrEqual(6000);
    expect(output.split('\n\n').length).toBeGreaterThan(4);
    expect(output).toContain('// apple and a long comment');
  });

  it('searches only the given path', async () => {
    const search = await over('search_codebase', CODE);
    const query = 'expired tokens';
    expect(await search({ query, path: 'test' })).toMatch(/^test\/token-store\.test\.ts/);
    expect(await search({ query, glob: 'clock*' })).toContain('occurs in 1 file.');
  });

  it('says that nothing was found', async () => {
    const search = await over('search_codebase', CODE);
    expect(await search({ query: 'kubernetes' })).toBe(
      'None of these words occurs in 3 files. Try other words, or a part of one.',
    );
    expect(await search({ query: 'how is it?' })).toContain('None of these words');
  });
});

describe('retrieve_context_files', () => {
  it('reads several files whole, each under its path', async () => {
    const retrieve = await over('retrieve_context_files');
    expect(await retrieve({ paths: ['src/a.ts', 'docs/c.md'] })).toBe(
      'src/a.ts (whole, 2 lines)\n1\tconst a = 1;\n2\tconst Bee = 2;\n\ndocs/c.md (whole, 1 line)\n1\tconst c',
    );
  });

  it('says which files it cannot read, beside those that it can', async () => {
    const retrieve = await over('retrieve_context_files');
    const output = await retrieve({ paths: ['docs/c.md', 'nowhere', 'binary', '../x'] });
    expect(output).toMatch(/^docs\/c\.md/);
    expect(output).toContain('"nowhere" does not exist');
    expect(output).toContain('"binary" is not text');
    await expect(retrieve({ paths: ['nowhere'] })).rejects.toThrow('does not exist');
    await expect(retrieve({})).rejects.toThrow('Give the paths of the files, or a query');
  });

  it('finds the files for a query, and shows the best parts of those that do not fit', async () => {
    const retrieve = await over('retrieve_context_files', {
      ...CODE,
      'lib/long.ts': `${'// nothing here\n'.repeat(3000)}const tokenLifetime = expired;\n${'// nor here\n'.repeat(3000)}`,
    });
    const output = await retrieve({ query: 'expired token lifetime', max_bytes: 8000 });
    expect(output.length).toBeLessThan(8500);
    expect(output).toMatch(/lib\/long\.ts \(lines \d+ to \d+ of 6001; the rest is left out\)/);
    expect(output).toContain('3001\tconst tokenLifetime = expired;');
    expect(output).toContain('lib/token-store.ts');
  });

  it('shows the beginning of a long file, or what of it a question is about', async () => {
    const long = `${'a line\n'.repeat(2000)}const needle = 1;\n${'a line\n'.repeat(2000)}`;
    const retrieve = await over('retrieve_context_files', { 'long.ts': long });
    expect(await retrieve({ paths: ['long.ts'], max_bytes: 3000 })).toMatch(
      /^long\.ts \(lines 1 to \d+ of 4001; the rest is left out\)\n1\ta line\n/,
    );
    expect(await retrieve({ paths: 'long.ts', query: 'needle', max_bytes: 3000 })).toContain(
      '2001\tconst needle = 1;',
    );
  });
});

describe('searches', () => {
  it('name the files that they did not search', async () => {
    const seed = { 'a.txt': 'needle\n', 'big.txt': 'needle\n'.repeat(100_000) };
    const { call } = await bench(seed);
    const ranked = await call('search_codebase', { query: 'needle' });
    expect(ranked.output).toMatch(/^a\.txt\n[^]*\n\(too large to search: big\.txt\)$/);
    const read = await call('retrieve_context_files', { query: 'needle' });
    expect(read.output).toMatch(/\n\(too large to search: big\.txt\)$/);
    const grep = await call('grep_search', { pattern: 'none', limit: 1 });
    expect(grep.output).toBe('No match in 2 files.');
  });

  it('name the files that are not text if nothing is found, and only then', async () => {
    const grep = await over('grep_search');
    expect(await grep({ pattern: 'const' })).not.toContain('not text');
    expect(await grep({ pattern: 'const', path: 'binary' })).toBe(
      'No match in 1 file.\n(not text, so not searched: binary)',
    );
    expect(await grep({ pattern: 'none' })).toMatch(/\n\(not text, so not searched: binary\)$/);
  });
});
