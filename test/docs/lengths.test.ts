// Documents grow with every feature. These limits make people say a thing once, and delete what it replaces.
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { DOCUMENTS } from '../support/documents/documents.ts';

const read = (path: string): string => readFileSync(path, 'utf8');

/** A page that is made of nothing but the code. */
const isGenerated = (path: string): boolean => {
  const document = DOCUMENTS.find((one) => one.path === path);
  try {
    return document !== undefined && document.make('') !== '';
  } catch {
    return false;
  }
};

const GENERATED_PART = /<!-- made by npm run docs: [a-z-]+ -->[^]*?<!-- end -->/g;

const wordsIn = (path: string): number =>
  read(path)
    .replaceAll(GENERATED_PART, '')
    .split(/\s+/)
    .filter((word) => word !== '').length;

it('the documents that people write have at most 25,000 words, decisions not counted', () => {
  const pages = ['README.md', ...globSync('docs/*.md')];
  const written = pages.filter((path) => !isGenerated(path));
  expect(pages.length - written.length).toBeGreaterThan(2);
  expect(written.reduce((sum, path) => sum + wordsIn(path), 0)).toBeLessThanOrEqual(25_000);
});

it('ARCHITECTURE.md has at most 200 lines', () => {
  expect(read('ARCHITECTURE.md').split('\n').length).toBeLessThanOrEqual(201);
});
