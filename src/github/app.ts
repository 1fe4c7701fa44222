// The GitHub App: verifies webhooks and passes them to their handlers, and provides the App's octokit.
import { createHmac, createPrivateKey, timingSafeEqual } from 'node:crypto';
import type { EmitterWebhookEventName } from '@octokit/webhooks';
import type { Logger } from 'pino';
import { z } from 'zod';
import { Probot, type ProbotOctokit } from 'probot';
import type {
  Delivery,
  DeliveryAnswer,
  RawDelivery,
  SignatureCheck,
  VerifiedDelivery,
} from '../contracts/delivery.ts';
import { InvalidPayload, messageOf } from '../lib/errors.ts';
import { TriedKey } from '../lib/tried-key.ts';
import { escapeUnseen } from '../lib/text/invisible.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { Octokit, silenced } from './requests/octokit.ts';
import {
  applyRequestPolicy,
  type RequestPolicy,
  type TriedCredentials,
} from './requests/request-policy.ts';

export interface WebhookHandler {
  /** Such as `issues.labeled`. */
  readonly name: EmitterWebhookEventName;
  /**
   * Resolves with what was done, in words for the operator. Each line of `log` says which delivery it is about.
   * @throws {InvalidPayload}
   */
  handle(delivery: VerifiedDelivery, log: Logger): Promise<string>;
}

/** What the App and GitHub know each other by. */
export interface AppKeys {
  readonly privateKey: string;
  /** A webhook is signed with one of them. */
  readonly webhookSecrets: readonly string[];
}

export interface GitHubAppOptions extends AppKeys {
  readonly appId: number;
  /** The keys of now, if they may be replaced. */
  readonly keys?: (() => AppKeys) | undefined;
  readonly baseUrl: string;
  readonly log: Logger;
  readonly policy: RequestPolicy;
}

export interface GitHubApp {
  /** Resolves when deliveries to these handlers can be received. Makes no request. */
  start(handlers: readonly WebhookHandler[]): Promise<void>;
  /** Checks a delivery's signature while its body arrives. */
  checkSignature(signature: string): SignatureCheck;
  /**
   * Waits for the handlers of a delivery whose signature is valid; an event without one is accepted and
   * ignored. Makes no request.
   */
  receive(delivery: RawDelivery): Promise<DeliveryAnswer>;
  /** The same for a delivery that was read from GitHub, which needs no signature. */
  take(delivery: VerifiedDelivery): Promise<DeliveryAnswer>;
  /** Whether there is a handler for the event, such as `issues.labeled`. */
  handles(name: string): boolean;
  /** The octokit that authenticates as the App itself. */
  readonly octokit: () => Promise<ProbotOctokit>;
  /** Of the tokens that this octokit makes. */
  readonly credentials: TriedCredentials;
}

export function createGitHubApp(options: GitHubAppOptions): GitHubApp {
  const { privateKey, log, keys = () => options } = options;
  const probot = probotWith(options, privateKey);

  const handled = new Set<string>();
  const done: HandlerReplies = new WeakMap();
  let signing: SigningKey | undefined;
  const signingNow = (): SigningKey => {
    const { privateKey: key } = keys();
    if (signing?.key !== key) signing = signingWith(options, key);
    return signing;
  };
  const parts: ReceiveParts = { probot, handled, done, log };
  return {
    start: async (handlers) => {
      checkPrivateKey(privateKey);
      for (const handler of handlers) {
        handled.add(handler.name);
        probot.on(handler.name, async ({ id, payload }) => {
          const about = { delivery: id, event: handler.name, ...placeOf(payload) };
          const delivery = { id, event: handler.name, payload };
          done.set(payload, await handler.handle(delivery, log.child(about)));
        });
      }
      await probot.ready();
    },
    checkSignature: (signature) => checkSignature(keys().webhookSecrets, signature),
    receive: (delivery) => receive(parts, delivery, () => parseJson(delivery.rawBody)),
    take: (delivery) => receive(parts, delivery, () => delivery.payload),
    handles: (name) => handled.has(name),
    octokit: () => signingNow().octokit,
    credentials: credentialsOfTokens(() => signingNow().tried),
  };
}

/** Checks a value of `X-Hub-Signature-256` while the body arrives. One of the secrets has to fit. */
export function checkSignature(secrets: readonly string[], signature: string): SignatureCheck {
  const given = Buffer.from(signature);
  const hmacs = secrets.map((secret) => createHmac('sha256', secret));
  return {
    update: (chunk) => {
      for (const hmac of hmacs) hmac.update(chunk);
    },
    isValid: () =>
      hmacs
        .map((hmac) => Buffer.from(`sha256=${hmac.digest('hex')}`))
        .some((expected) => given.length === expected.length && timingSafeEqual(given, expected)),
  };
}

/** Probot would log whole events with their signatures, so its log is off and we log here instead. It checks no signature. */
const probotWith = ({ appId, baseUrl, log }: GitHubAppOptions, privateKey: string): Probot =>
  new Probot({ appId, privateKey, secret: 'unused', baseUrl, Octokit, log: silenced(log) });

const Place = z.object({
  repository: z.object({ full_name: z.string().max(200) }).optional(),
  installation: z.object({ id: z.number() }).optional(),
});

function placeOf(payload: unknown): {
  readonly repository?: string;
  readonly installation?: number;
} {
  const { repository, installation } = Place.safeParse(payload).data ?? {};
  return withoutUndefined({
    repository: repository?.full_name,
    installation: installation?.id,
  });
}

/**
 * What was done with each payload. Probot lets nothing of it through: `receive` of `@octokit/webhooks` drops what handlers
 * return, and of an event it passes on, Probot's `Context` has only the name, the id and this payload.
 */
type HandlerReplies = WeakMap<object, string>;

interface ReceiveParts {
  readonly probot: Probot;
  /** The names of the events that have a handler. */
  readonly handled: ReadonlySet<string>;
  readonly done: HandlerReplies;
  readonly log: Logger;
}

interface SigningKey {
  readonly key: string;
  readonly tried: TriedKey;
  readonly octokit: Promise<ProbotOctokit>;
}

function signingWith(options: GitHubAppOptions, key: string): SigningKey {
  const tried = new TriedKey();
  const octokit = async () => {
    const made = await probotWith(options, key).auth();
    applyRequestPolicy(made, { ...options.policy, credentials: tried });
    return made;
  };
  return { key, tried, octokit: octokit() };
}

/**
 * A token that works says that the key was valid an hour ago at most, so the doubt about a 401 lasts longer. It never begins with
 * one, since that may be from the key before.
 */
const credentialsOfTokens = (key: () => TriedKey): TriedCredentials => ({
  accepted: () => {
    if (key().mayBeValid) key().accepted();
  },
  get mayBeValid() {
    return key().mayBeValid;
  },
});

/** Probot would only notice an invalid key when it first signs with it, in the first session. */
function checkPrivateKey(privateKey: string): void {
  try {
    createPrivateKey(privateKey);
  } catch (error) {
    throw new Error(
      `The App's private key is invalid (${messageOf(error)}). Generate a new one on the App's settings page.`,
    );
  }
}

/** What is needed of every payload before its handler, which checks the rest. */
const Envelope = z.object({
  action: z.string().optional(),
  installation: z.object({ id: z.int().positive() }).optional(),
});

async function receive(
  parts: ReceiveParts,
  delivery: Delivery,
  payloadOf: () => unknown,
): Promise<DeliveryAnswer> {
  const { id, event } = delivery;
  const about = { delivery: id.slice(0, 200), event: event.slice(0, 200) };
  try {
    return { status: 202, message: await dispatch(parts, delivery, parse(delivery, payloadOf)) };
  } catch (thrown) {
    const error = causeOf(thrown);
    if (error instanceof InvalidPayload) {
      parts.log.warn({ ...about, reason: error.message }, 'received an invalid webhook');
      return { status: 400, message: `Invalid delivery. ${error.message}` };
    }
    parts.log.error({ ...about, err: error }, 'webhook handler failed');
    return { status: 500, message: 'Internal error. Redeliver it later.' };
  }
}

interface ParsedDelivery {
  /** With its action. */
  readonly name: string;
  readonly hasInstallation: boolean;
  readonly payload: object;
}

function parse({ id, event }: Delivery, payloadOf: () => unknown): ParsedDelivery {
  if (!/^[\w-]{1,100}$/.test(id)) throw new InvalidPayload('X-GitHub-Delivery is not an ID.');
  if (!/^[a-z][a-z\d_]{0,99}$/.test(event))
    throw new InvalidPayload('X-GitHub-Event is not the name of an event.');
  const payload = payloadOf();
  const { data } = Envelope.safeParse(payload);
  if (data === undefined || typeof payload !== 'object' || payload === null)
    throw new InvalidPayload(
      'The body must be a JSON object, its `action` a string, and its `installation` must have an `id`.',
    );
  const name = data.action === undefined ? event : `${event}.${data.action}`;
  return { name, hasInstallation: data.installation !== undefined, payload };
}

/** Bytes that are no character are never replaced: what is read would not be what was signed. */
function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new InvalidPayload('The body is not JSON in UTF-8.');
  }
}

async function dispatch(
  { probot, handled, done }: ReceiveParts,
  { id, event }: Delivery,
  { name, hasInstallation, payload }: ParsedDelivery,
): Promise<string> {
  if (!handled.has(name))
    return `Ignored: Issuewright does not use the event ${escapeUnseen(name.slice(0, 200))}.`;
  if (!hasInstallation)
    return 'Ignored: it belongs to no installation of this App. Webhooks of repositories and organizations are not used.';
  // Its handlers check the rest of the form; octokit's union of events cannot be checked here.
  await probot.webhooks.receive({ id, name: event, payload } as never);
  return done.get(payload) ?? 'Accepted.';
}

/** What the handler threw, without the event that octokit attaches to it. */
function causeOf(thrown: unknown): unknown {
  const [first = thrown] = thrown instanceof AggregateError ? thrown.errors : [];
  if (first instanceof Error) Reflect.deleteProperty(first, 'event');
  return first;
}
