import type { Logger } from 'pino';
import type { EventReader } from '../../events/reader.ts';
import { withAsk } from '../../session/asks.ts';
import type { Arrival } from '../../session/entries/intent.ts';
import type { Delivery, Store } from '../../store/store.ts';
import type { Serves } from '../service/service.ts';

export interface Receiver {
  /** One delivery whose signature is good. When it resolves, what it meant is durable. */
  receive(reader: EventReader, delivery: Delivery, payload: unknown): Promise<void>;
}

export interface ReceiverParts {
  readonly store: Pick<Store, 'accept'>;
  readonly serves: Serves;
  /** Bots that may ask, by login, in lower case. */
  readonly allowedBots: readonly string[];
  /** What people mention the App by; `undefined`: not known yet, and judged later. */
  readonly slug: () => string | undefined;
  readonly log: Logger;
}

export function createReceiver({ store, serves, log, ...parts }: ReceiverParts): Receiver {
  const turnedAway = new Set<string>();

  const isServed = ({ repository: { owner } }: Arrival): boolean => {
    if (serves(owner)) return true;
    if (!turnedAway.has(owner)) {
      turnedAway.add(owner);
      log.warn({ owner }, 'ignored an installation of an account that is not in ALLOWED_OWNERS');
    }
    return false;
  };

  return {
    receive: async (reader, delivery, payload) => {
      const slug = parts.slug();
      const arrivals = reader.read(payload).filter((one) => mayAsk(one, parts, slug));
      for (const [at, arrival] of arrivals.entries()) {
        if (!isServed(arrival)) return;
        const { intent, repository } = arrival;
        const own = slug === undefined ? intent : withAsk(intent, slug);
        if (own === undefined) continue;
        // One delivery may say several things, and each is taken once.
        const id = at === 0 ? delivery.id : `${delivery.id}#${at}`;
        const accepted = await store.accept({ ...arrival, intent: own }, { ...delivery, id });
        const place = `${repository.owner}/${repository.name}`;
        const about = { delivery: id, event: delivery.event, repository: place };
        log.info({ ...accepted, ...about }, 'delivery received');
      }
    },
  };
}

/** A bot that nobody allowed may say what it likes, and so may we: otherwise bots talk for ever. */
function mayAsk(
  { sender }: Arrival,
  { allowedBots }: Pick<ReceiverParts, 'allowedBots'>,
  slug: string | undefined,
): boolean {
  const login = sender.login.toLowerCase();
  return sender.bot !== true || (login !== `${slug}[bot]` && allowedBots.includes(login));
}
