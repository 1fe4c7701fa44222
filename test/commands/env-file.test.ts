import {
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { changeEnvFile, changeSettings } from '../../src/commands/setup/app-files.ts';
import { unlessItFails } from '../../src/lib/errors.ts';
import { cases } from '../support/cases.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

it.each([
  ['nothing', '', { A: '1' }, 'A=1\n'],
  ['an empty setting', '# mine\nA=\nB=2\n', { A: '1' }, '# mine\nA=1\nB=2\n'],
  ['a comment of that name', '# A=0\n', { A: '1' }, '# A=0\nA=1\n'],
  ['an export', 'export A=0\n', { A: '1' }, 'A=1\n'],
  ['a setting twice', 'A=0\nB=2\nA=3\n', { A: '1' }, 'A=1\nB=2\n'],
  ['no last line break', 'B=2', { A: '1' }, 'B=2\nA=1\n'],
  ['a setting to remove', 'A=0\nB=2\n', { A: undefined }, 'B=2\n'],
  ['a value in several lines', 'K="a\nA=b"\nB=2\n', { A: '1' }, 'K="a\nA=b"\nB=2\nA=1\n'],
  ['a value in several lines to remove', 'K="a\nb"\nB=2\n', { K: undefined }, 'B=2\n'],
])('a file with %s gets settings, and keeps the rest', (_what, before, changes, after) => {
  expect(changeSettings(before, changes)).toBe(after);
  expect(parseEnv(changeSettings(before, changes))).toMatchObject(
    Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
  );
});

it('only its owner can read the file and the former one', () => {
  const file = join(temporaryDirectory(), '.env');
  writeFileSync(file, 'B=2\n', { mode: 0o644 });
  changeEnvFile(file, { A: '1' });
  expect([readFileSync(file, 'utf8'), readFileSync(`${file}.old`, 'utf8')]).toEqual([
    'B=2\nA=1\n',
    'B=2\n',
  ]);
  for (const one of [file, `${file}.old`]) expect(statSync(one).mode & 0o777).toBe(0o600);
});

it.each(['real', 'nowhere'])('a link to a file (%s) is not followed', (target) => {
  const directory = temporaryDirectory();
  const [file, link] = [join(directory, 'real'), join(directory, '.env')];
  writeFileSync(file, 'B=2\n', { mode: 0o644 });
  symlinkSync(target, link);
  expect(() => changeEnvFile(link, { A: '1' })).toThrow('is a link, and setup follows none');
  expect(readdirSync(directory).toSorted()).toEqual(['.env', 'real']);
  expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['B=2\n', 0o644]);
});

it('a file whose former one is a link gets a file in its place', () => {
  const directory = temporaryDirectory();
  const file = join(directory, '.env');
  writeFileSync(join(directory, 'mine'), 'mine');
  writeFileSync(file, 'B=2\n');
  symlinkSync('mine', `${file}.old`);
  changeEnvFile(file, { A: '1' });
  expect(readFileSync(join(directory, 'mine'), 'utf8')).toBe('mine');
  expect(lstatSync(`${file}.old`).isFile()).toBe(true);
});

it('a value that setup writes is read as that value and nothing else, or not written', () => {
  const value = fc.oneof(fc.string(), fc.stringMatching(/^[ab'"`#=\\$ \n\r\t{}&;]{0,10}$/));
  let written = 0;
  fc.assert(
    fc.property(value, fc.constantFrom('', 'B=2\n', '# c\nexport A=0\n'), (given, before) => {
      const text = unlessItFails(() => changeSettings(before, { A: given }));
      // What nobody needs: a control character, or all kinds of quotes.
      if (text === undefined) return /\p{Cc}|'/u.test(given);
      written += 1;
      const { A, B } = parseEnv(text);
      return A === given && B === (before === 'B=2\n' ? '2' : undefined);
    }),
    { numRuns: cases(1000, 10_000) },
  );
  expect(written).toBeGreaterThan(100);
});
