import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const GLOSSARY = readFileSync('docs/glossary.md', 'utf8');

describe('the glossary', () => {
  it('has at most 25 words, each once', () => {
    const words = [...GLOSSARY.matchAll(/^\| \*\*([^*]+)\*\*/gm)].flatMap(([, row = '']) =>
      row.split(', '),
    );
    const rows = GLOSSARY.match(/^\| \*\*/gm) ?? [];
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.length).toBeLessThanOrEqual(25);
    expect(new Set(words).size).toBe(words.length);
  });

  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'README.md'])('is linked from %s', (path) => {
    expect(readFileSync(path, 'utf8')).toContain('(docs/glossary.md)');
  });
});
