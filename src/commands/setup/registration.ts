// The set-up of one App, step by step: address, App, installation, first webhook.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { pino } from 'pino';
import type { BeforeSetUp } from '../../config/before-set-up.ts';
import { addressesOf } from '../../github/addresses.ts';
import { createGitHub, type GitHub } from '../../github/index.ts';
import { appFromManifest, type NewApp } from '../../github/set-up/app-set-up.ts';
import { createRedactor } from '../../lib/text/redact.ts';
import type { SetupSource } from '../../web/setup/setup-server.ts';
import { isAppSetUp, type SetupView } from '../../web/setup/setup-page.ts';
import { trimEnd } from '../../lib/text/text.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { CALLBACK_PATH } from '../../web/people/sign-ins.ts';
import { WEBHOOK_PATH } from '../../web/webhook-route.ts';
import { readAppManifest } from '../app-manifest.ts';

export interface RegistrationOptions {
  readonly before: BeforeSetUp;
  readonly organization: string | undefined;
  readonly name: string | undefined;
  /** `undefined`: the page asks for it. */
  readonly webhookUrl: string | undefined;
  /** Writes settings and key. Returns what is left to do, for people. */
  readonly keep: (app: NewApp) => readonly string[];
}

/** An App that was created, and how to reach GitHub as that App. */
export interface RegisteredApp {
  readonly app: NewApp;
  readonly github: GitHub;
  readonly next: readonly string[];
}

const CODE = /^[\w-]{1,200}$/;
const log = pino({ level: 'silent' });

export class Registration implements SetupSource {
  /** Resolves when the App is created, and its settings are in files. */
  readonly registered: Promise<RegisteredApp>;
  /** The accounts that have installed the App. */
  owners: readonly string[] = [];
  isReached = false;
  /** Resolves when the browser shows that all is done. */
  readonly endShown: Promise<void>;
  readonly #resolveShown: () => void;
  readonly #options: RegistrationOptions;
  readonly #name: string;
  /** To which GitHub leads back. */
  #pageUrl = '';
  readonly #state = randomBytes(32).toString('base64url');
  readonly #resolve: (registered: RegisteredApp) => void;
  #webhookUrl: string | undefined;
  #done: RegisteredApp | undefined;
  #underWay: Promise<void> | undefined;

  constructor(options: RegistrationOptions) {
    this.#options = options;
    this.#name = nameFor(options);
    this.#webhookUrl = options.webhookUrl;
    const { promise, resolve } = Promise.withResolvers<RegisteredApp>();
    this.registered = promise;
    this.#resolve = resolve;
    ({ promise: this.endShown, resolve: this.#resolveShown } = Promise.withResolvers<void>());
  }

  /** Where webhooks go, once that is known. */
  get webhookUrl(): string | undefined {
    return this.#webhookUrl;
  }

  /** Call before the page is shown. */
  openedAt(pageUrl: string): void {
    this.#pageUrl = pageUrl;
  }

  shown(view: SetupView): void {
    if (view.step === 'install' && isAppSetUp(view)) this.#resolveShown();
  }

  view(): SetupView {
    const webhookUrl = this.#webhookUrl;
    if (webhookUrl === undefined) return { step: 'address' };
    const { owners, isReached } = this;
    if (this.#done !== undefined) {
      const { app, next } = this.#done;
      const { slug, install } = app;
      return { step: 'install', slug, install, owners, isReached, webhookUrl, next };
    }
    const { organization, before } = this.#options;
    const { url } = addressesOf(before.enterprise);
    const redirectUrl = `${this.#pageUrl}/setup/created`;
    const manifest = manifestFor({
      name: this.#name,
      webhookUrl,
      pagesUrl: before.pagesUrl,
      redirectUrl,
    });
    return {
      step: 'create',
      action: `${manifestPage(url, organization)}?state=${this.#state}`,
      manifest: JSON.stringify(manifest),
      webhookUrl,
    };
  }

  giveAddress(given: string): string | undefined {
    if (this.#done !== undefined) return 'The App already exists.';
    if (this.#options.webhookUrl !== undefined) return 'The address is already set.';
    const address = webhookAddress(given);
    if (address === undefined) return 'Not a valid address. Example: https://bot.example.com';
    this.#webhookUrl = address;
    return undefined;
  }

  /** GitHub leads back once; a page that is loaded again changes nothing. */
  async accept(code: string, state: string): Promise<void> {
    if (!isSame(state, this.#state))
      throw new Error(
        'This response does not match the form on this page, so it was ignored. Start again with the form.',
      );
    if (!CODE.test(code)) throw new Error('GitHub created no App. Start again with the form.');
    if (this.#done !== undefined) return;
    this.#underWay ??= this.#register(code).finally(() => (this.#underWay = undefined));
    await this.#underWay;
  }

  async #register(code: string): Promise<void> {
    const redactor = createRedactor([]);
    const { enterprise } = this.#options.before;
    const app = await appFromManifest({ enterprise, code, log, redactor });
    const next = this.#options.keep(app);
    const { id: appId, privateKey, webhookSecret } = app;
    const keys = { privateKey, webhookSecrets: [webhookSecret] };
    const github = createGitHub({ appId, ...keys, enterprise, log, redactor });
    await github.start([]);
    this.#done = { app, github, next };
    this.#resolve(this.#done);
  }
}

function isSame(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

interface ManifestOptions {
  readonly name: string;
  /** Where GitHub sends webhooks. */
  readonly webhookUrl: string;
  /** Where people will reach the session pages, on which they sign in with GitHub. */
  readonly pagesUrl: string;
  /** Where GitHub leads back to. */
  readonly redirectUrl?: string | undefined;
}

/** GitHub's limit. */
const LONGEST_NAME = 34;

/** Names of Apps are unique on GitHub; people can change it before the App is created. */
export function nameFor({
  name,
  organization,
}: {
  readonly name: string | undefined;
  /** The organization that the App will belong to; `undefined`: the account of whoever creates it. */
  readonly organization: string | undefined;
}): string {
  const suffix = organization ?? randomBytes(2).toString('hex');
  return (name ?? `${readAppManifest().name}-${suffix}`).slice(0, LONGEST_NAME);
}

/** In the form of GitHub (docs.github.com, "Registering a GitHub App from a manifest"). */
export const manifestFor = ({ name, webhookUrl, pagesUrl, redirectUrl }: ManifestOptions) => ({
  ...readAppManifest(),
  name,
  hook_attributes: { url: webhookUrl, active: true },
  callback_urls: [`${pagesUrl}${CALLBACK_PATH}`],
  ...withoutUndefined({ redirect_url: redirectUrl }),
});

/** The page of GitHub that takes the manifest. */
const manifestPage = (githubUrl: string, organization: string | undefined): string =>
  organization === undefined
    ? `${githubUrl}/settings/apps/new`
    : `${githubUrl}/organizations/${encodeURIComponent(organization)}/settings/apps/new`;

/** `https://bot.example.com` or an address of webhooks itself; `undefined` if it is neither. */
export function webhookAddress(given: string): string | undefined {
  const url = URL.parse(given.trim());
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return undefined;
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    return undefined;
  if (url.pathname.endsWith(WEBHOOK_PATH)) return url.href;
  return `${trimEnd(url.href, '/')}${WEBHOOK_PATH}`;
}
