import { expect, it } from '@jest/globals';
import { pino } from 'pino';
import { installationHandlers } from '../../../src/app/receive/installations.ts';

const notNeeded = () => Promise.reject(new Error('not needed'));

/** What becomes of the data of repositories when GitHub tells this. */
async function told(name: string, fields: object): Promise<unknown[]> {
  const calls: unknown[] = [];
  const handlers = installationHandlers({
    store: {
      wakeInstallation: async () => [],
      openSessions: notNeeded,
      reinstall: async () => {},
      append: notNeeded,
      retention: {
        removed: async (...about) => void calls.push(['removed', ...about]),
        reachable: async (...about) => void calls.push(['reachable', ...about]),
        sweep: notNeeded,
      },
    },
    forget: () => {},
  });
  const handler = handlers.find((one) => one.name === name);
  const payload = { installation: { id: 9 }, ...fields };
  await handler?.handle({ id: 'd', event: 'installation', payload }, pino({ level: 'silent' }));
  return calls;
}

const repositories = [{ id: 1 }, { id: 2 }];

it.each([
  ['installation.deleted', { repositories }, [['removed', [1, 2], 9]]],
  ['installation.deleted', {}, [['removed', [], 9]]],
  [
    'installation_repositories.removed',
    { repositories_removed: repositories },
    [['removed', [1, 2]]],
  ],
  ['installation.suspend', { repositories }, []],
  ['installation.unsuspend', {}, [['reachable', []]]],
  ['installation.created', { repositories }, [['reachable', [1, 2]]]],
  [
    'installation_repositories.added',
    { repositories_added: repositories },
    [['reachable', [1, 2]]],
  ],
])('%s with %j', async (name, fields, calls) => {
  expect(await told(name, fields)).toEqual(calls);
});
