// How an App is created from a manifest.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { newPrivateKey } from '../private-key.ts';
import type { Authentication } from './auth.ts';
import { GitHubError } from './github-error.ts';
import type { Hub } from './hub.ts';
import type { User } from './user.ts';

const CODE_LIFE_MS = 60 * 60 * 1000;

export const Manifest = z.object({
  name: z.string().min(1).max(34),
  url: z.url(),
  hook_attributes: z.object({ url: z.url(), active: z.boolean().default(true) }),
  redirect_url: z.url(),
  callback_urls: z.array(z.url()).max(10).default([]),
  public: z.boolean().default(false),
  default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
  default_events: z.array(z.string()),
});
export type Manifest = z.output<typeof Manifest>;

/** An App as its owner has to keep it. */
export interface RegisteredApp {
  readonly id: number;
  readonly slug: string;
  readonly name: string;
  readonly webhookSecret: string;
  readonly clientSecret: string;
  readonly callbackUrls: readonly string[];
  readonly webhookUrl: string;
  readonly privateKeyPem: string;
  readonly permissions: Record<string, 'read' | 'write'>;
  readonly events: readonly string[];
}

/** What is handed over once. */
interface Registration {
  readonly owner: User;
  readonly privateKeyPem: string;
  readonly clientSecret: string;
  readonly until: number;
}

/** GitHub's rule for the names of Apps in addresses. */
const slugOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

/** The permission that an event of a manifest needs. */
const NEEDED = new Map([
  ['check_run', 'checks'],
  ['check_suite', 'checks'],
  ['issue_comment', 'issues'],
  ['issues', 'issues'],
  ['pull_request', 'pull_requests'],
  ['pull_request_review', 'pull_requests'],
  ['pull_request_review_comment', 'pull_requests'],
  ['pull_request_review_thread', 'pull_requests'],
  ['push', 'contents'],
  ['status', 'statuses'],
  ['workflow_run', 'actions'],
]);

/** Events that every App gets: a manifest that names one is rejected. */
const UNASKED = new Set(['installation', 'installation_repositories']);

export class Registrations {
  readonly #hub: Hub & { readonly authentication: Authentication };
  readonly #onNewApp: ((app: RegisteredApp) => void) | undefined;
  readonly #open = new Map<string, Registration>();

  constructor(
    hub: Hub & { readonly authentication: Authentication },
    onNewApp: ((app: RegisteredApp) => void) | undefined,
  ) {
    this.#hub = hub;
    this.#onNewApp = onNewApp;
  }

  /** Reads a manifest. Throws what GitHub says of one that is invalid. */
  read(text: string): Manifest {
    const manifest = Manifest.safeParse(parsed(text));
    if (!manifest.success)
      throw new GitHubError(
        'app-manifest',
        422,
        `Invalid manifest: ${z.prettifyError(manifest.error)}`,
      );
    const { default_events: events, default_permissions: permissions } = manifest.data;
    const isUnsupported = (event: string): boolean =>
      UNASKED.has(event) || (NEEDED.has(event) && !((NEEDED.get(event) ?? '') in permissions));
    const odd = events.filter(isUnsupported);
    if (odd.length > 0)
      throw new GitHubError(
        'events-need-permissions',
        422,
        `Default events are not supported by permissions: ${odd.join(', ')}`,
      );
    return manifest.data;
  }

  /** Creates the App and pings it. Returns the code for what is handed over. */
  create(manifest: Manifest, owner: User): string {
    const { world, webhooks, authentication } = this.#hub;
    const { name, hook_attributes: hook, default_permissions: permissions } = manifest;
    const privateKeyPem = newPrivateKey();
    const app = {
      id: world.nextId(),
      slug: slugOf(name),
      name,
      webhookSecret: randomBytes(20).toString('hex'),
      clientSecret: randomBytes(20).toString('hex'),
      callbackUrls: manifest.callback_urls,
      permissions,
      events: manifest.default_events,
    };
    world.replaceApp(app);
    authentication.useKey(privateKeyPem);
    webhooks.url = hook.url;
    this.#onNewApp?.({ ...app, privateKeyPem, webhookUrl: hook.url });
    if (hook.active) webhooks.ping();
    const code = randomBytes(20).toString('hex');
    const { clientSecret } = app;
    this.#open.set(code, { owner, privateKeyPem, clientSecret, until: Date.now() + CODE_LIFE_MS });
    return code;
  }

  /** `undefined` for a code that is unknown, old, or was used. */
  take(code: string): Registration | undefined {
    const found = this.#open.get(code);
    this.#open.delete(code);
    return found !== undefined && found.until > Date.now() ? found : undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new GitHubError('app-manifest', 422, 'Invalid manifest: it is not JSON');
  }
}
