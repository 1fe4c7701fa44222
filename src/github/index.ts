// GitHub's public face: the App's webhooks, and the repositories as the App reads and writes them.
import type { Logger } from 'pino';
import type { Redactor } from '../lib/redact.ts';
import type { RepositoryRef } from '../session/intent.ts';
import { createGitHubApp, type GitHubApp, type WebhookHandler } from './app.ts';
import { createIdentity, type Identity } from './identity.ts';
import { createClient } from './octokit.ts';
import { createGitHubRepository, type GitHubRepository } from './repository.ts';
import type { Pause, RequestPolicy } from './request-policy.ts';
import { createTokens } from './tokens.ts';

export interface GitHubOptions {
  readonly appId: number;
  readonly privateKey: string;
  readonly webhookSecret: string;
  /** GitHub Enterprise Server; `undefined` for github.com. */
  readonly enterprise?: { readonly host: string; readonly protocol: string } | undefined;
  readonly handlers: readonly WebhookHandler[];
  readonly log: Logger;
  /** Learns every token that is minted. */
  readonly redactor: Redactor;
  /** Milliseconds that one request may take, and those before a read is repeated first. */
  readonly deadlineMs?: number | undefined;
  readonly backoffMs?: number | undefined;
}

export interface GitHub extends Pick<GitHubApp, 'start' | 'receiveWebhook'> {
  /** Where people see it, such as `https://github.com`. */
  readonly url: string;
  /** The repository as the App's installation sees it. Makes no request. */
  repository(installation: number, repository: RepositoryRef): GitHubRepository;
  identity(): Promise<Identity>;
}

/** Connects nothing: `start` makes it ready for webhooks. */
export function createGitHub(options: GitHubOptions): GitHub {
  const { log, redactor, deadlineMs, backoffMs } = options;
  const { url, baseUrl } = addressesOf(options.enterprise);
  const policy: RequestPolicy = { redactor, deadlineMs, backoffMs };
  const app = createGitHubApp({ ...options, baseUrl, policy });
  const appOctokit = () => app.octokit();
  const tokens = createTokens({ appOctokit, redactor });
  const identity = createIdentity({
    appOctokit,
    anonymous: createClient({ baseUrl, log, policy }),
    hostname: new URL(url).hostname,
  });

  const pauses = new Map<number, Pause>();
  const pauseOf = (installation: number): Pause => {
    const pause = pauses.get(installation) ?? { until: 0 };
    pauses.set(installation, pause);
    return pause;
  };

  return {
    url,
    start: () => app.start(),
    receiveWebhook: (delivery) => app.receiveWebhook(delivery),
    identity,
    repository: (installation, repository) => {
      const at = { installation, repository };
      const octokit = createClient({
        baseUrl,
        log,
        policy: { ...policy, pause: pauseOf(installation) },
        token: (refused) => tokens.get({ ...at, purpose: 'api', refused }),
      });
      return createGitHubRepository({
        gate: { octokit, repository, redactor, identity },
        gitUrl: `${url}/${repository.owner}/${repository.name}.git`,
        gitToken: (access) => tokens.get({ ...at, purpose: `git-${access}` }),
      });
    },
  };
}

function addressesOf(enterprise: GitHubOptions['enterprise']): { url: string; baseUrl: string } {
  if (enterprise === undefined)
    return { url: 'https://github.com', baseUrl: 'https://api.github.com' };
  const url = `${enterprise.protocol}://${enterprise.host}`;
  return { url, baseUrl: `${url}/api/v3` };
}
