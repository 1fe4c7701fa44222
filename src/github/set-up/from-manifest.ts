// A new App, from the code that GitHub gives once its manifest was accepted.
import type { Logger } from 'pino';
import type { Redactor } from '../../lib/text/redact.ts';
import { addressesOf, type Enterprise } from '../addresses.ts';
import { createClient } from '../requests/octokit.ts';

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
