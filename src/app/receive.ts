import type { Logger } from 'pino';
import type { EventReader } from '../events/reader.ts';
import type { Delivery, Store } from '../store/store.ts';
import type { Serves } from './served-owners.ts';

export interface Receiver {
  /** One delivery whose signature is good. When it resolves, what it meant is durable. */
  receive(reader: EventReader, delivery: Delivery, payload: unknown): Promise<void>;
}

export function createReceiver(
  store: Pick<Store, 'accept'>,
  serves: Serves,
  log: Logger,
): Receiver {
  const turnedAway = new Set<string>();

  return {
    receive: async (reader, delivery, payload) => {
      const arrival = reader.read(payload);
      if (arrival === undefined) return;
      const { owner, name } = arrival.repository;
      if (!serves(owner)) {
        if (!turnedAway.has(owner)) {
          turnedAway.add(owner);
          log.warn(
            { owner },
            'ignoring an installation of an account that is not in ALLOWED_OWNERS',
          );
        }
        return;
      }
      const accepted = await store.accept(arrival, delivery);
      log.info(
        {
          ...accepted,
          delivery: delivery.id,
          event: delivery.event,
          repository: `${owner}/${name}`,
        },
        'delivery received',
      );
    },
  };
}
