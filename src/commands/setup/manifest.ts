import { trimEnd } from '../../lib/text/text.ts';
// What is sent to GitHub to create the App.
import { randomBytes } from 'node:crypto';
import { CALLBACK_PATH } from '../../web/people/sign-ins.ts';
import { WEBHOOK_PATH } from '../../web/webhook-route.ts';
import { readAppManifest } from '../app-manifest.ts';

export interface ManifestOptions {
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
  ...(redirectUrl === undefined ? {} : { redirect_url: redirectUrl }),
});

/** The page of GitHub that takes the manifest. */
export const manifestPage = (githubUrl: string, organization: string | undefined): string =>
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
