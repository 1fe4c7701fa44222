import type { EmitterWebhookEvent, EmitterWebhookEventName } from '@octokit/webhooks';
import type { Arrival, Person } from '../contracts/intent.ts';

type PayloadOf<Name extends EmitterWebhookEventName> = EmitterWebhookEvent<Name>['payload'];

/** Reads one kind of GitHub event. Pure: all that it means to us, which may be nothing. */
export interface EventReader {
  readonly name: EmitterWebhookEventName;
  read(payload: unknown): readonly Arrival[];
}

/** What an event means, without what every payload says in the same way. */
export type Meaning = Pick<Arrival, 'thread' | 'meaning' | 'intent'>;

interface Common {
  readonly installation?: { readonly id: number } | undefined;
  readonly repository: {
    readonly id: number;
    readonly name: string;
    readonly owner: { readonly login: string };
  };
  readonly sender: { readonly id: number; readonly login: string; readonly type?: string };
}

/**
 * Binds a reader to the payload type of its event, which Probot has verified by the signature. An event
 * of a webhook that belongs to no installation means nothing.
 */
const readerFor =
  (personOf: (sender: Common['sender']) => Person) =>
  <Name extends EmitterWebhookEventName>(
    name: Name,
    read: (payload: PayloadOf<Name>) => Meaning | readonly Meaning[] | undefined,
  ): EventReader => ({
    name,
    read: (payload) => {
      const { installation, repository, sender } = payload as Common;
      if (installation === undefined) return [];
      const from = {
        installation: installation.id,
        repository: { id: repository.id, owner: repository.owner.login, name: repository.name },
        sender: personOf(sender),
      };
      return [read(payload as PayloadOf<Name>) ?? []].flat().map((read) => ({ ...from, ...read }));
    },
  });

/** Reads what people do. Which bots may ask for anything is not known here: they are marked. */
export const eventReader = readerFor(({ id, login, type }) => ({
  id,
  login,
  ...(type === 'Bot' ? { bot: true } : {}),
}));

/** Reads facts, no matter who caused them, bots included: a merge queue's merge is a merge. */
export const factReader = readerFor(({ id, login }) => ({ id, login }));
