import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { revealAll } from '../../src/lib/text/hidden-text.ts';
import { isPlaceholder, opensNothing } from '../../src/lib/text/placeholder.ts';
import { createRedactor, REDACTED } from '../../src/lib/text/redact.ts';
import { PLACEHOLDERS, PUBLISHED_CREDENTIALS } from '../support/package-lines.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';

const KNOWN = 'the-operator-password';
const { hide, redact } = createRedactor([KNOWN]);
const shown = (text: string): string => hide(text, isPlaceholder).text;
const basic = (pair: string): string =>
  `Authorization: Basic ${Buffer.from(pair).toString('base64')}`;

describe('placeholders', () => {
  it.each(PLACEHOLDERS)('are recognised in $from: $line', ({ line }) => {
    expect(redact(line)).toContain(REDACTED);
    expect(shown(line)).toBe(line);
  });

  it.each(PUBLISHED_CREDENTIALS)('are not what could be real, as in $from, case $#', ({ line }) => {
    expect(shown(line)).toContain(REDACTED);
    expect(shown(line)).toBe(redact(line));
  });

  it.each([
    ['words in base64', basic('user:pass')],
    ['a template', 'https://x-access-token:${token}@github.com/a/b'],
    ['a variable', 'https://$USER:$PASSWORD@github.com/a/b'],
    ['an address of IPv6', 'http://admin:Tr0ub4dor@[::1]:8080/'],
  ])('are %s', (_what, text) => {
    expect(redact(text)).toContain(REDACTED);
    expect(shown(text)).toBe(text);
  });

  it.each([
    ['a password for a host', 'https://deploy:Tr0ub4dor3@db.prod.io/x'],
    ['a password in base64', basic('deploy:Tr0ub4dor3')],
    ['a token as the user', 'https://0123456789abcdef0123:x@github.com/a'],
    ['a host that only begins like one', 'https://u:Tr0ub4dor3@localhost.evil.io/'],
    ['a host that only ends like one', 'https://u:Tr0ub4dor3@notlocalhost/'],
    ['a password with an @', 'https://u:Tr0ub4@localhost:x@db.prod.io/'],
    ['a key whose edges are elsewhere', PRIVATE_KEY],
    ['a key that was cut', PRIVATE_KEY.slice(0, 60)],
  ])('are not %s', (_what, text) => {
    expect(shown(text)).toBe(redact(text));
    expect(shown(text)).toContain(REDACTED);
  });

  it.each([
    ['for a host that may exist', 'https://admin:hunter@db.prod.io/', false],
    ['for a host that does not', 'https://admin:hunter@db.test/', true],
    ['that is a template', 'https://admin:${password}@db.prod.io/', true],
    ['in base64', basic('user:pass'), true],
  ])('may open something, to whoever reviews a change, with a word %s', (_where, text, isShown) => {
    expect(hide(text, opensNothing).text === text).toBe(isShown);
  });

  it('have no token in them', () => {
    const token = `ghp_${'a1B2'.repeat(9)}`;
    expect(shown(`https://${token}:x@localhost/`)).not.toContain(token);
  });

  it.each([
    `https://user:${KNOWN}@localhost/`,
    `https://${KNOWN}:pass@localhost/`,
    basic(`${KNOWN}:pass`),
    `https://localhost/?key=${KNOWN}`,
  ])('never have a value that the service knows: %s', (text) => {
    expect(shown(text)).toContain(REDACTED);
    expect(shown(text)).not.toContain(KNOWN);
    expect(shown(text)).not.toContain(Buffer.from(KNOWN).toString('base64').slice(0, 20));
  });
});

describe('a hidden text', () => {
  const piece = fc.constantFrom(
    'a',
    '\n',
    '@',
    REDACTED,
    KNOWN,
    '://u:p1',
    '://user:pass@localhost',
    `ghp_${'a1B2'.repeat(9)}`,
    'bearer ',
    '-----BEGIN PRIVATE KEY-----',
    'MIIEpAIBAAKCAQEA',
    '-----END PRIVATE KEY-----',
  );

  it('says what each of its marks stands for', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, shows) => {
        const text = pieces.join('');
        const hidden = hide(text, () => shows);
        expect(hidden.text.split(REDACTED)).toHaveLength(hidden.hidden.length + 1);
        expect(revealAll(hidden, REDACTED)).toBe(text);
        expect(hidden.text).not.toContain(KNOWN);
      }),
    );
  });

  it('is the redacted one if nothing may be shown', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        expect(hide(pieces.join('')).text).toBe(redact(pieces.join('')));
      }),
    );
  });
});
