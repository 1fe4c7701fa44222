import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createRedactor, REDACTED } from '../../src/lib/text/redact.ts';
import { expectLinear } from '../support/growth.ts';
import { PRIVATE_KEY as pem } from '../support/private-key.ts';

const basic = (text: string): string => Buffer.from(text).toString('base64');
const AWS_KEY = `AKIA${'ABCDEFGHIJ234567'}`;

describe('redacting exact values', () => {
  const value = 'p@ss/word+"quoted"';
  const { redact } = createRedactor([value, pem, 'short']);

  it.each([
    ['as they are', `before ${value} after`, `before ${REDACTED} after`],
    ['URL-encoded', `?key=${encodeURIComponent(value)}&x`, `?key=${REDACTED}&x`],
    ['JSON-escaped', JSON.stringify({ value }), `{"value":"${REDACTED}"}`],
    ['twice, touching', value + value, REDACTED + REDACTED],
    ['nothing too short', 'a short word', 'a short word'],
  ])('finds them %s', (_form, text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each(['', 'x', 'xy', 'xyz', 'x-access-token:'])(
    'finds them in base64 behind "%s"',
    (prefix) => {
      const text = redact(`Basic ${basic(`${prefix}${value}:more`)}`);
      expect(text).toContain(REDACTED);
      for (let at = 0; at + 8 <= value.length; at += 1)
        for (const lead of [0, 1, 2])
          expect(text).not.toContain(basic('0'.repeat(lead) + value.slice(at)).slice(4, 12));
    },
  );

  it('finds a private key whole, line by line, and on one line', () => {
    const [, first = '', second = ''] = pem.split('\n');
    expect(redact(`key: ${pem}`)).not.toMatch(/[A-Za-z0-9+/]{40}/);
    expect(redact(`only ${second} here`)).toBe(`only ${REDACTED} here`);
    expect(redact(`${first.slice(0)}x`)).toBe(`${REDACTED}x`);
    expect(redact(pem.replaceAll('\n', '\\n'))).not.toMatch(/[A-Za-z0-9+/]{40}/);
    expect(redact(basic(pem))).not.toMatch(/[A-Za-z0-9+/]{100}/);
  });

  it('redacts values that overlap as one', () => {
    const overlapping = createRedactor(['abcdefgh-12', 'gh-12345678']);
    expect(overlapping.redact('<abcdefgh-12345678>')).toBe(`<${REDACTED}>`);
  });

  it('learns values later, and remembers the newest 500 of those', () => {
    const learning = createRedactor(['permanent-value']);
    const tokens = Array.from({ length: 501 }, (_, at) => `learned-${at}-value`);
    for (const token of tokens) learning.add(token);
    expect(learning.redact('learned-500-value permanent-value')).toBe(`${REDACTED} ${REDACTED}`);
    expect(learning.redact('learned-1-value')).toBe(REDACTED);
    expect(learning.redact('learned-0-value')).toBe('learned-0-value');
  });

  it('hides a value anywhere in a text', () => {
    const secret = 'S3cret_Value!';
    const redactor = createRedactor([secret]);
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(redactor.redact(before + secret + after)).not.toContain(secret);
      }),
    );
  });
});

describe('redacting the shapes of credentials', () => {
  const { redact } = createRedactor();

  it.each([
    ['a GitHub token', `ghs_4242_${'aB3-_.'.repeat(80)}`],
    ['a personal token', `ghp_${'a1'.repeat(18)}`],
    ['a fine-grained token', `github_pat_11ABC_${'x9'.repeat(20)}`],
    ['a model key', `sk-proj-${'a1B2'.repeat(8)}`],
    ['an AWS key id', AWS_KEY],
    ['a Google key', `AIza${'a1B2c'.repeat(7)}`],
    ['a GitLab token', `glpat-${'aB3_-'.repeat(5)}`],
    ['an npm token', `npm_${'aB3d'.repeat(9)}`],
    ['a PyPI token', `pypi-${'aB3d'.repeat(20)}`],
    ['a Hugging Face token', `hf_${'aB3d'.repeat(9)}`],
    ['a payment key', `sk_live_${'aB3d'.repeat(6)}`],
    ['a webhook secret', `whsec_${'aB3d'.repeat(8)}`],
    ['a mail key', `SG.${'aB3d'.repeat(5)}.${'aB3d'.repeat(10)}`],
    ['an OAuth secret', `GOCSPX-${'aB3d'.repeat(7)}`],
    ['an access token', `ya29.${'aB3d'.repeat(10)}`],
    [
      'a PGP key',
      `-----BEGIN PGP PRIVATE KEY BLOCK-----\n${'aB3d'.repeat(30)}\n-----END PGP PRIVATE KEY BLOCK-----`,
    ],
    ['a JSON web token', `eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.${'s1g'.repeat(8)}`],
    ['a private key', pem.trimEnd()],
    ['a key that was cut', `${pem.slice(0, 400)}`],
  ])('hides %s', (_what, secret) => {
    expect(redact(`see: ${secret}`)).toBe(`see: ${REDACTED}`);
    expect(redact(redact(`see: ${secret}`))).toBe(`see: ${REDACTED}`);
  });

  it.each([
    ['Authorization: Bearer abcdef0123456789', `Authorization: Bearer ${REDACTED}`],
    ['authorization: basic dXNlcjpwYXNz', `authorization: basic ${REDACTED}`],
    ['https://user:pa:ss@host/x', `https://${REDACTED}@host/x`],
    ['postgres://app:pass@db:5432/x', `postgres://${REDACTED}@db:5432/x`],
    [
      `https://hooks.slack.com/services/${'T0/B0/aB3d'.repeat(3)}`,
      `https://hooks.slack.com/services/${REDACTED}`,
    ],
    [`AccountKey=${'aB3/'.repeat(12)}==`, `AccountKey=${REDACTED}`],
    [`aws_secret_access_key = ${'aB3/'.repeat(10)}`, `aws_secret_access_key = ${REDACTED}`],
  ])('hides the secret part of %s', (text, expected) => {
    expect(redact(text)).toBe(expected);
    expect(redact(expected)).toBe(expected);
  });

  it.each([
    ['in a quotation', pem.trimEnd().replaceAll('\n', '\n> ')],
    ['as strings of a program', pem.trimEnd().replaceAll('\n', '\\n" +\n  "')],
    ['behind signs', pem.trimEnd().replaceAll('\n', '\n# | `')],
    ['as lines that a search found', pem.trimEnd().replaceAll('\n', '\nkeys/a_key.pem:2:')],
    ['with a version', pem.trimEnd().replace('\n', '\nVersion: GnuPG v1.4.11 (GNU/Linux)\n\n')],
    ['with headers', pem.trimEnd().replace('\n', '\nDEK-Info: AES-256-CBC,0A1B\n\n')],
  ])('hides a private key %s', (_how, key) => {
    expect(redact(`see: ${key}`)).toBe(`see: ${REDACTED}`);
  });

  it('keeps the text between two texts that each name an edge of a key', () => {
    const between = ' (so it begins).\n\n## What was observed\n\nIt ends with ';
    expect(redact(`-----BEGIN PRIVATE KEY-----${between}-----END PRIVATE KEY-----`)).toBe(
      `${REDACTED}${between.trimStart()}-----END PRIVATE KEY-----`,
    );
  });

  it.each([
    'the bearer of this letter',
    'task-implement-the-new-redactor-now',
    'sk-learn-pipelines-are-not-keys-at-all',
    'https://host:8080/a@b',
    'mail maintainer@example.com',
    '-----BEGIN PUBLIC KEY-----',
    'ghost_writer and ghp_short',
  ])('leaves "%s" alone', (text) => {
    expect(redact(text)).toBe(text);
  });
});

describe('redacting a megabyte', () => {
  const size = 1_000_000;
  const tokens = Array.from({ length: 500 }, (_, at) => `ghs_4242_${at}_${'xY9'.repeat(170)}`);
  const redactor = createRedactor([pem]);
  for (const token of tokens) redactor.add(token);

  it.each([
    'a',
    ' ',
    'ghp_',
    'ghs_4242_',
    'sk-',
    'sk-a ',
    'eyJ',
    'eyJaaaaaaaaaaaa.',
    'eyJaaaaaaaaaaaa.eyJaaaaaaaaaaaa ',
    'Bearer ',
    'bearer a',
    '://a:',
    '://',
    'http://aaaaaaa:',
    '-----BEGIN RSA PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----A-',
    '-----BEGIN PRIVATE KEY-----A-----END PRIVATE KEY-----',
    '-----BEGIN PRIVATE KEY-----*-----END PRIVATE KEY-----',
    '-----BEGIN A',
    'authorization: basic ',
    'aws_secret_access_key=',
    'AKIA',
  ])('of "%s" takes no longer than a few', (unit) => {
    redactor.redact('warm');
    expectLinear((length) => redactor.redact(unit.repeat(Math.ceil(length / unit.length))), size);
  });
});
