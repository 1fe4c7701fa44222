// What an account says for all of its repositories, against a GitHub that answers through real HTTP.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { createClient } from '../../src/github/requests/octokit.ts';
import { createOwnersFiles } from '../../src/github/repository-files.ts';
import type { GitHubRepository } from '../../src/github/repository.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import type { LocalGitHub } from '../../packages/local-github/src/index.ts';
import { openLocalApp } from './local-app.ts';
import { github } from './support.ts';

const FILE = '.github/issuewright.yml';
const MEMORY_MS = 5 * 60_000;

let opened: Awaited<ReturnType<typeof openLocalApp>>;
let local: LocalGitHub;
let installations = 0;

beforeAll(async () => {
  opened = await openLocalApp();
  local = opened.local;
});
afterAll(() => opened.close());

interface Account {
  readonly installation: number;
  readonly owner: string;
  readonly words: GitHubRepository;
  /** Another process of the service: it remembers nothing. */
  readonly open: () => GitHubRepository;
  /** Requests since the last time. */
  readonly asked: () => readonly string[];
}

/** An account with one repository; its `.github` repository with these files, if it has one. */
async function account(
  files?: Readonly<Record<string, string>>,
  { isInstalled = true } = {},
): Promise<Account> {
  installations += 1;
  const installation = installations;
  const owner = `account-${installation}`;
  const place = { owner, collaborators: {}, installationId: installation };
  const { id } = await local.createRepository({ ...place, name: 'words', files: { a: 'a' } });
  if (files !== undefined)
    await local.createRepository({
      ...place,
      name: '.github',
      files: { 'README.md': 'Ours\n', ...files },
      ...(isInstalled ? {} : { installationId: null }),
    });
  const enterprise = { host: new URL(local.url).host, protocol: 'http' };
  const open = () => github({ enterprise }).repository(installation, { id, owner, name: 'words' });
  let seen = local.requests.length;
  const asked = () => {
    const paths = local.requests.slice(seen).map((request) => request.path);
    seen = local.requests.length;
    return paths;
  };
  return { installation, owner, words: open(), open, asked };
}

describe("a file of the owner's .github repository", () => {
  it('is read there, and not in the repository of the session', async () => {
    const { words } = await account({ [FILE]: 'label: ours\n' });
    await expect(words.ownersFile(FILE)).resolves.toBe('label: ours\n');
    await expect(words.readFile(FILE)).resolves.toBeUndefined();
  });

  it.each([
    ['the account has no such repository', undefined, {}],
    ['the App is not installed on it', { [FILE]: 'label: ours\n' }, { isInstalled: false }],
    ['it has no such file', {}, {}],
  ])(
    'is absent if %s; that is requested once, however many runs begin',
    async (_what, files, how) => {
      const { words, asked } = await account(files, how);
      const answers = await Promise.all([1, 2, 3].map(() => words.ownersFile(FILE)));
      expect([...answers, await words.ownersFile(FILE)]).toEqual(Array(4).fill(undefined));
      expect(asked().filter((one) => one.includes('access_tokens'))).toHaveLength(1);
      expect(asked()).toEqual([]);
    },
  );

  it('is not considered missing if GitHub is unavailable, and requested again', async () => {
    const { words } = await account({ [FILE]: 'label: ours\n' });
    local.faults.failNext({ method: 'GET', path: /\/contents\//, status: 502, times: 4 });
    await expect(words.ownersFile(FILE)).rejects.toBeInstanceOf(TryLater);
    await expect(words.ownersFile(FILE)).resolves.toBe('label: ours\n');
  });

  it('is rejected with an explanation if it is too long to read', async () => {
    const { words } = await account({ [FILE]: 'x'.repeat(70_000) });
    const error: unknown = await words.ownersFile(FILE).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TellPerson);
    expect(String(error)).toMatch(/larger than 64 KB/);
  });

  it('is each account’s own', async () => {
    const one = await account({ [FILE]: 'label: one\n' });
    const other = await account({ [FILE]: 'label: other\n' });
    await expect(one.words.ownersFile(FILE)).resolves.toBe('label: one\n');
    await expect(other.words.ownersFile(FILE)).resolves.toBe('label: other\n');
  });

  it('is asked for again after five minutes, and not before', async () => {
    const { installation, owner, open, asked } = await account({ [FILE]: 'label: ours\n' });
    const { id } = local.repository(owner, '.github');
    const connection = github({
      enterprise: { host: new URL(local.url).host, protocol: 'http' },
    }).repository(installation, { id, owner, name: '.github' });
    let now = 1_000;
    const read = createOwnersFiles(
      () =>
        createClient({
          baseUrl: `${local.url}/api/v3`,
          log: pino({ level: 'silent' }),
          policy: { redactor: createRedactor() },
          token: () => connection.gitToken('read'),
        }),
      () => now,
    );
    const contents = () =>
      asked().filter((one) => one.includes('/contents/') && one.includes('.yml')).length;
    await read(installation, owner, FILE);
    now += MEMORY_MS - 1;
    await expect(read(installation, owner, FILE)).resolves.toBe('label: ours\n');
    expect(contents()).toBe(1);
    now += 1;
    await expect(read(installation, owner, FILE)).resolves.toBe('label: ours\n');
    expect(contents()).toBe(1);
    await open().ownersFile(FILE);
    expect(contents()).toBe(1);
  });
});
