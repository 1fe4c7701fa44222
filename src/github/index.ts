// The entry to this folder: the App's webhooks, and access to repositories.
import type { Logger } from 'pino';
import type { DeliveryAttempt, SentDeliveries } from '../contracts/delivery.ts';
import type { Redactor } from '../lib/text/redact.ts';
import type { RepositoryRef } from '../contracts/intent.ts';
import { checkSignature, createGitHubApp, type AppKeys, type GitHubApp } from './app.ts';
import { addressesOf, type Enterprise } from './addresses.ts';
import { createIdentity, type AppIdentity } from './access/app-identity.ts';
import { appSetUp, type AppSetUp } from './set-up/app-set-up.ts';
import { repositorySetUp, type RepositorySetUp } from './set-up/repository-set-up.ts';
import {
  always,
  createInstallations,
  tokensOfInstallation,
  type ClientRequest,
  type InstallationOf,
  type Installations,
} from './access/installations.ts';
import { activityReader, type ReadActivity } from './activity/recent-activity.ts';
import { createClient, type ClientOptions } from './requests/octokit.ts';
import { createOwnersFiles, OWNERS_REPOSITORY } from './repository-files.ts';
import { attachmentsOf } from './images/fetch-image.ts';
import { createGitHubRepository, type GitHubRepository } from './repository.ts';
import type { Writer } from '../lib/write-budget.ts';
import {
  pausesInMemory,
  type RequestPolicy,
  type SharedLimits,
} from './requests/request-policy.ts';
import { hostPolicy } from './text/links.ts';
import { createRenderingCheck, type Verdicts } from './text/rendering-check.ts';
import type { Purpose } from './access/permissions.ts';
import { createTokens, type Tokens } from './access/tokens.ts';
import { authorizationWith, type OAuthClient } from './access/user-authorization.ts';
import type { UserAuthorization } from '../contracts/sign-in.ts';
import { verifiedCommits } from './verified-commits.ts';
import type { ProbotOctokit } from 'probot';
import { linkedParameter } from './requests/whole-responses.ts';

export interface GitHubOptions
  extends AppKeys, Pick<Parameters<typeof createGitHubApp>[0], 'appId' | 'keys'> {
  /** GitHub Enterprise Server; `undefined` for github.com. */
  readonly enterprise?: Enterprise;
  /** Hosts besides GitHub that links in our texts may lead to, such as `*.example.com`. */
  readonly linkHosts?: readonly string[] | undefined;
  /** What processes share of GitHub's limits; without it, each heeds GitHub's pauses alone. */
  readonly limits?: SharedLimits | undefined;
  readonly log: Logger;
  /** Gets every token that is created, to redact it. */
  readonly redactor: Redactor;
  /** Milliseconds that one request may take, and those before a read is repeated first. */
  readonly deadlineMs?: number | undefined;
  readonly backoffMs?: number | undefined;
}

export interface GitHub extends Omit<GitHubApp, 'octokit' | 'credentials'> {
  /** GitHub's address for people, such as `https://github.com`. */
  readonly url: string;
  /**
   * Access to a repository through the App's installation, which may change meanwhile. Makes no request. `writer`: who
   * takes room for its writes.
   */
  readonly repository: (
    installation: number | InstallationOf,
    repository: RepositoryRef,
    writer?: Writer,
  ) => GitHubRepository;
  /** Call when an installation changed: its cached tokens are dropped. */
  forget(installation: number): void;
  /**
   * A token for requests that a proof makes itself, as the service would mint it for that purpose.
   * @throws {GitHubDenied}
   */
  readonly tokenFor: (
    installation: number,
    repository: RepositoryRef,
    purpose: Purpose,
  ) => Promise<string>;
  readonly deliveries: SentDeliveries;
  readonly installations: Installations;
  readonly recentActivity: ReadActivity;
  readonly setUp: AppSetUp;
  readonly repositorySetUp: (installation: number, repository: RepositoryRef) => RepositorySetUp;
  /** For the sign-in of people, with what the App is as an OAuth client. Makes no request. */
  readonly userAuthorization: (client: OAuthClient) => UserAuthorization;
  readonly identity: () => Promise<AppIdentity>;
  /** The App's identity, if GitHub has already been asked; makes no request. */
  knownIdentity(): AppIdentity | undefined;
}

/** Makes no request. Call `start` before webhooks are received. */
export function createGitHub(options: GitHubOptions): GitHub {
  const { log, redactor, deadlineMs, backoffMs, limits = pausesInMemory() } = options;
  const { url, baseUrl } = addressesOf(options.enterprise);
  const anyone: RequestPolicy = { redactor, deadlineMs, backoffMs };
  const { octokit: appOctokit, ...app } = createGitHubApp({ ...options, baseUrl, policy: anyone });
  const { credentials, ...webhooks } = app;
  const policy: RequestPolicy = { ...anyone, credentials };
  const tokens = createTokens({ appOctokit, redactor });
  const anonymous = createClient({ baseUrl, log, policy: anyone });
  const { hostname, host } = new URL(url);
  const { ask: identity, known } = createIdentity({ appOctokit, anonymous, hostname });
  const links = hostPolicy([host, ...(options.linkHosts ?? [])]);
  const verdicts: Verdicts = new Map();
  const tokenFor = tokensOfInstallation(tokens);
  const clientOf = clientsWith({ baseUrl, log, policy }, tokenFor, limits);
  const ownersFile = createOwnersFiles((...of) => clientOf(ownersFileRequest(...of)));

  return {
    url,
    ...webhooks,
    forget: (installation) => tokens.forget(installation),
    ...asApp(tokens, appOctokit),
    installations: createInstallations({ appOctokit, baseUrl, log, policy }),
    recentActivity: activityReader(clientOf),
    setUp: appSetUp(url, appOctokit),
    repositorySetUp: setUpOf(clientOf, options.appId),
    userAuthorization: authorizationWith({ enterprise: options.enterprise, log, policy: anyone }),
    identity,
    knownIdentity: known,
    repository: (given, repository, writer = SERVICE) => {
      const installation = typeof given === 'number' ? always(given) : given;
      const at = { installation, repository, writer };
      const clients = clientsFor(clientOf, at);
      const check = createRenderingCheck({ ...clients, repository, links, redactor, verdicts });
      return {
        ...createGitHubRepository({
          gate: { ...clients, repository, redactor, links, check, identity },
          gitUrl: `${url}/${repository.owner}/${repository.name}.git`,
          gitToken: (access, invalidToken) =>
            tokenFor({ ...at, purpose: `git-${access}` }, invalidToken),
          ownersFile: (path) => ownersFile(installation.known(), repository.owner, path),
          isAttachment: attachmentsOf(url),
          lacking: (wanted) => tokens.lacking(installation.known(), wanted),
        }),
        verifiedCommits: (access) =>
          verifiedCommits(clientOf({ ...at, purpose: `git-${access}` }), { repository, redactor }),
      };
    },
  };
}

const asApp = (
  tokens: Tokens,
  appOctokit: GitHubApp['octokit'],
): Pick<GitHub, 'tokenFor' | 'deliveries'> => ({
  tokenFor: (installation, repository, purpose) =>
    tokens.get({ installation, repository, purpose }),
  deliveries: sentDeliveries(appOctokit),
});

/** The octokit for a purpose, which waits for GitHub's limits as `writer` does. */
const clientsWith =
  (
    client: Omit<ClientOptions, 'token'>,
    tokenFor: ReturnType<typeof tokensOfInstallation>,
    shared: SharedLimits,
  ) =>
  ({ writer = SERVICE, ...at }: ClientRequest & { readonly writer?: Writer }) => {
    const limits = { ...writer, shared, installation: () => at.installation.known() };
    const policy = { ...client.policy, limits, repositoryId: at.repository.id };
    return createClient({ ...client, policy, token: (invalid) => tokenFor(at, invalid) });
  };

const clientsFor = (
  clientOf: ReturnType<typeof clientsWith>,
  at: Omit<Parameters<typeof clientOf>[0], 'purpose'>,
) => ({
  octokit: clientOf({ ...at, purpose: 'api' }),
  checks: clientOf({ ...at, purpose: 'checks' }),
  threads: clientOf({ ...at, purpose: 'threads' }),
  ready: clientOf({ ...at, purpose: 'ready' }),
});

const setUpOf =
  (clientOf: ReturnType<typeof clientsWith>, appId: number): GitHub['repositorySetUp'] =>
  (installation, repository) => {
    const at = { installation: always(installation), repository };
    const octokit = clientOf({ ...at, purpose: 'api' });
    const hooks = clientOf({ ...at, purpose: 'hooks-read' });
    return repositorySetUp({ octokit, hooks, repository, appId });
  };

const ownersFileRequest = (installation: number, owner: string): ClientRequest => ({
  installation: always(installation),
  repository: { owner, name: OWNERS_REPOSITORY },
  purpose: 'file-read',
});

/** Neither a run nor a publisher. */
const SERVICE: Writer = { rank: 'later', patienceMs: () => 500 };

// What GitHub delivered to this App, or tried to. It keeps that for about three days, and repeats nothing by itself.

const PAGE = 100;
const SIGNATURE = /^x-hub-signature-256$/i;

const sentDeliveries = (appOctokit: () => Promise<ProbotOctokit>): SentDeliveries => ({
  pages: async function* () {
    const { rest } = await appOctokit();
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const at = cursor === '' ? {} : { cursor };
      const { data, headers } = await rest.apps.listWebhookDeliveries({ ...at, per_page: PAGE });
      yield data.map(attemptOf);
      cursor = linkedParameter(headers.link, 'next', 'cursor');
    }
  },

  payload: async (attempt) => {
    const { rest } = await appOctokit();
    const { data } = await rest.apps.getWebhookDelivery(at(attempt));
    return data.request.payload ?? undefined;
  },

  // The body is made again from what GitHub shows of it. *Unproven*: that it is the same to the byte.
  secretOf: async (attempt, secrets) => {
    const { rest } = await appOctokit();
    const { request } = (await rest.apps.getWebhookDelivery(at(attempt))).data;
    const sent = Object.entries(request.headers ?? {});
    const [, signature] = sent.find(([name]) => SIGNATURE.test(name)) ?? [];
    if (typeof signature !== 'string') return -1;
    const body = Buffer.from(JSON.stringify(request.payload));
    return secrets.findIndex((secret) => {
      const check = checkSignature([secret], signature);
      check.update(body);
      return check.isValid();
    });
  },

  deliverAgain: async (attempt) => {
    const { rest } = await appOctokit();
    await rest.apps.redeliverWebhookDelivery(at(attempt));
  },
});

/** GitHub's ids may be larger than the largest exact number: those come as `bigint`, and go into an address only. */
const at = (attempt: number | bigint) => ({ delivery_id: attempt as number });

type ListedDelivery = Awaited<
  ReturnType<ProbotOctokit['rest']['apps']['listWebhookDeliveries']>
>['data'][number];

const attemptOf = (item: ListedDelivery): DeliveryAttempt => ({
  attempt: item.id,
  id: item.guid,
  event: item.event,
  name: item.action === null ? item.event : `${item.event}.${item.action}`,
  at: item.delivered_at,
  status: item.status_code,
  isReceived: item.status_code >= 200 && item.status_code < 300,
});
