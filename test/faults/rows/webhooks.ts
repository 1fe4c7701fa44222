// Deliveries that come too often, too late, from the wrong people, or too large.
import { createHmac, randomUUID } from 'node:crypto';
import { randomnessOf, type Randomness } from '../../shuffled-events/randomness.ts';
import type { Row, Strike } from '../fault.ts';
import { PLAIN, REVIEWED } from '../tales.ts';
import type { World } from '../world.ts';

const SEEDS = 4;
const AT_ONCE = 12;
const LAST_ROUND = 60;
/** Beyond GitHub's limit of 25 MB. */
const TOO_LARGE = 26 * 1024 * 1024;

const isOk = (status: number): boolean => status >= 200 && status < 300;

type Post = (world: World, random: Randomness) => Promise<void>;

async function post(
  { stage }: World,
  body: string,
  { secret, event = 'issues' }: { readonly secret: string; readonly event?: string },
): Promise<number> {
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-github-event': event,
    'x-github-delivery': randomUUID(),
    'x-hub-signature-256': `sha256=${signature}`,
  };
  const url = `${stage.serviceUrl}/api/github/webhooks`;
  // A service that hangs up on a body that is too large has not taken it.
  const answer = await fetch(url, { method: 'POST', body, headers }).catch(() => undefined);
  await answer?.arrayBuffer().catch(() => {});
  return answer?.status ?? 0;
}

/** One of the deliveries so far comes again, as the same or as another. */
const again: Post = async ({ stage }, random) => {
  const { deliveries } = stage.github;
  const one = deliveries[random.below(Math.max(1, deliveries.length))];
  if (one === undefined) return;
  if (random.below(2) === 0) await stage.github.redeliver(one.guid);
  else await stage.github.deliverAgainWithOtherGuid(one.guid);
};

/** A new comment that nobody wrote, on the issue of the story. */
const forged: Post = async (world, random) => {
  const known = world.stage.github.deliveries.find(({ event }) => event === 'issue_comment');
  const comment = { id: 1_000_000 + random.below(1_000), body: '/issuewright stop' };
  const body = JSON.stringify({ ...known?.payload, action: 'created', comment });
  const status = await post(world, body, { secret: 'not the secret', event: 'issue_comment' });
  if (isOk(status)) throw new Error(`a forged delivery was answered with ${status}`);
};

const oversized: Post = async (world) => {
  const body = JSON.stringify({ action: 'labeled', filler: 'x'.repeat(TOO_LARGE) });
  const status = await post(world, body, { secret: world.stage.webhookSecret });
  if (isOk(status)) throw new Error('an oversized delivery was accepted');
};

const KINDS: readonly Post[] = [again, again, again, again, forged, forged];

const flood =
  (seed: number) =>
  async (world: World): Promise<Strike> => {
    const random = randomnessOf(9_000 + seed);
    const some = (count: number) =>
      Promise.all(
        Array.from({ length: count }, () => KINDS[random.below(KINDS.length)]!(world, random)),
      );
    return async (over) => {
      await oversized(world, random);
      while (!over.aborted) await some(AT_ONCE);
      // The oldest among them are about what was over long ago.
      await some(LAST_ROUND);
      await world.stage.github.webhooksSent();
    };
  };

/** Years older than the issue, and known only during the work. */
async function oldCommand(world: World, command: string, id: number): Promise<string> {
  const { github } = world.stage;
  const known = await world.until('the label', () =>
    github.deliveries.find(({ event, action }) => event === 'issues' && action === 'labeled'),
  );
  const at = '2020-01-15T14:03:00Z';
  const user = known.payload['sender'];
  const comment = { id, node_id: `IC_${id}`, body: `/issuewright ${command}`, user };
  return JSON.stringify({
    ...known.payload,
    action: 'created',
    comment: { ...comment, created_at: at, updated_at: at },
  });
}

const oldNews =
  (command: string) =>
  (world: World): Promise<Strike> =>
    Promise.resolve(async () => {
      const body = await oldCommand(world, command, command.length);
      const { webhookSecret: secret } = world.stage;
      const status = await post(world, body, { secret, event: 'issue_comment' });
      if (!isOk(status)) throw new Error(`old news was answered with ${status}`);
    });

export const WEBHOOKS: readonly Row[] = [
  {
    fault: 'webhooks: a stop or a pause from before the request, known late',
    least: 4,
    tries: () =>
      [PLAIN, REVIEWED].flatMap((tale) =>
        ['stop', 'pause'].map((command) => ({
          name: `${command}, ${tale.name}`,
          tale,
          arm: oldNews(command),
        })),
      ),
  },
  {
    fault: 'webhooks: a flood, repeated, out of order, forged, oversized',
    tries: () =>
      Array.from({ length: SEEDS }, (_none, seed) => ({
        name: `seed ${seed}`,
        tale: REVIEWED,
        arm: flood(seed),
      })),
  },
];
