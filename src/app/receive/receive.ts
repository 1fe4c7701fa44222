import type { Logger } from 'pino';
import { parsePayload, type EventReader } from '../../events/payload.ts';
import { assigneeIn, forApp } from '../../session/said/asks.ts';
import type { Arrival, Intent, Person } from '../../contracts/intent.ts';
import type { WebhookHandler } from '../../github/app.ts';
import type { AcceptResult, Store } from '../../store/store.ts';
import type { VerifiedDelivery } from '../../contracts/delivery.ts';
import type { Service } from '../service/service.ts';
import { z } from 'zod';

export interface ReceiveParts {
  readonly store: Pick<Store, 'accept'>;
  readonly serves: Service['serves'];
  readonly allowedBots: Service['allowedBots'];
  /** The account that stands for the App as an assignee. */
  readonly assignee: string | undefined;
  /** What people mention the App by; `undefined`: not known yet, and judged later. */
  readonly slug: () => string | undefined;
}

/** A handler for each reader. When it resolves, what the delivery means is durable. */
export function eventHandlers(
  readers: readonly EventReader[],
  { store, serves, ...parts }: ReceiveParts,
): WebhookHandler[] {
  const unserved = new Set<string>();

  const isServed = ({ repository: { owner, name } }: Arrival, log: Logger): boolean => {
    if (serves(owner, name)) return true;
    if (!unserved.has(owner)) {
      unserved.add(owner);
      log.warn({ owner }, 'ignored an installation of an account that is not in ALLOWED_OWNERS');
    }
    return false;
  };

  const receive = async (
    reader: EventReader,
    delivery: VerifiedDelivery,
    log: Logger,
  ): Promise<string> => {
    const slug = parts.slug();
    const arrivals = reader.read(delivery.payload);
    const done = new Set<string>();
    for (const [at, { says, ...arrival }] of arrivals.entries()) {
      const { intent, repository, sender } = arrival;
      if (!isServed(arrival, log))
        return `Ignored: ALLOWED_OWNERS does not list ${repository.owner}.`;
      const barred = whyBarred(sender, parts, slug);
      if (barred !== undefined) return barred;
      const own = forApp(intent, { slug, assignee: parts.assignee }, says);
      if (own === undefined) {
        done.add(notForUs(intent));
        continue;
      }
      // One delivery may say several things, and each is accepted once.
      const id = at === 0 ? delivery.id : `${delivery.id}#${at}`;
      const { event } = delivery;
      const accepted = await store.accept({ ...arrival, intent: own }, { id, event });
      log.info({ ...accepted, ...threadOf(arrival) }, 'delivery received');
      done.add(wordsFor(accepted, { ...arrival, intent: own }));
    }
    if (done.size > 0) return [...done].join(' ');
    return `Ignored: ${reader.nothing ?? 'nothing is to be done for it.'}`;
  };

  return readers.map((reader) => ({
    name: reader.name,
    handle: (delivery, log) => receive(reader, delivery, log),
  }));
}

/** An issue, or a pull request with the issue that it is for, if the event says so. */
const threadOf = ({ thread: { on, number, issue } }: Arrival) =>
  on === 'issue' ? { issue: number } : { issue, pullRequest: number };

/** People may ask, but only allowed bots, and never ourselves: otherwise bots would talk to each other forever. */
function whyBarred(
  sender: Person,
  { allowedBots }: Pick<ReceiveParts, 'allowedBots'>,
  slug: string | undefined,
): string | undefined {
  const login = sender.login.toLowerCase();
  if (sender.bot !== true) return undefined;
  if (login === `${slug}[bot]`) return 'Ignored: this App itself caused it.';
  return allowedBots.includes(login)
    ? undefined
    : `Ignored: ${sender.login} is a bot that ALLOWED_BOTS does not list.`;
}

function notForUs(intent: Intent): string {
  const assignee = assigneeIn(intent);
  return assignee === undefined
    ? 'Ignored: it does not address this App.'
    : `Ignored: ${assignee} is neither this App nor ASSIGNEE_LOGIN.`;
}

/** What was done with a delivery, and what happens next: permissions and settings are looked up later. */
function wordsFor(accepted: AcceptResult, { thread, sender, intent }: Arrival): string {
  switch (accepted.outcome) {
    case 'duplicate':
      return 'Ignored: this event, or another one with this X-GitHub-Delivery, was received before.';
    case 'no_session':
      return `Ignored: there is no session for #${thread.number}, and this does not start one.`;
    case 'exists':
      return `Ignored: there already is a session for #${thread.number}.`;
    case 'accepted':
      return `Accepted for session ${accepted.session}. ${nextFor(intent, sender)}`;
    default:
      return accepted satisfies never;
  }
}

const JUDGED: ReadonlySet<Intent['kind']> = new Set(['start', 'comment', 'review', 'check_action']);

function nextFor(intent: Intent, { login }: Person): string {
  if (intent.kind === 'start' && intent.assignee !== undefined)
    return `Next, Issuewright looks up whether ${login} may request work. The session page shows the result.`;
  if (intent.kind === 'start' && intent.label !== '')
    return `Next, Issuewright looks up whether the label "${intent.label}" starts work in this repository, and whether ${login} may request it. The session page shows the result.`;
  if (JUDGED.has(intent.kind))
    return `Next, Issuewright looks up what it asks for, and whether ${login} may request it. The session page shows the result.`;
  return 'The session is updated.';
}

// Pushes to a branch that pull requests of ours go to. One may bring conflicts: their sessions look.

export const PUSH = 'push';

const BRANCHES = 'refs/heads/';

const Payload = z.object({
  ref: z.string().max(1_000),
  repository: z.object({ id: z.int().positive() }),
});

interface PushParts {
  readonly store: Pick<Store, 'wakeForBase'>;
}

/** It makes no request: the sessions that it wakes do, one each. Safe to repeat. */
export const pushHandler = ({ store }: PushParts): WebhookHandler => ({
  name: PUSH,
  handle: async ({ payload }, log) => {
    const { ref, repository } = parsePayload(Payload, payload);
    const branch = ref.slice(BRANCHES.length);
    if (!ref.startsWith(BRANCHES)) return 'Ignored: no pull request goes to a tag.';
    const woken = await store.wakeForBase(repository.id, branch);
    if (woken > 0) log.info({ branch, woken }, 'base branch moved');
    return `Accepted: ${woken} waiting pull requests are looked at for conflicts.`;
  },
});
