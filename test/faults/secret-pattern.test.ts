import { expect, it } from '@jest/globals';
import { secretPattern } from './secret-pattern.ts';

const KEY = 'sk-5f0e/9a+b';
const TOKEN = `ghs_1_${'aZ0-_'.repeat(8)}.rest`;
const matches = (text: string): boolean => new RegExp(secretPattern([KEY])).test(text);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

it.each([
  ['as it is', (secret: string) => `key=${secret};`],
  ['in hexadecimal', (secret: string) => Buffer.from(`key=${secret};`).toString('hex')],
  ['in base64', (secret: string) => base64(secret)],
  ['in base64 after one byte', (secret: string) => base64(`:${secret};`)],
  ['in base64 after two bytes', (secret: string) => base64(`a:${secret};`)],
  ['in the header of a request', (secret: string) => `Basic ${base64(`x-access-token:${secret}`)}`],
])('a secret is recognised %s', (_how, written) => {
  expect(matches(written(KEY))).toBe(true);
  expect(matches(written(TOKEN))).toBe(true);
  expect(matches(written('sk-5f0e-9a-b ghs_2_other'))).toBe(false);
});

it('what is left of a redacted token is no secret', () => {
  expect(matches('ghs_1_aZ0-[redacted]')).toBe(false);
});
