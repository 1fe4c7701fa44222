// The GitHub App: its webhooks, verified and handed on, and the octokit that speaks as the App.
import { createPrivateKey } from 'node:crypto';
import type { EmitterWebhookEventName } from '@octokit/webhooks';
import type { Logger } from 'pino';
import { Probot, type ProbotOctokit } from 'probot';
import { messageOf } from '../lib/errors.ts';
import { Octokit, silenced } from './octokit.ts';
import { govern, type RequestPolicy } from './request-policy.ts';

interface WebhookDelivery {
  /** `X-GitHub-Delivery` */
  readonly id: string;
  /** `X-GitHub-Event` */
  readonly name: string;
  /** `X-Hub-Signature-256` */
  readonly signature: string;
  readonly rawBody: string;
}

export interface WebhookEvent {
  readonly deliveryId: string;
  readonly name: EmitterWebhookEventName;
  readonly payload: unknown;
}

export interface WebhookHandler {
  /** Such as `issues.labeled`. */
  readonly name: EmitterWebhookEventName;
  handle(event: WebhookEvent): Promise<void>;
}

/** A delivery that is not accepted. The message may be shown to the sender. */
export class WebhookRefused extends Error {
  override readonly name = 'WebhookRefused';
  readonly status: 400 | 401 | 500;

  constructor(status: 400 | 401 | 500, message: string, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

export interface GitHubAppOptions {
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  readonly baseUrl: string;
  readonly log: Logger;
  readonly handlers: readonly WebhookHandler[];
  readonly policy: RequestPolicy;
}

export interface GitHubApp {
  /** Resolves when deliveries can be received. Makes no request. */
  start(): Promise<void>;
  /**
   * Verifies a delivery and awaits its handlers; an event without one is handled by doing nothing.
   * Makes no request. @throws {WebhookRefused}
   */
  receiveWebhook(delivery: WebhookDelivery): Promise<'handled'>;
  /** The octokit that authenticates as the App itself. */
  octokit(): Promise<ProbotOctokit>;
}

export function createGitHubApp(options: GitHubAppOptions): GitHubApp {
  const { appId, privateKey, webhookSecret: secret, baseUrl, log, handlers, policy } = options;
  // Probot logs whole events and their signatures: what is worth a line is logged here.
  const probot = new Probot({ appId, privateKey, secret, baseUrl, Octokit, log: silenced(log) });
  for (const handler of handlers)
    probot.on(handler.name, ({ id, payload }) =>
      handler.handle({ deliveryId: id, name: handler.name, payload }),
    );

  let governed: Promise<ProbotOctokit> | undefined;
  return {
    start: async () => {
      checkPrivateKey(privateKey);
      await probot.ready();
    },
    receiveWebhook: (delivery) => receive(probot, delivery, log),
    octokit: () => (governed ??= governedOctokit(probot, policy)),
  };
}

async function governedOctokit(probot: Probot, policy: RequestPolicy): Promise<ProbotOctokit> {
  const octokit = await probot.auth();
  govern(octokit, policy);
  return octokit;
}

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

async function receive(probot: Probot, delivery: WebhookDelivery, log: Logger): Promise<'handled'> {
  const { id, name, signature, rawBody } = delivery;
  const about = { delivery: id, event: name };
  const isGenuine = await probot.webhooks.verify(rawBody, signature).catch(() => false);
  if (!isGenuine) {
    log.warn(about, 'received an invalid webhook: its signature does not match WEBHOOK_SECRET');
    throw new WebhookRefused(401, 'The signature does not match the body and the webhook secret.');
  }
  const payload = parseObject(rawBody);
  if (payload === undefined || name === '') {
    log.warn(
      about,
      'received an invalid webhook: the body is not a JSON object, or the event name is missing',
    );
    throw new WebhookRefused(
      400,
      'The body must be a JSON object, and the event name is required.',
    );
  }
  try {
    // The signature vouches for the payload's shape: octokit's union of events cannot be checked here.
    await probot.webhooks.receive({ id, name, payload } as never);
  } catch (error) {
    log.error({ ...about, err: causeOf(error) }, 'webhook handler failed');
    throw new WebhookRefused(500, 'Internal error. Redeliver it later.');
  }
  return 'handled';
}

function parseObject(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What the handler threw, without the event that octokit attaches to it. */
function causeOf(thrown: unknown): unknown {
  const [first = thrown] = thrown instanceof AggregateError ? thrown.errors : [];
  if (first instanceof Error) Reflect.deleteProperty(first, 'event');
  return first;
}
