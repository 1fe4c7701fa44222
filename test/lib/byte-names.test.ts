import { execFileSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  bytesOfName,
  fromGitQuoted,
  gitQuoted,
  nameOfBytes,
} from '../../src/lib/text/byte-names.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 30 }),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
  fc.array(fc.constantFrom(0xe2, 0x82, 0xac, 0xf0, 0x9f, 0x98, 0x80, 0xed, 0xa0, 0xc3, 0xa9, 0x41)),
);

it('each name of bytes has one text, which stands for those bytes', () => {
  fc.assert(
    fc.property(anyBytes, (given) => {
      const bytes = Buffer.from(given);
      expect(bytesOfName(nameOfBytes(bytes)).equals(bytes)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

it('a name in UTF-8 is its own text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(nameOfBytes(Buffer.from(text))).toBe(text);
    }),
  );
});

it('a name that is not UTF-8 is shown as git quotes it, and read again from that', () => {
  const root = temporaryDirectory();
  execFileSync('git', ['init', '-q'], { cwd: root });
  const names = ['caf\xe9.txt', 'tab\t\xff"\\', 'dir \xc3\xa9/\x80\x01', '\xf0\x9f\x98'];
  for (const name of names) {
    const bytes = Buffer.from(name, 'latin1');
    const input = Buffer.concat([
      Buffer.from('100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\t'),
      Buffer.from(gitQuoted(nameOfBytes(bytes))),
      Buffer.from('\n'),
    ]);
    execFileSync('git', ['update-index', '--index-info'], { cwd: root, input });
  }
  const quoted = execFileSync('git', ['ls-files'], { cwd: root }).toString().trim().split('\n');
  const wanted = names.map((name) => gitQuoted(nameOfBytes(Buffer.from(name, 'latin1'))));
  expect(quoted.toSorted()).toEqual(wanted.toSorted());
  for (const form of quoted)
    for (const given of [form, form.slice(1, -1)])
      expect(names).toContain(bytesOfName(fromGitQuoted(given) ?? '').toString('latin1'));
});

it.each(['plain', 'a\\b', 'src\\101', '"quoted"', 'C:\\300\\q', ''])(
  '%j is no quoted form of a name with other bytes',
  (text) => expect(fromGitQuoted(text)).toBeUndefined(),
);
