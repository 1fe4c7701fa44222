import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { VARIABLES } from '../../src/config/variables.ts';
import { PRICE_LISTS, readPriceList } from '../../src/models/catalog.ts';
import { PROVIDERS } from '../../src/models/index.ts';
import { faultsOf } from './good.ts';

const read = (name: string) => readFileSync(name, 'utf8');
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map(([, name = '']) => name);

describe('docs/configuration.md', () => {
  it('has a row for every variable, and for no other', () => {
    const rows = namesIn(read('docs/configuration.md'), /^\| (`[A-Z].*?) \|/gm);
    const named = rows.flatMap((row) => namesIn(row, /`([A-Z0-9_]+)`/g));
    expect(named.toSorted()).toEqual([...VARIABLES].toSorted());
  });
});

describe('docs/models.md', () => {
  it('tells of every provider, with each variable that sets it up', () => {
    const text = read('docs/models.md');
    for (const { name, variables } of PROVIDERS) {
      expect(text).toContain(`MODEL=${name}:`);
      for (const variable of Object.keys(variables.shape)) expect(text).toContain(variable);
    }
  });
});

describe('the prices in docs/models.md', () => {
  const text = read('docs/models.md');

  it('are said to be those of the lists, with their days', () => {
    for (const { asOf, models } of PRICE_LISTS) {
      expect(text).toContain(`| ${asOf} |`);
      for (const name of Object.keys(models))
        expect(text).toContain(`\`${name.slice(name.indexOf(':') + 1)}\``);
    }
  });

  it('are shown in a form that can be read', () => {
    const [example] = namesIn(text, /^```json\n(.*?)^```/gms);
    expect(Object.keys(readPriceList(example ?? '').models)).toHaveLength(2);
  });
});

describe('.env.example', () => {
  it('names variables that exist, and all that must be set', () => {
    const names = namesIn(read('.env.example'), /^(?:# )?([A-Z_]+)=/gm);
    for (const name of names) expect(VARIABLES).toContain(name);
    const missing = [...faultsOf({ MODEL: 'openai:gpt-5.2' }).keys(), 'MODEL'];
    // The key is given as a file there.
    expect(names).toEqual(expect.arrayContaining(missing.filter((name) => name !== 'PRIVATE_KEY')));
  });
});
