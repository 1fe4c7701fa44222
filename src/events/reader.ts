import type { EmitterWebhookEventName } from '@octokit/webhooks';
import { z } from 'zod';
import type { Arrival, Person } from '../contracts/intent.ts';
import { Common, parsePayload } from './payload.ts';

/** Reads one kind of GitHub event. Pure: all that it means to us, which may be nothing. */
export interface EventReader {
  readonly name: EmitterWebhookEventName;
  /** Why an event of this kind means nothing, if it does; for the operator. */
  readonly nothing?: string | undefined;
  /** @throws {InvalidPayload} */
  read(payload: unknown): readonly Arrival[];
}

/** What an event means, without what every payload says in the same way. */
export type Meaning = Pick<Arrival, 'thread' | 'meaning' | 'says' | 'intent'>;

type Sender = z.output<typeof Common>['sender'];

interface Reading<Shape extends z.ZodRawShape> {
  readonly name: EmitterWebhookEventName;
  /** What is read of the payload besides what all have. */
  readonly shape: Shape;
  readonly nothing?: string;
  readonly read: (
    payload: z.output<z.ZodObject<Shape>>,
  ) => Meaning | readonly Meaning[] | undefined;
}

/** Checks the form of a payload before it is read. An event that belongs to no installation means nothing. */
const readerFor =
  (personOf: (sender: Sender) => Person) =>
  <Shape extends z.ZodRawShape>({ name, shape, nothing, read }: Reading<Shape>): EventReader => {
    const schema = z.object(shape);
    return {
      name,
      nothing,
      read: (payload) => {
        const { installation, repository, sender } = parsePayload(Common, payload);
        const parsed = parsePayload(schema, payload);
        if (installation === undefined) return [];
        const from = {
          installation: installation.id,
          repository: { id: repository.id, owner: repository.owner.login, name: repository.name },
          sender: personOf(sender),
        };
        return [read(parsed) ?? []].flat().map((one) => ({ ...from, ...one }));
      },
    };
  };

/** Reads what people do. Which bots may ask for anything is not known here: they are marked. */
export const eventReader = readerFor(({ id, login, type }) => ({
  id,
  login,
  ...(type === 'Bot' ? { bot: true } : {}),
}));

/** Reads facts, no matter who caused them, bots included: a merge queue's merge is a merge. */
export const factReader = readerFor(({ id, login }) => ({ id, login }));
