// Decisions are cited by number, in documents, code and commits. The index leads from each number to its text.
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const INDEX = readFileSync('docs/decisions/README.md', 'utf8');
const FILES = globSync('docs/decisions/0*.md').toSorted();

/** A file that has several decisions starts each with its number; one without is a decision itself. */
const numbersIn = (file: string): readonly string[] => {
  const numbers = [...readFileSync(file, 'utf8').matchAll(/^## (\d{4}) /gm)].map(
    ([, number = '']) => number,
  );
  return numbers.length > 0 ? numbers : [path.basename(file).slice(0, 4)];
};

describe('the index of decisions', () => {
  it('leads to at most 45 files, each once', () => {
    const linked = [...INDEX.matchAll(/\((\d{4}-[\w-]+\.md)\)/g)].map(([, file = '']) => file);
    expect(linked.toSorted()).toEqual(FILES.map((file) => path.basename(file)));
    expect(FILES.length).toBeLessThanOrEqual(45);
  });

  it('has each number once, in the row of its file', () => {
    const numbers = FILES.flatMap(numbersIn);
    expect(numbers.length).toBeGreaterThan(100);
    expect(new Set(numbers).size).toBe(numbers.length);
    const rows = INDEX.split('\n');
    const lost = FILES.flatMap((file) => {
      const row = rows.find((line) => line.includes(`(${path.basename(file)})`)) ?? '';
      return numbersIn(file).filter(
        (number) => !row.includes(`| ${number} |`) && !row.includes(`[${number}](`),
      );
    });
    expect(lost).toEqual([]);
  });
});
