// How the App is set up on GitHub: what it asks for, and where its webhooks go.
import type { ProbotOctokit } from 'probot';
import type { Logger } from 'pino';
import type { Redactor } from '../../lib/text/redact.ts';
import { addressesOf, type Enterprise } from '../addresses.ts';
import { createClient } from '../requests/octokit.ts';

/** Permissions by name, such as `issues: write`. */
export type GrantedPermissions = Readonly<Record<string, string>>;

export interface AppFacts {
  readonly slug: string;
  /** `slug[bot]` */
  readonly login: string;
  readonly permissions: GrantedPermissions;
  readonly events: readonly string[];
  /** The page on which the operator changes the App. */
  readonly settings: string;
  /** The page on which people install it. */
  readonly install: string;
}

interface HookFacts {
  readonly url: string | undefined;
  readonly contentType: string | undefined;
  readonly hasSecret: boolean;
}

export interface AppSetUp {
  app(): Promise<AppFacts>;
  hook(): Promise<HookFacts>;
  /** Where webhooks go from now on. */
  moveHook(url: string): Promise<void>;
}

export const appSetUp = (url: string, appOctokit: () => Promise<ProbotOctokit>): AppSetUp => ({
  app: async () => {
    const { rest } = await appOctokit();
    const { data } = await rest.apps.getAuthenticated();
    if (data?.slug === undefined) throw new Error('GitHub returned no App');
    const { slug, permissions, events, owner } = data;
    const isOfOrganization =
      owner !== undefined && 'type' in owner && owner.type === 'Organization';
    const account = isOfOrganization && 'login' in owner ? `/organizations/${owner.login}` : '';
    return {
      slug,
      login: `${slug}[bot]`,
      permissions: grantedPermissions(permissions),
      events,
      settings: `${url}${account}/settings/apps/${slug}`,
      install: `${url}/apps/${slug}/installations/new`,
    };
  },

  hook: async () => {
    const { rest } = await appOctokit();
    const { data } = await rest.apps.getWebhookConfigForApp();
    return {
      url: data.url === '' ? undefined : data.url,
      contentType: data.content_type,
      hasSecret: Boolean(data.secret),
    };
  },

  moveHook: async (address) => {
    const octokit = await appOctokit();
    // As a parameter, octokit would take `url` for the address of the request itself.
    const data = { url: address };
    await octokit.request('PATCH /app/hook/config', { data, request: { repeatable: true } });
  },
});

export const grantedPermissions = (permissions: object): GrantedPermissions =>
  Object.fromEntries(
    Object.entries(permissions).filter(
      (one): one is [string, string] => typeof one[1] === 'string',
    ),
  );

// A new App, from the code that GitHub gives once its manifest was accepted.

export interface NewApp {
  readonly id: number;
  readonly slug: string;
  /** The login of the account that it belongs to. */
  readonly owner: string;
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** For the sign-in of people. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** The page on which people install it. */
  readonly install: string;
}

export interface ManifestCode {
  readonly enterprise: Enterprise;
  readonly code: string;
  readonly log: Logger;
  /** Gets the secrets of the App. */
  readonly redactor: Redactor;
}

/** GitHub takes each code once, within an hour. Errors are for the operator. */
export async function appFromManifest(given: ManifestCode): Promise<NewApp> {
  const { enterprise, code, log, redactor } = given;
  const { url, baseUrl } = addressesOf(enterprise);
  const octokit = createClient({ baseUrl, log, policy: { redactor } });
  const { data } = await octokit.rest.apps.createFromManifest({ code });
  const { id, slug, owner, pem: privateKey, webhook_secret: webhookSecret } = data;
  const { client_id: clientId, client_secret: clientSecret } = data;
  for (const secret of [privateKey, webhookSecret, clientSecret]) {
    if (secret !== null) redactor.add(secret);
  }
  if (slug === undefined || webhookSecret === null)
    throw new Error('GitHub created the App without a webhook secret. Create it by hand.');
  const login = 'login' in owner ? owner.login : '';
  const install = `${url}/apps/${slug}/installations/new`;
  const secrets = { privateKey, webhookSecret, clientSecret };
  return { id, slug, owner: login, clientId, ...secrets, install };
}
