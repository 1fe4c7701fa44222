import { expect, it } from '@jest/globals';
import { fingerprintOf } from '../../src/lib/fingerprint.ts';

const of = (log: string, name = 'test', message = 'exit code 1') =>
  fingerprintOf({ name, summary: '', annotations: [{ path: '.github', message }], log });

it.each([
  ['times and counts', 'Error: 3 of 40 failed in 1.2 s', 'Error: 4 of 41 failed in 17 s'],
  ['commits', 'Error at deadbeef12', 'Error at 0123456789abcdef0123456789abcdef01234567'],
  ['temporary files', 'cannot read /tmp/a1b2/x.js', 'cannot read /tmp/c3d4/x.js'],
  ['lines that say nothing is wrong', 'downloading 1\nError: no', 'using a cache\nError: no'],
])('a failure with other %s is the same', (_what, one, other) => {
  expect(of(one)).toBe(of(other));
});

it('another message, or the same one of another check, is another failure', () => {
  expect(of('Error: no greeting')).not.toBe(of('Error: no farewell'));
  expect(of('Error: no')).not.toBe(of('Error: no', 'lint'));
  expect(of('', 'test', 'unused name')).not.toBe(of('', 'test', 'missing name'));
});
