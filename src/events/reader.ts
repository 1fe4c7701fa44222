import type { EmitterWebhookEvent, EmitterWebhookEventName } from '@octokit/webhooks';
import type { Arrival } from '../session/intent.ts';

type PayloadOf<Name extends EmitterWebhookEventName> = EmitterWebhookEvent<Name>['payload'];

/** Reads one kind of GitHub event. Pure: what it means to us, or `undefined` where it means nothing. */
export interface EventReader {
  readonly name: EmitterWebhookEventName;
  read(payload: unknown): Arrival | undefined;
}

/** Binds a reader to the payload type of its event, which Probot has verified by the signature. */
export const eventReader = <Name extends EmitterWebhookEventName>(
  name: Name,
  read: (payload: PayloadOf<Name>) => Arrival | undefined,
): EventReader => ({ name, read: (payload) => read(payload as PayloadOf<Name>) });

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
 * What every payload says in the same way; `undefined` for events that are not ours to act on:
 * from a webhook that belongs to no installation, or caused by a bot, ourselves included.
 */
export function common(
  payload: Common,
): Pick<Arrival, 'installation' | 'repository' | 'sender'> | undefined {
  const { installation, repository, sender } = payload;
  if (installation === undefined || sender.type === 'Bot') return undefined;
  return {
    installation: installation.id,
    repository: { id: repository.id, owner: repository.owner.login, name: repository.name },
    sender: { id: sender.id, login: sender.login },
  };
}

/** The same for what is a fact whoever caused it, bots included: a merge queue's merge is a merge. */
export const fact = (payload: Common): ReturnType<typeof common> => {
  const { id, login } = payload.sender;
  return common({ ...payload, sender: { id, login } });
};
