import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { passwordsIn } from '../../src/config.ts';
import { VARIABLES } from '../../src/config/variables.ts';
import { openStore } from '../../src/store/open.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { createDatabase, type TestDatabase } from '../support/test-database.ts';
import { faultsOf, GOOD } from './good.ts';

const log = pino({ level: 'silent' });

describe('a secret in the wrong variable', () => {
  const secrets = [
    ['the text of a key', GOOD.PRIVATE_KEY.replaceAll(/-----.*-----|\n/g, '')],
    ['an API key', 'sk-proj-Zebrafish0123456789abcdefghij'],
    ['a key before a colon', 'sk-proj-Zebrafish0123456789abcdefghij:'],
    ['a token', 'ghp_Zebrafish0123456789abcdefghijklmnop'],
    ['hexadecimal', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b'],
    ['an address with a password', 'postgres://me:Zebrafish0123456789@database.internal/x'],
    ['a secret key of AWS', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
    ['base64 with slashes', 'q8Zb1x/7Qm2LkT9vR3c/Yw5uNs0PdE6hJf4aGiXo/BKl'],
    ['a password with a dot', 'Tr0ub4dor.Zebrafish9'],
    ['a password with a slash', 'Zebra/fish0123456'],
    ['a client secret of Azure', 'abc8Q~Zx8QkP4vR7tN2mW5yB1cD6fGhJkL.3aB'],
    ['a token of Slack', 'xoxb-1234.567/89012-Zebrafish0123'],
    ['a word with a colon', 'someone:Zebrafish0123456789'],
  ] as const;

  it.each(secrets)('is not repeated in what is said of it: %s', (_what, secret) => {
    const shown: string[] = [];
    for (const name of VARIABLES) {
      const { PRIVATE_KEY: key, ...rest } = GOOD;
      const base = name === 'PRIVATE_KEY_PATH' ? rest : { ...rest, PRIVATE_KEY: key };
      for (const [setting, fault] of faultsOf({ ...base, [name]: secret }))
        for (let at = 0; at + 12 <= secret.length; at += 1)
          if (fault.includes(secret.slice(at, at + 12))) shown.push(`${setting}: ${fault}`);
    }
    expect(shown).toEqual([]);
  });

  it('that is the password of the database is known alone, in both spellings', () => {
    expect(passwordsIn('postgres://me:p%40ss@db/x')).toEqual(['p%40ss', 'p@ss']);
    expect(passwordsIn('postgres://me:50%@db/x')).toEqual(['50%']);
  });
});

describe('a secret in a variable that reaches the system', () => {
  const SECRET = 'sk-proj-Zebrafish0123456789abcdefghij';
  let database: TestDatabase;
  beforeAll(async () => void (database = await createDatabase('empty')));
  afterAll(() => database.drop());

  /** What the shipped start prints, in a directory that has a file of the secret's name. */
  async function said(setting: Readonly<Record<string, string>>): Promise<string> {
    const cwd = temporaryDirectory();
    writeFileSync(join(cwd, SECRET), '{}');
    const env = { PATH: process.env['PATH'], ...GOOD, PORT: '0', PAGES_PORT: '0', ...setting };
    const program = [resolve('bin/issuewright.js'), 'start'];
    const done = promisify(execFile)(process.execPath, program, { cwd, env, timeout: 240_000 });
    return done.then(
      ({ stdout }) => `it started: ${stdout}`,
      ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
    );
  }

  it.each([
    ['DATABASE_URL', `postgres://${SECRET}/x`, /Cannot open the database: .*Check DATABASE_URL/],
    ['HOST', SECRET, /Cannot listen on the address: .*Set HOST and PORT/],
    ['PAGES_HOST', '192.0.2.1', /on 192\.0\.2\.1:0: .*\(EADDRNOTAVAIL\)\. Set PAGES_HOST/],
    ['DATA_DIR', SECRET, /DATA_DIR: .*\(\w+\)\. Set DATA_DIR/],
    ['TMPDIR', SECRET, /must be an absolute path\. Set TMPDIR/],
    ['TMPDIR', `/${SECRET}`, /temporary files cannot be used: .*Set TMPDIR/],
  ])('%s=%s is not repeated by the start', async (name, value, message) => {
    const text = await said({ DATABASE_URL: database.url, [name]: value });
    expect(text).toMatch(message);
    expect(text).not.toMatch(/Zebrafish/i);
  });

  it.each<[string, (url: string) => string, RegExp]>([
    [
      'password',
      () => `postgres://me:${SECRET}@127.0.0.1:1/x`,
      /at 127\.0\.0\.1:1: .*ECONNREFUSED/,
    ],
    ['name', () => `postgres://localhost:1/${SECRET}`, /at localhost:1: .*ECONNREFUSED/],
    ['certificate', () => `postgres://localhost:1/x?sslcert=${SECRET}/y`, /ENOENT.*`sslcert`/],
    ['mode', () => `postgres://localhost:1/x?sslmode=${SECRET}`, /./],
    ['port', () => `postgres://localhost:${SECRET}/x`, /./],
    ['unknown name', (url) => url.replace(/\w+$/, SECRET), /no such database \(3D000\)/],
    ['unknown user', (url) => url.replace(/\w+@/, `${SECRET}@`), /\(28000\)/],
  ])('the address of the database is not: %s', async (_part, address, message) => {
    const opening = openStore({ databaseUrl: address(database.url), dataDir: '/unused', log });
    const { message: text } = (await opening.catch((error: Error) => error)) as Error;
    expect(text).toMatch(message);
    expect(text).toMatch(/^Cannot open the database.*Check DATABASE_URL/);
    expect(text).not.toMatch(/Zebrafish/i);
  });
});
