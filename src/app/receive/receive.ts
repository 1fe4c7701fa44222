import type { Logger } from 'pino';
import type { EventReader } from '../../events/reader.ts';
import { forApp } from '../../session/asks.ts';
import type { Arrival } from '../../contracts/intent.ts';
import type { WebhookHandler } from '../../github/app.ts';
import type { Store } from '../../store/store.ts';
import type { VerifiedDelivery } from '../../contracts/delivery.ts';
import type { Serves } from '../service/service.ts';

export interface ReceiveParts {
  readonly store: Pick<Store, 'accept'>;
  readonly serves: Serves;
  /** Bots that may ask, by login, in lower case. */
  readonly allowedBots: readonly string[];
  /** What people mention the App by; `undefined`: not known yet, and judged later. */
  readonly slug: () => string | undefined;
  readonly log: Logger;
}

/** A handler for each reader. When it resolves, what the delivery means is durable. */
export function eventHandlers(
  readers: readonly EventReader[],
  { store, serves, log, ...parts }: ReceiveParts,
): WebhookHandler[] {
  const unserved = new Set<string>();

  const isServed = ({ repository: { owner } }: Arrival): boolean => {
    if (serves(owner)) return true;
    if (!unserved.has(owner)) {
      unserved.add(owner);
      log.warn({ owner }, 'ignored an installation of an account that is not in ALLOWED_OWNERS');
    }
    return false;
  };

  const receive = async (reader: EventReader, delivery: VerifiedDelivery): Promise<void> => {
    const slug = parts.slug();
    const arrivals = reader.read(delivery.payload).filter((one) => mayAsk(one, parts, slug));
    for (const [at, arrival] of arrivals.entries()) {
      if (!isServed(arrival)) return;
      const { intent, repository } = arrival;
      const own = slug === undefined ? intent : forApp(intent, slug);
      if (own === undefined) continue;
      // One delivery may say several things, and each is accepted once.
      const id = at === 0 ? delivery.id : `${delivery.id}#${at}`;
      const { event } = delivery;
      const accepted = await store.accept({ ...arrival, intent: own }, { id, event });
      const place = `${repository.owner}/${repository.name}`;
      log.info({ ...accepted, delivery: id, event, repository: place }, 'delivery received');
    }
  };

  return readers.map((reader) => ({
    name: reader.name,
    handle: (delivery) => receive(reader, delivery),
  }));
}

/** People may ask, but only allowed bots, and never ourselves: otherwise bots would talk to each other forever. */
function mayAsk(
  { sender }: Arrival,
  { allowedBots }: Pick<ReceiveParts, 'allowedBots'>,
  slug: string | undefined,
): boolean {
  const login = sender.login.toLowerCase();
  return sender.bot !== true || (login !== `${slug}[bot]` && allowedBots.includes(login));
}
