// The local GitHub with the App of these tests, reached through real HTTP.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import nock from 'nock';
import { startLocalGitHub, type LocalGitHub } from '../../packages/local-github/src/index.ts';
import type { LocalGitHubOptions } from '../../packages/local-github/src/github/options.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { APP_ID, SECRET } from './support.ts';

interface LocalApp {
  readonly local: LocalGitHub;
  close(): Promise<void>;
}

/** Without nock: its requests are real ones. */
export const openLocalApp = (...people: readonly string[]): Promise<LocalApp> =>
  openLocalServer({}, people);

/** The same on an Enterprise Server that differs from github.com. */
export async function openLocalServer(
  differences: Pick<LocalGitHubOptions, 'apiVersions'>,
  people: readonly string[],
): Promise<LocalApp> {
  nock.restore();
  const directory = await mkdtemp(path.join(tmpdir(), 'github-test-'));
  const local = await startLocalGitHub({
    directory,
    app: {
      id: APP_ID,
      slug: 'issuewright',
      name: 'Issuewright',
      privateKeyPem: PRIVATE_KEY,
      webhookSecret: SECRET,
    },
    users: people.map((login) => ({ login })),
    ...differences,
  });
  const close = async (): Promise<void> => {
    await local.close();
    await rm(directory, { recursive: true });
  };
  return { local, close };
}
