import { expect, it } from '@jest/globals';
import { startLocalGitHub } from '../../../packages/local-github/src/index.ts';
import { PRIVATE_KEY } from '../private-key.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import { createDatabase } from '../test-database.ts';

const NAMED = 'is named *.integration.ts';

it('a file like this one gets no database', async () => {
  await expect(createDatabase()).rejects.toThrow(NAMED);
});

it('a file like this one gets no local GitHub', async () => {
  const app = {
    id: 1,
    slug: 'app',
    name: 'App',
    privateKeyPem: PRIVATE_KEY,
    webhookSecret: 'secret',
  };
  const starting = startLocalGitHub({ directory: temporaryDirectory(), app, users: [] });
  await expect(starting).rejects.toThrow(NAMED);
});
