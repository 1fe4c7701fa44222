import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { eventHandlers } from '../../../src/app/receive/receive.ts';
import type { EventReader } from '../../../src/events/payload.ts';
import type { Arrival, Person } from '../../../src/contracts/intent.ts';
import type { Delivery } from '../../../src/contracts/delivery.ts';

const MAINTAINER: Person = { login: 'maintainer', id: 5 };
const bot = (login: string): Person => ({ login, id: 6, bot: true });

const arrival = (sender: Person, body = 'x', owner = 'example'): Arrival => ({
  installation: 1,
  repository: { id: 1, owner, name: 'greeter' },
  thread: { on: 'issue', number: 1 },
  sender,
  meaning: 'm',
  intent: {
    kind: 'comment',
    on: 'issue',
    commentId: 1,
    body,
    ...(body.includes('@')
      ? { addressed: true, thread: { title: '', body: '', isOpen: true } }
      : {}),
  },
});

/** What the store is given of these, with the ids of the deliveries. */
async function received(arrivals: readonly Arrival[], slug?: string) {
  const taken: { arrival: Arrival; delivery: Delivery }[] = [];
  const event = 'issue_comment.created';
  const reader: EventReader = { name: event, read: () => arrivals };
  const [handler] = eventHandlers([reader], {
    store: {
      accept: (one, delivery) => {
        taken.push({ arrival: one, delivery });
        return Promise.resolve({ outcome: 'no_session' });
      },
    },
    serves: (owner) => owner === 'example',
    allowedBots: ['good-bot[bot]', 'issuewright[bot]'],
    assignee: 'machine',
    slug: () => slug,
  });
  await handler?.handle({ id: 'd', event, payload: {} }, pino({ level: 'silent' }));
  return taken;
}

describe('what is received', () => {
  it('is taken each by itself, though one delivery says it all', async () => {
    const taken = await received([arrival(MAINTAINER), arrival(MAINTAINER)]);
    expect(taken.map(({ delivery }) => delivery.id)).toEqual(['d', 'd#1']);
  });

  it('is dropped if the account is not served', async () => {
    expect(await received([arrival(MAINTAINER, 'x', 'elsewhere')])).toEqual([]);
  });

  it.each([
    ['a bot that is allowed', 'Good-Bot[bot]', 1],
    ['any other bot', 'bad-bot[bot]', 0],
    ['ourselves, even if allowed', 'issuewright[bot]', 0],
  ])('of %s is taken or not', async (_who, login, count) => {
    expect(await received([arrival(bot(login))], 'issuewright')).toHaveLength(count);
  });

  it('is addressed to the App only if it names the App', async () => {
    const of = async (to: string, slug?: string) => {
      const [one] = await received([arrival(MAINTAINER, `@${to} please`)], slug);
      return one?.arrival.intent;
    };
    expect(await of('issuewright', 'IssueWright')).toMatchObject({ addressed: true });
    expect(await of('another', 'issuewright')).not.toHaveProperty('addressed');
    expect(await of('another')).toMatchObject({ addressed: true });
  });
});
