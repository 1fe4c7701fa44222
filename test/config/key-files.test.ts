import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readConfig, secretsOf } from '../../src/config.ts';
import { faultsOf, GOOD } from './good.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'iw-key-files-'));
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, content: string): string {
  const at = path.join(directory, name);
  writeFileSync(at, content);
  return at;
}

const { WEBHOOK_SECRET, OPENAI_API_KEY, PRIVATE_KEY, ...REST } = GOOD;
const OTHER = '8f1d2c77aa04b95e6630';

describe('a key that is given as a file', () => {
  it('counts as if its variable were set, and commands never see the file', () => {
    const files = {
      PRIVATE_KEY_PATH: file('app.pem', PRIVATE_KEY),
      WEBHOOK_SECRET_FILE: file('webhook', `${WEBHOOK_SECRET}\n`),
      OPENAI_API_KEY_FILE: file('openai', `${OPENAI_API_KEY}\n`),
    };
    const config = readConfig({ ...REST, ...files });
    expect(config.github.webhookSecrets).toEqual([WEBHOOK_SECRET]);
    expect(config.models.settings.get('openai')).toMatchObject({ OPENAI_API_KEY });
    expect(config.keyFiles).toEqual(Object.values(files));
    expect(config.shell.secretFiles).toEqual([...Object.values(files), '.env']);
    expect(config.ineffective).toEqual([]);
  });

  it('is read again with the other settings', () => {
    const key = file('again', 'sk-one');
    const { OPENAI_API_KEY: _key, ...good } = GOOD;
    const config = readConfig({ ...good, OPENAI_API_KEY_FILE: key });
    writeFileSync(key, 'sk-two\n');
    const now = config.again().models.settings.get('openai');
    expect(now).toMatchObject({ OPENAI_API_KEY: 'sk-two' });
  });

  it('may be two webhook secrets, both of which are redacted', () => {
    const two = file('two', `${WEBHOOK_SECRET}\r\n${OTHER}\r\n`);
    const config = readConfig({ ...GOOD, WEBHOOK_SECRET: '', WEBHOOK_SECRET_FILE: two });
    expect(config.github.webhookSecrets).toEqual([WEBHOOK_SECRET, OTHER]);
    expect(secretsOf(config)).toEqual(expect.arrayContaining([WEBHOOK_SECRET, OTHER]));
  });

  it.each([
    [
      'that is not there',
      () => ({ WEBHOOK_SECRET: '', WEBHOOK_SECRET_FILE: '/nowhere/x.key' }),
      /cannot be read \(ENOENT\)/,
    ],
    [
      'that is empty',
      () => ({ WEBHOOK_SECRET: '', WEBHOOK_SECRET_FILE: file('none', '\n') }),
      /empty file/,
    ],
    [
      'beside its variable',
      () => ({ WEBHOOK_SECRET_FILE: file('beside', OTHER) }),
      /so is WEBHOOK_SECRET\. Remove one/,
    ],
  ])('and %s is a fault', (_what, settings, says) => {
    expect(faultsOf({ ...GOOD, ...settings() }).get('WEBHOOK_SECRET_FILE')).toMatch(says);
  });

  it('is checked as its variable is', () => {
    const weak = file('weak', `${OTHER}\nshort`);
    const faults = faultsOf({ ...GOOD, WEBHOOK_SECRET: '', WEBHOOK_SECRET_FILE: weak });
    expect(faults.get('WEBHOOK_SECRET')).toMatch(/at least 16 characters/);
  });
});
