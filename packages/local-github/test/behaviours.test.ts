// The table of GitHub's behaviours: each row is used, each use has a row, and no row is without a source.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { Behaviour } from '../src/github/behaviours/behaviour.ts';
import { AREAS, BEHAVIOURS } from '../src/github/behaviours/index.ts';
import { FALSIFIABLE, Rules } from '../src/github/behaviours/rules.ts';

const rows = Object.entries<Behaviour>(BEHAVIOURS);

const read = (glob: string) =>
  globSync(glob)
    .filter((path) => !path.includes('/behaviours/'))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
const sources = read('packages/local-github/src/github/**/*.ts');
/** Relies on some rules that the local GitHub does not have. */
const product = read('{src,packages/sandbox/src}/**/*.ts');

/** A comment says "rule `id`" where the code neither denies anything nor asks whether a rule holds. */
const cited = (text: string): string[] =>
  [...text.matchAll(/\brule\s+(?:\*\s+|\/\/\s+)?`([a-z\d-]+)`/g)].map(([, id = '']) => id);

/** Each with all of its lines. */
const comments = (text: string): string[] =>
  text.match(/^[^\S\n]*(?:\/\/|\/\*\*).*(?:\n[^\S\n]*(?:\/\/|\*).*)*/gm) ?? [];

/** How a comment begins that says what GitHub does. */
const SAYS =
  /\bas (?:on )?GitHub\b(?!'s)|\bGitHub (?:silently|never|accepts|ignores|keeps|leaves|lists|names|sends|shows|signs|supports|uses|does|has no)\b/i;

describe('the table of behaviours', () => {
  it('has each id once', () => {
    const all = AREAS.flatMap(({ behaviours }) => Object.keys(behaviours));
    expect(all.toSorted()).toEqual(Object.keys(BEHAVIOURS).toSorted());
    expect(new Set(all).size).toBe(all.length);
  });

  it.each(rows)('says one sentence about %s, with a source or the word unproven', (id, row) => {
    expect(id).toMatch(/^[a-z]+(?:-[a-z\d]+)*$/);
    expect(row.says).toMatch(/^[A-Z`“].*[.”"]$/);
    expect(row.read).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(row.standing === 'unproven' || row.sources.length > 0).toBe(true);
    for (const source of row.sources)
      expect(source).toMatch(/^(?:https:\/\/\S+|[\w.-]+\/[\w.-]+#\d+)$/);
  });

  it('has a row for each behaviour that a comment names', () => {
    const unknown = [...sources, ...product].flatMap(({ path, text }) =>
      cited(text).flatMap((id) => (id in BEHAVIOURS ? [] : [`${path}: ${id}`])),
    );
    expect(unknown).toEqual([]);
  });

  it('has the sources that comments of the local GitHub would name', () => {
    const named = sources.flatMap(({ path, text }) =>
      comments(text)
        .filter((line) => /docs\.github\.com|github\.com\/\S|\b[\w.-]+\/[\w.-]+#\d+/.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(named).toEqual([]);
  });

  it('has a row for what a comment of the local GitHub says about GitHub', () => {
    const said = sources.flatMap(({ path, text }) =>
      comments(text)
        .filter((comment) => SAYS.test(comment) && cited(comment).length === 0)
        .map((comment) => `${path}: ${comment.trim()}`),
    );
    expect(said).toEqual([]);
  });

  it('has no row that neither the local GitHub nor the product uses', () => {
    const used = new Set([
      ...product.flatMap(({ text }) => cited(text)),
      ...sources.flatMap(({ text }) => [
        ...cited(text),
        ...[...text.matchAll(/'([a-z]+(?:-[a-z\d]+)+)'/g)].map(([, id = '']) => id),
      ]),
    ]);
    expect(Object.keys(BEHAVIOURS).filter((id) => !used.has(id))).toEqual([]);
  });
});

describe('a falsified behaviour', () => {
  it.each(FALSIFIABLE)('is asked for where it is decided: %s', (id) => {
    const asks = sources.filter(({ text }) => text.includes(`.holds('${id}')`));
    expect(asks).not.toEqual([]);
  });

  it('is wrong alone, until all are restored', () => {
    const rules = new Rules();
    rules.falsify('reaction-once');
    expect(FALSIFIABLE.filter((id) => !rules.holds(id))).toEqual(['reaction-once']);
    rules.restore();
    expect(FALSIFIABLE.every((id) => rules.holds(id))).toBe(true);
  });
});
