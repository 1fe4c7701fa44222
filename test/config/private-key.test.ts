import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { faultsOf, GOOD } from './good.ts';

const keyIn = (value: string): string =>
  readConfig({ ...GOOD, PRIVATE_KEY: value }).github.privateKey.trim();

/** What is wrong with a file of a key. */
function faultOfFile(content: string): string | undefined {
  const { PRIVATE_KEY: _key, ...rest } = GOOD;
  const path = join(temporaryDirectory(), 'key.pem');
  writeFileSync(path, content);
  return faultsOf({ ...rest, PRIVATE_KEY_PATH: path }).get('PRIVATE_KEY_PATH');
}

describe('a private key is read', () => {
  const lines = PRIVATE_KEY.trim().split('\n');
  it.each([
    ['with escaped line breaks', lines.join('\\n')],
    ['with those of Windows', lines.join('\r\n')],
    ['with those of Windows, escaped', lines.join('\\r\\n')],
    ['with blanks for line breaks', lines.join(' ')],
    ['in base64', Buffer.from(PRIVATE_KEY).toString('base64')],
    ['behind a byte order mark', `\ufeff${PRIVATE_KEY}`],
  ])('%s', (_how, value) => {
    expect(keyIn(value)).toBe(PRIVATE_KEY.trim());
  });
});

describe('what is no private key is said', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const locked = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
  it.each([
    ['nothing', ' \n', /is empty/],
    [
      'a public key',
      publicKey.export({ type: 'spki', format: 'pem' }),
      /is a public key.*Generate/,
    ],
    ['a key with a passphrase', privateKey.export(locked), /without a passphrase.*openssl rsa/],
    ['a part of a key', PRIVATE_KEY.slice(0, 500), /no last line.*part of it is missing/],
    ['a certificate', '-----BEGIN CERTIFICATE-----\nZebrafish\n', /is a certificate/],
  ])('%s', (_what, content, fault) => {
    expect(faultOfFile(String(content))).toMatch(fault);
  });

  it('a path in the place of the key', () => {
    const faults = faultsOf({ ...GOOD, PRIVATE_KEY: './private-key.pem' });
    expect(faults.get('PRIVATE_KEY')).toMatch(/path of a file\. Set PRIVATE_KEY_PATH/);
  });
});
