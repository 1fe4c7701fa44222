// Signs webhooks, delivers them in the order of the events, and records every delivery.
import { createHmac, randomUUID } from 'node:crypto';
import http from 'node:http';
import type { Observer } from './observer.ts';
import { installationPayload } from './payloads/app.ts';
import { repositoryPayload } from './payloads/repository.ts';
import { userPayload } from './payloads/user.ts';
import type { Repository, User } from './state.ts';
import { nodeId, timestamp } from './state.ts';
import type { Installation, World } from './world.ts';

const ANSWER_TIMEOUT_MS = 10_000;
const HOOK_ID = 1;

export interface Delivery {
  readonly id: number;
  readonly guid: string;
  readonly event: string;
  readonly action: string | undefined;
  readonly payload: Record<string, unknown>;
  readonly deliveredAt: string;
  readonly redelivery: boolean;
  readonly installationId: number | undefined;
  readonly repositoryId: number | undefined;
  /** `X-Hub-Signature-256`, once it was sent. */
  signature: string | undefined;
  /** The HTTP status of the answer; 0 if there was none in time; `undefined` if it is still awaited. */
  status: number | undefined;
}

type Fields = Record<string, unknown>;

export class Webhooks {
  readonly deliveries: Delivery[] = [];
  url: string;
  readonly #world: World;
  readonly #observer: Observer | undefined;
  readonly #closing = new AbortController();
  readonly #pending = new Set<Promise<void>>();
  #lastStart: Promise<void> = Promise.resolve();

  constructor(world: World, url: string, observer?: Observer) {
    this.#world = world;
    this.#observer = observer;
    this.url = url;
  }

  /**
   * Sends the App an event of a repository where it is installed. `fields` may be a promise; deliveries start
   * in the order of the calls anyway.
   */
  emit(
    event: string,
    repository: Repository,
    sender: User,
    fields: Fields | Promise<Fields>,
  ): void {
    const world = this.#world;
    const { installationId } = repository;
    const installation = world.installations.get(installationId ?? -1);
    // A suspended App gets no events (rule `suspended-hears-nothing`); what it does itself it hears (rule `own-events`).
    if (installationId === undefined || installation?.suspendedAt !== null) return;
    if (!hears(installation.events ?? world.app.events, installation, event)) return;
    const payload = Promise.resolve(fields).then((own) => ({
      ...own,
      repository: repositoryPayload(world, repository),
      installation: { id: installationId, node_id: nodeId('IN', installationId) },
      sender: userPayload(world, sender),
    }));
    this.#inOrder(async () => {
      void this.#start({
        guid: randomUUID(),
        event,
        payload: await payload,
        redelivery: false,
        installationId,
        repositoryId: repository.id,
      });
    });
  }

  /**
   * Sends the App an event about its installation. Apps get these without subscribing (rule `installation-events`).
   */
  emitInstallation(event: string, installation: Installation, fields: Fields): void {
    const payload = {
      ...fields,
      installation: installationPayload(this.#world, installation),
      sender: userPayload(this.#world, installation.account),
    };
    this.#inOrder(async () => {
      void this.#start({
        guid: randomUUID(),
        event,
        payload,
        redelivery: false,
        installationId: installation.id,
        repositoryId: undefined,
      });
    });
  }

  /** Sends the App the event that says where its webhooks go. */
  ping(): void {
    const { id, events } = this.#world.app;
    const hook = { type: 'App', id: HOOK_ID, name: 'web', active: true, events, app_id: id };
    const config = { url: this.url, content_type: 'json', insecure_ssl: '0' };
    const times = { created_at: timestamp(), updated_at: timestamp() };
    const payload = {
      zen: 'Keep it logically awesome.',
      hook_id: HOOK_ID,
      hook: { ...hook, config, ...times },
    };
    this.#inOrder(async () => {
      void this.#start({
        guid: randomUUID(),
        event: 'ping',
        payload,
        redelivery: false,
        installationId: undefined,
        repositoryId: undefined,
      });
    });
  }

  /** Delivers again with the same GUID, like the button in GitHub's settings. */
  redeliver(delivery: Delivery): Promise<void> {
    const keeps = this.#world.rules.holds('redelivery-keeps-guid');
    const guid = keeps ? delivery.guid : randomUUID();
    return this.#start({ ...delivery, guid, redelivery: true });
  }

  /** Delivers again with another GUID, like a second hook on the repository. */
  deliverAgainWithOtherGuid(delivery: Delivery): Promise<void> {
    return this.#start({ ...delivery, guid: randomUUID() });
  }

  /** Resolves when every event so far has been delivered. */
  async sent(): Promise<void> {
    await this.#lastStart;
    await Promise.all(this.#pending);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.sent();
  }

  /** In the order of the events, where GitHub promises none (rule `events-in-any-order`). */
  #inOrder(start: () => Promise<void>): void {
    this.#lastStart = this.#lastStart.then(start).catch((error: unknown) => {
      this.#world.log?.error({ error }, 'building a webhook failed');
    });
  }

  #start(
    parts: Omit<Delivery, 'id' | 'action' | 'deliveredAt' | 'signature' | 'status'>,
  ): Promise<void> {
    const action = parts.payload['action'];
    const delivery: Delivery = {
      ...parts,
      id: this.#world.nextId(),
      action: typeof action === 'string' ? action : undefined,
      deliveredAt: new Date().toISOString(),
      signature: undefined,
      status: undefined,
    };
    this.deliveries.push(delivery);
    if (!parts.redelivery) this.#observer?.sent(parts.event, parts.payload);
    this.#world.changed();
    const done = this.#deliver(delivery).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    return done;
  }

  async #deliver(delivery: Delivery): Promise<void> {
    try {
      delivery.status = this.#closing.signal.aborted ? 0 : await this.#post(delivery);
    } catch (error) {
      delivery.status = 0;
      this.#world.log?.debug({ error, guid: delivery.guid }, 'delivering a webhook failed');
    }
    this.#world.changed();
  }

  /** Fails without an answer in time; nothing is sent again by itself (rule `delivery-in-time`). */
  #post(delivery: Delivery): Promise<number> {
    const body = JSON.stringify(delivery.payload);
    const { id, webhookSecret } = this.#world.app;
    const signature = `sha256=${createHmac('sha256', webhookSecret).update(body).digest('hex')}`;
    delivery.signature = signature;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ANSWER_TIMEOUT_MS)]);
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'GitHub-Hookshot/local',
      'x-github-delivery': delivery.guid,
      'x-github-event': delivery.event,
      'x-github-hook-id': String(HOOK_ID),
      'x-github-hook-installation-target-id': String(id),
      'x-github-hook-installation-target-type': 'integration',
      'x-hub-signature-256': signature,
    };
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers, agent: false, signal };
      const request = http.request(this.url, options, (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}

/** The permission that an App needs to read an event's subject. */
const SUBJECTS = new Map([
  ['check_run', 'checks'],
  ['check_suite', 'checks'],
  ['status', 'statuses'],
  ['workflow_run', 'actions'],
]);

/**
 * Whether the App gets the event. One that may write checks is subscribed to their events without asking
 * (rule `check-events`).
 */
function hears(events: readonly string[], { permissions }: Installation, event: string): boolean {
  const subject = SUBJECTS.get(event);
  if (subject === undefined) return events.includes(event);
  const level = permissions[subject];
  if (subject === 'checks' && level === 'write') return true;
  return level !== undefined && events.includes(event);
}

/** A delivery as listed by `GET /app/hook/deliveries`. */
export function deliveryPayload(delivery: Delivery) {
  const failed = delivery.status === 0 ? 'failed to connect to host' : `${delivery.status}`;
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: delivery.deliveredAt,
    redelivery: delivery.redelivery,
    duration: 0.1,
    status: delivery.status !== undefined && isOk(delivery.status) ? 'OK' : failed,
    status_code: delivery.status ?? 0,
    event: delivery.event,
    action: delivery.action ?? null,
    installation_id: delivery.installationId ?? null,
    repository_id: delivery.repositoryId ?? null,
    throttled_at: null,
  };
}

const isOk = (status: number): boolean => status >= 200 && status < 300;
