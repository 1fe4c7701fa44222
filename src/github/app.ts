// The GitHub App: verifies webhooks and passes them to their handlers, and provides the App's octokit.
import { createPrivateKey } from 'node:crypto';
import type { EmitterWebhookEventName } from '@octokit/webhooks';
import type { Logger } from 'pino';
import { Probot, type ProbotOctokit } from 'probot';
import type {
  DeliveryAnswer,
  RawDelivery,
  SignatureCheck,
  VerifiedDelivery,
} from '../contracts/delivery.ts';
import { messageOf } from '../lib/errors.ts';
import { Octokit, silenced } from './octokit.ts';
import { checkSignature } from './signature.ts';
import { applyRequestPolicy, type RequestPolicy } from './request-policy.ts';

export interface WebhookHandler {
  /** Such as `issues.labeled`. */
  readonly name: EmitterWebhookEventName;
  handle(delivery: VerifiedDelivery): Promise<void>;
}

export interface GitHubAppOptions {
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
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
  /** The octokit that authenticates as the App itself. */
  readonly octokit: () => Promise<ProbotOctokit>;
}

export function createGitHubApp(options: GitHubAppOptions): GitHubApp {
  const { appId, privateKey, webhookSecret: secret, baseUrl, log, policy } = options;
  // Probot would log whole events with their signatures, so its log is off and we log here instead.
  const probot = new Probot({ appId, privateKey, secret, baseUrl, Octokit, log: silenced(log) });

  let governed: Promise<ProbotOctokit> | undefined;
  return {
    start: async (handlers) => {
      checkPrivateKey(privateKey);
      for (const handler of handlers)
        probot.on(handler.name, ({ id, payload }) =>
          handler.handle({ id, event: handler.name, payload }),
        );
      await probot.ready();
    },
    checkSignature: (signature) => checkSignature(secret, signature),
    receive: (delivery) => receive(probot, delivery, log),
    octokit: () => (governed ??= governedOctokit(probot, policy)),
  };
}

async function governedOctokit(probot: Probot, policy: RequestPolicy): Promise<ProbotOctokit> {
  const octokit = await probot.auth();
  applyRequestPolicy(octokit, policy);
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

async function receive(
  probot: Probot,
  { id, event, rawBody }: RawDelivery,
  log: Logger,
): Promise<DeliveryAnswer> {
  const about = { delivery: id, event };
  const payload = parseObject(rawBody.toString('utf8'));
  if (payload === undefined || event === '') {
    log.warn(
      about,
      'received an invalid webhook: the body is not a JSON object, or the event name is missing',
    );
    const message = 'The body must be a JSON object, and the event name is required.';
    return { status: 400, message };
  }
  try {
    // The signature vouches for the payload's shape: octokit's union of events cannot be checked here.
    await probot.webhooks.receive({ id, name: event, payload } as never);
  } catch (error) {
    log.error({ ...about, err: causeOf(error) }, 'webhook handler failed');
    return { status: 500, message: 'Internal error. Redeliver it later.' };
  }
  return { status: 202, message: 'Accepted.' };
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
