import type { ProbotOctokit } from 'probot';
import { GitHubDenied } from './errors.ts';

/** Who the App is on GitHub. */
export interface Identity {
  readonly appId: number;
  /** What people mention it by. */
  readonly slug: string;
  /** `slug[bot]`, the account that its comments stand under. */
  readonly login: string;
  /** The id of that account; the App's own id where GitHub shows no account. */
  readonly id: number;
  readonly name: string;
  /** What a commit needs so that GitHub shows the App as its author. */
  readonly email: string;
}

export interface IdentityOptions {
  readonly appOctokit: () => Promise<ProbotOctokit>;
  /** Makes requests as nobody: an App may not read users with its own credentials. */
  readonly anonymous: ProbotOctokit;
  /** Without a port. */
  readonly hostname: string;
}

export interface IdentitySource {
  /** Asks GitHub once; a failure is asked again the next time. */
  readonly ask: () => Promise<Identity>;
  /** What it has answered; makes no request. */
  readonly known: () => Identity | undefined;
}

export function createIdentity(options: IdentityOptions): IdentitySource {
  let asked: Promise<Identity> | undefined;
  let known: Identity | undefined;
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

async function fetchIdentity(options: IdentityOptions): Promise<Identity> {
  const octokit = await options.appOctokit();
  const { data: app } = await octokit.rest.apps.getAuthenticated();
  if (app === null || app.slug === undefined) throw new Error('GitHub names no App for its key');
  const login = `${app.slug}[bot]`;
  const id = (await userId(options.anonymous, login)) ?? app.id;
  const email = `${id}+${login}@users.noreply.${options.hostname}`;
  return { appId: app.id, slug: app.slug, login, id, name: app.name, email };
}

/** `undefined` where the account is not shown, as on a server in private mode. */
async function userId(octokit: ProbotOctokit, login: string): Promise<number | undefined> {
  try {
    const { data } = await octokit.rest.users.getByUsername({ username: login });
    return data.id;
  } catch (error) {
    if (error instanceof GitHubDenied) return undefined;
    throw error;
  }
}
