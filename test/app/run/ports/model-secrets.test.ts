import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { modelSecrets } from '../../../../src/app/run/ports/model-secrets.ts';
import { secretsIn } from '../../../../src/app/run/ports/reviewer.ts';
import { TryLater } from '../../../../src/lib/errors.ts';
import { createRedactor, REDACTED } from '../../../../src/lib/text/redact.ts';
import { makePlace } from '../../../../src/workspace/search/walk.ts';
import { WorkspaceSearch } from '../../../../src/workspace/search/search.ts';
import { PLACEHOLDERS, PUBLISHED_CREDENTIALS } from '../../../support/package-lines.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const KNOWN = 'the-operator-password';
const redactor = createRedactor([KNOWN]);
const PUBLIC = () => Promise.resolve(true);

interface Scene {
  readonly committed?: Readonly<Record<string, string>>;
  /** What the work tree has besides. */
  readonly changed?: Readonly<Record<string, string>>;
  readonly isPublic?: (() => Promise<boolean>) | undefined;
  readonly isUncontained?: boolean;
}

function secretsWith({ committed = {}, changed = {}, isPublic, isUncontained = false }: Scene) {
  const root = temporaryDirectory();
  for (const [path, content] of Object.entries({ ...committed, ...changed })) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const secrets = modelSecrets({
    service: redactor,
    github: isPublic === undefined ? {} : { isPublic },
    workspace: {
      search: new WorkspaceSearch(makePlace(root)),
      committed: (path) => Promise.resolve(committed[path]),
    },
    isUncontained,
    signal: new AbortController().signal,
  });
  return async (text: string) => (await secrets.hide(text)).text;
}

const asRead = (text: string): string =>
  text
    .split('\n')
    .map((line, at) => `${at + 1}\t${line}`)
    .join('\n');

describe('what the model sees in a public repository', () => {
  it.each(PUBLISHED_CREDENTIALS)(
    'is what is committed there, as in $from, case $#',
    async ({ line }) => {
      const see = secretsWith({ committed: { 'test/a.js': `a\n${line}\n` }, isPublic: PUBLIC });
      await expect(see(line)).resolves.toBe(line);
      await expect(see(asRead(line))).resolves.toBe(asRead(line));
      expect(redactor.redact(line)).toContain(REDACTED);
    },
  );

  it.each(PUBLISHED_CREDENTIALS)(
    'is not what is committed nowhere, as in $from, case $#',
    async (one) => {
      const see = secretsWith({
        committed: { 'test/a.js': 'a\n' },
        changed: { 'b.js': one.line },
        isPublic: PUBLIC,
      });
      await expect(see(one.line)).resolves.toBe(redactor.redact(one.line));
    },
  );

  it('are placeholders', async () => {
    const see = secretsWith({ isPublic: PUBLIC });
    for (const { line } of PLACEHOLDERS) await expect(see(line)).resolves.toBe(line);
  });

  it.each([
    ['a credential for another host', 'https://u:Tr0ub4dor3@a.io/', 'https://u:Tr0ub4dor3@b.io/'],
    ['a key of which one line is committed', 'MIIEpAIBAAKCAQEA', 'MIIEpAIBAAKCAQEA\nc2VjcmV0'],
  ])('is not %s', async (_what, committed, text) => {
    const see = secretsWith({ committed: { a: committed }, isPublic: PUBLIC });
    const key = `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----`;
    const shown = text.startsWith('http') ? text : key;
    await expect(see(shown)).resolves.toBe(redactor.redact(shown));
  });

  it.each([
    `https://user:${KNOWN}@localhost/`,
    `https://user:[redacted]@localhost/${KNOWN}`,
    `-----BEGIN PRIVATE KEY-----\n${KNOWN}\nabc\n-----END PRIVATE KEY-----`,
    `Authorization: Basic ${Buffer.from(`u:${KNOWN}`).toString('base64')}`,
    `authorization: token ${KNOWN}`,
  ])('is never a value that the service knows, whatever a file says: %j', async (text) => {
    const committed = { a: text, b: redactor.redact(text), c: `u:${REDACTED}@localhost redacted` };
    const see = secretsWith({ committed, isPublic: PUBLIC });
    await expect(see(text)).resolves.toBe(redactor.redact(text));
  });
});

describe('what the model does not see', () => {
  const line = 'https://user:pass@localhost';
  it.each<[string, Scene]>([
    ['in a private repository', { isPublic: () => Promise.resolve(false) }],
    ['in a folder', { isPublic: undefined }],
    ['while GitHub does not answer', { isPublic: () => Promise.reject(new TryLater('down')) }],
    ['where commands see the machine', { isPublic: PUBLIC, isUncontained: true }],
  ])('is anything like a credential %s', async (_where, scene) => {
    const see = secretsWith({ committed: { a: line }, ...scene });
    await expect(see(line)).resolves.toBe(redactor.redact(line));
  });

  it('is asked of GitHub only if it matters, and once', async () => {
    let asked = 0;
    const isPublic = () => Promise.resolve((asked += 1) > 0);
    const see = secretsWith({ isPublic });
    await see('nothing');
    expect(asked).toBe(0);
    await see(line);
    await see(line);
    expect(asked).toBe(1);
  });
});

describe('secrets that the review of a change finds', () => {
  const findings = (...added: string[]) =>
    secretsIn(
      {
        path: 'a',
        status: 'modified',
        hunks: `@@ -1,1 +1,${added.length + 1} @@\n a\n${added.map((one) => `+${one}\n`).join('')}`,
      },
      redactor.hide,
    );

  it('are nothing that opens nothing', () => {
    const basic = Buffer.from('user:pass').toString('base64');
    expect(findings(`authorization: 'Basic ${basic}'`)).toEqual([]);
    expect(findings('https://user:pass@localhost/', 'https://${USER}:${PASS}@git.io/')).toEqual([]);
  });

  it('are words as the password for a host that may exist', () => {
    expect(findings('https://admin:hunter@db.prod.io/')).toMatchObject([{ path: 'a', line: 2 }]);
  });

  it.each(PUBLISHED_CREDENTIALS)('are what could be real, as in $from, case $#', ({ line }) => {
    expect(findings(...line.split('\n'))).toMatchObject([{ path: 'a', line: 2 }]);
  });

  it('are the values that the service knows', () => {
    expect(findings('b', `https://user:${KNOWN}@localhost/`)).toMatchObject([{ line: 3 }]);
  });
});
