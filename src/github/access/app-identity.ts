import type { ProbotOctokit } from 'probot';
import { unless } from '../../lib/errors.ts';
import { GitHubDenied, NotFound, Unauthorized } from '../errors.ts';

/** Who the App is on GitHub; with a person's token, who that person is. */
export interface AppIdentity {
  /** 0 of a person. */
  readonly appId: number;
  /** The name by which people mention it. */
  readonly slug: string;
  /** `slug[bot]`, the account that authors its comments. */
  readonly login: string;
  /** The id of that account, or the App's own id if GitHub does not show the account. */
  readonly id: number;
  readonly name: string;
  /** The address with which GitHub shows the App as the author of a commit. */
  readonly email: string;
}

export interface IdentityOptions {
  readonly appOctokit: () => Promise<ProbotOctokit>;
  /** Makes unauthenticated requests: an App may not read users with its own credentials. */
  readonly anonymous: ProbotOctokit;
  /** GitHub's host, without a port. */
  readonly hostname: string;
}

export interface IdentitySource {
  /** Asks GitHub once and remembers the answer, but not a failure. */
  readonly ask: () => Promise<AppIdentity>;
  /** The remembered answer; makes no request. */
  readonly known: () => AppIdentity | undefined;
}

export function createIdentity(options: IdentityOptions): IdentitySource {
  let asked: Promise<AppIdentity> | undefined;
  let known: AppIdentity | undefined;
  return {
    ask: () => {
      asked ??= fetchIdentity(options).then(
        (identity) => (known = identity),
        (error: unknown) => {
          asked = undefined;
          throw error;
        },
      );
      return asked;
    },
    known: () => known,
  };
}

const NO_APP =
  'GitHub did not return an App for APP_ID and the private key. Check that both belong to the same App.';
const UNKNOWN_APP =
  'GitHub knows no App with the ID in APP_ID: the ID is wrong, the App was deleted, or it is on another server (GHE_HOST). The "App ID" is on the settings page of the App.';

async function fetchIdentity(options: IdentityOptions): Promise<AppIdentity> {
  const octokit = await options.appOctokit();
  const { data: app } = await octokit.rest.apps.getAuthenticated().catch(explainUnknown);
  if (app === null || app.slug === undefined) throw new Error(NO_APP);
  const login = `${app.slug}[bot]`;
  const id = (await userId(options.anonymous, login)) ?? app.id;
  const email = `${id}+${login}@users.noreply.${options.hostname}`;
  return { appId: app.id, slug: app.slug, login, id, name: app.name, email };
}

/** An App that is not found is no issue or comment that is not found. */
function explainUnknown(error: unknown): never {
  if (!(error instanceof NotFound)) throw error;
  throw new Unauthorized(UNKNOWN_APP, error.status, error.reasons);
}

/** Returns `undefined` if the account is not public, as on a server in private mode. */
async function userId(octokit: ProbotOctokit, login: string): Promise<number | undefined> {
  const found = octokit.rest.users.getByUsername({ username: login });
  return (await unless(GitHubDenied, found))?.data.id;
}
