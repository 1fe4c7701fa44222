// How large an install is. The tests run in one, so the README can be compared with it.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import { sizeOnDisk } from '../support/size-on-disk.ts';

it('an install is as large as the README says, within a tenth', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  const [, said] = /The install takes a minute and ([\d.]+) GB/.exec(readme) ?? [];
  const packages = fileURLToPath(new URL('../../node_modules', import.meta.url));
  // What programs cache there later does not count.
  const megabytes = Math.round(sizeOnDisk(packages, ['.cache']) / 1e6);
  const isRight = Math.abs(Number(said) * 1000 - megabytes) < megabytes / 10;
  expect({ said, megabytes, isRight }).toEqual({ said, megabytes, isRight: true });
});
