import type { EmitterWebhookEvent, EmitterWebhookEventName } from '@octokit/webhooks';
import type { Arrival } from '../contracts/intent.ts';

type PayloadOf<Name extends EmitterWebhookEventName> = EmitterWebhookEvent<Name>['payload'];

/** Reads one kind of GitHub event. Pure: all that it means to us, which may be nothing. */
export interface EventReader {
  readonly name: EmitterWebhookEventName;
  read(payload: unknown): readonly Arrival[];
}

type Read = Arrival | readonly Arrival[] | undefined;

/** Binds a reader to the payload type of its event, which Probot has verified by the signature. */
export const eventReader = <Name extends EmitterWebhookEventName>(
  name: Name,
  read: (payload: PayloadOf<Name>) => Read,
): EventReader => ({ name, read: (payload) => [read(payload as PayloadOf<Name>) ?? []].flat() });

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
 * What every payload says in the same way; `undefined` for an event of a webhook that belongs to no
 * installation. Which bots may ask for anything is not known here: they are marked.
 */
export function common(
  payload: Common,
): Pick<Arrival, 'installation' | 'repository' | 'sender'> | undefined {
  const { installation, repository, sender } = payload;
  if (installation === undefined) return undefined;
  return {
    installation: installation.id,
    repository: { id: repository.id, owner: repository.owner.login, name: repository.name },
    sender: {
      id: sender.id,
      login: sender.login,
      ...(sender.type === 'Bot' ? { bot: true } : {}),
    },
  };
}

/** The same for facts, no matter who caused them, bots included: a merge queue's merge is a merge. */
export const fact = (payload: Common): ReturnType<typeof common> => {
  const { id, login } = payload.sender;
  return common({ ...payload, sender: { id, login } });
};
