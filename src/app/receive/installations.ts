// What becomes of the App's installations: GitHub tells every App of that, whatever it asked for.
import type { Logger } from 'pino';
import { z } from 'zod';
import { sharedTime } from '../../lib/clock.ts';
import { parsePayload } from '../../events/payload.ts';
import type { WebhookHandler } from '../../github/app.ts';
import type { Store } from '../../store/store.ts';

/** What each means; those with `true` may have fixed what sessions wait for. */
const EVENTS = {
  'installation.created': ['installation created', true],
  'installation.suspend': ['installation suspended', false],
  'installation.unsuspend': ['installation unsuspended', true],
  'installation.deleted': ['installation deleted', false],
  'installation.new_permissions_accepted': ['new permissions accepted for installation', true],
  'installation_repositories.added': ['repositories added to installation', true],
  'installation_repositories.removed': ['repositories removed from installation', false],
} as const;

/** GitHub delivers nothing of an installation while it is suspended, so what it did not send may be looked for now. */
export const isInstallationEvent = (event: string): boolean => event.startsWith('installation');

const NOTED = 'Accepted: the change of the installation was noted.';

type EventName = keyof typeof EVENTS;

const Repositories = z.array(z.object({ id: z.int().positive() }));

const Payload = z.object({
  installation: z.object({
    id: z.int().positive(),
    account: z.object({ login: z.string() }).nullish(),
  }),
  repositories: Repositories.nullish(),
  repositories_added: Repositories.nullish(),
  repositories_removed: Repositories.nullish(),
});

interface InstallationParts {
  readonly store: Pick<
    Store,
    'wakeInstallation' | 'openSessions' | 'reinstall' | 'append' | 'retention'
  >;
  /** What is known of an installation does not hold any more. */
  readonly forget: (installation: number) => void;
}

/** One for each event. They make no request; what they wake does. Safe to repeat. */
export const installationHandlers = (parts: InstallationParts): WebhookHandler[] =>
  (Object.keys(EVENTS) as EventName[]).map((name) => ({
    name,
    handle: ({ payload }, log) => changed(parts, name, payload, log),
  }));

async function changed(
  { store, forget }: InstallationParts,
  name: EventName,
  payload: unknown,
  log: Logger,
): Promise<string> {
  const read = parsePayload(Payload, payload);
  const { id, account } = read.installation;
  const [words, mayMend] = EVENTS[name];
  log.info({ account: account?.login }, words);
  forget(id);
  if (name === 'installation.deleted') await store.retention.removed(idsOf(read.repositories), id);
  if (name === 'installation_repositories.removed')
    await store.retention.removed(idsOf(read.repositories_removed));
  if (!mayMend) return NOTED;
  await store.retention.reachable(repositoriesIn(name, read));
  await store.reinstall(id, repositoriesIn(name, read));
  for (const session of await store.wakeInstallation(id))
    await store.append(session, [{ type: 'publishing_blocked', block: null }]);
  if (name === 'installation.new_permissions_accepted') await tellSessions(store, id);
  return NOTED;
}

/** What they could not read or write before, they try again. */
async function tellSessions(store: InstallationParts['store'], id: number): Promise<void> {
  const wakeAt = sharedTime();
  for (const session of await store.openSessions(id))
    await store.append(session, [{ type: 'permissions_accepted' }], { projection: { wakeAt } });
}

/** The numbers of the repositories that can be reached through the installation from now on. */
function repositoriesIn(name: EventName, read: z.output<typeof Payload>): readonly number[] {
  if (name === 'installation.created') return idsOf(read.repositories);
  return name === 'installation_repositories.added' ? idsOf(read.repositories_added) : [];
}

const idsOf = (repositories: z.output<typeof Payload>['repositories']): readonly number[] =>
  (repositories ?? []).map(({ id }) => id);
