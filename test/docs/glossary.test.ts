import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const GLOSSARY = readFileSync('docs/glossary.md', 'utf8');

/** Words of an older vocabulary, each with the plain words that replaced it. */
const REPLACED: readonly (readonly [words: RegExp, by: string])[] = [
  [/\b(?:puts?|putting) (?:\w+ ){0,4}aside\b/i, 'paused, deferred'],
  [/\bparked\b/i, 'deferred'],
  [/\banew\b/i, 'again'],
  [/\b(?:take|takes|taken|took|taking) up\b/i, 'start, resume'],
  [/\b(?:brought|brings?) (?:\w+ ){0,3}in line\b/i, 'publish'],
  [/\bof its own accord\b/i, 'automatically'],
  [/\bmend(?:s|ed|ing)?\b/i, 'fix'],
  [/\bspoilt\b/i, 'malformed'],
  [/\brefus(?:e[sd]?|ing)\b/i, 'denied, rejected, filtered, skipped, invalid, not allowed'],
  [/\b(?:any|every|some)body\b/i, 'anyone, everyone, someone'],
  [/\b(?:goes|went) on\b/i, 'continue, resume'],
];

const FILES = globSync(['src/**/*.{ts,js}', 'docs/**/*.md', '*.md']);

describe('the glossary', () => {
  it('has at most 25 rows, and each word once', () => {
    const rows = [...GLOSSARY.matchAll(/^\| \*\*([^*]+)\*\*/gm)];
    const words = rows.flatMap(([, row = '']) => row.split(', '));
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.length).toBeLessThanOrEqual(25);
    expect(new Set(words).size).toBe(words.length);
  });

  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md'])('is linked from %s', (path) => {
    expect(readFileSync(path, 'utf8')).toContain('(docs/glossary.md)');
  });
});

it.each(REPLACED)('no document and no code says %s but %s', (words) => {
  const found = FILES.flatMap((path) =>
    readFileSync(path, 'utf8')
      .split('\n')
      .flatMap((line, at) => (words.test(line) ? [`${path}:${at + 1}: ${line.trim()}`] : [])),
  );
  expect(FILES.length).toBeGreaterThan(300);
  expect(found).toEqual([]);
});
