import { readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, it } from '@jest/globals';
import { changeEnvFile, withSettings } from '../../src/commands/setup/app-files.ts';
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
  expect(withSettings(before, changes)).toBe(after);
  expect(parseEnv(withSettings(before, changes))).toMatchObject(
    Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
  );
});

it('only its owner can read the file, the former one, and what a link leads to', () => {
  const directory = temporaryDirectory();
  const [file, link] = [join(directory, 'real'), join(directory, '.env')];
  writeFileSync(file, 'B=2\n', { mode: 0o644 });
  symlinkSync('real', link);
  changeEnvFile(link, { A: '1' });
  expect([readFileSync(file, 'utf8'), readFileSync(`${link}.old`, 'utf8')]).toEqual([
    'B=2\nA=1\n',
    'B=2\n',
  ]);
  for (const one of [file, `${link}.old`]) expect(statSync(one).mode & 0o777).toBe(0o600);
});
