// Installation tokens: minted just before they are needed, for one repository and one purpose.
import type { ProbotOctokit } from 'probot';
import type { Redactor } from '../lib/redact.ts';
import type { RepositoryRef } from '../session/entries/intent.ts';
import { Forbidden, NotFound, NotInstalled, GitHubDenied } from './errors.ts';
import { missingPermissionsMessage } from './error-for-failure.ts';
import { PURPOSES, type Permissions, type Purpose } from './permissions.ts';

interface TokenRequest {
  readonly installation: number;
  /** Without an id where only its name is known. */
  readonly repository: Pick<RepositoryRef, 'owner' | 'name'> & { readonly id?: number };
  readonly purpose: Purpose;
  /** A token that GitHub did not accept: it is not given out again. */
  readonly refused?: string | undefined;
}

export interface Tokens {
  /**
   * A token with at least five minutes to live. One for the API may do less than its purpose needs,
   * where the installation's owner has not accepted everything.
   * @throws {NotInstalled} when the App is not installed on the repository
   * @throws {Suspended}
   * @throws {Forbidden} when a permission for git is missing
   */
  get(request: TokenRequest): Promise<string>;
  /** Something changed about the installation: its tokens are not given out again. */
  forget(installation: number): void;
}

interface Token {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** When to ask for more than it may: what was missing may have been accepted. */
  readonly staleAt?: number;
}

const SPARE_MS = 5 * 60_000;
const REDUCED_MS = 30_000;

export interface TokensOptions {
  readonly appOctokit: () => Promise<ProbotOctokit>;
  /** Learns every token. */
  readonly redactor: Redactor;
  readonly now?: (() => number) | undefined;
}

export function createTokens({ appOctokit, redactor, now = Date.now }: TokensOptions): Tokens {
  const minted = new Map<string, Promise<Token>>();

  const isGood = (token: Token, refused: string | undefined): boolean =>
    token.value !== refused &&
    token.expiresAt - now() > SPARE_MS &&
    (token.staleAt ?? Infinity) > now();

  const mint = (key: string, request: TokenRequest): Promise<Token> => {
    const token = mintToken(appOctokit, request);
    minted.set(key, token);
    token.then(
      ({ value }) => redactor.add(value),
      () => minted.get(key) === token && minted.delete(key),
    );
    return token;
  };

  return {
    get: async (request) => {
      const { installation, repository, purpose } = request;
      const key = `${installation} ${repository.id ?? repository.name} ${purpose}`;
      const known = minted.get(key);
      const token = await (known ?? mint(key, request));
      if (isGood(token, request.refused)) return token.value;
      // Of several that find the token stale at once, the first has it minted.
      const next = minted.get(key);
      const fresh = await (next === known || next === undefined ? mint(key, request) : next);
      return fresh.value;
    },
    forget: (installation) => {
      for (const key of minted.keys()) if (key.startsWith(`${installation} `)) minted.delete(key);
    },
  };
}

async function mintToken(
  appOctokit: () => Promise<ProbotOctokit>,
  request: TokenRequest,
): Promise<Token> {
  const octokit = await appOctokit();
  try {
    return await mintWith(octokit, request, PURPOSES[request.purpose]);
  } catch (error) {
    if (isPermissionMissing(error)) return mintWithGranted(octokit, request, error);
    throw explainMintingError(error, request.repository);
  }
}

async function mintWith(
  octokit: ProbotOctokit,
  { installation, repository }: TokenRequest,
  permissions: Permissions,
): Promise<Token> {
  const { data } = await octokit.rest.apps.createInstallationAccessToken({
    installation_id: installation,
    ...(repository.id === undefined
      ? { repositories: [repository.name] }
      : { repository_ids: [repository.id] }),
    permissions,
    request: { repeatable: true },
  });
  return { value: data.token, expiresAt: Date.parse(data.expires_at) };
}

const isPermissionMissing = (error: unknown): error is GitHubDenied =>
  error instanceof GitHubDenied &&
  error.status === 422 &&
  /permission/i.test(error.reasons.join(' '));

/**
 * GitHub mints nothing at all where one permission is missing. With those that there are, the App can
 * still say on the issue what is missing; git is no use with less than it needs.
 */
async function mintWithGranted(
  octokit: ProbotOctokit,
  request: TokenRequest,
  refusal: GitHubDenied,
): Promise<Token> {
  const { installation: installation_id, repository, purpose } = request;
  const { data } = await octokit.rest.apps.getInstallation({ installation_id });
  const { has, missing } = compared(PURPOSES[purpose], data.permissions);
  if (purpose !== 'api' && missing.length > 0)
    throw new Forbidden(
      missingPermissionsMessage(missing, data.html_url),
      refusal.status,
      refusal.reasons,
    );
  try {
    const token = await mintWith(octokit, request, has);
    return missing.length === 0 ? token : { ...token, staleAt: Date.now() + REDUCED_MS };
  } catch (error) {
    throw explainMintingError(error, repository);
  }
}

/** What there is of the permissions that are wanted, if only to read, and what is not. */
function compared(
  wanted: Permissions,
  granted: Permissions,
): { readonly has: Permissions; readonly missing: readonly string[] } {
  const levels = new Map(Object.entries(granted));
  const all = Object.entries(wanted);
  const lacks = ([name, level]: [string, string]): boolean =>
    levels.get(name) !== level && levels.get(name) !== 'write';
  const has = all
    .filter(([name]) => levels.has(name))
    .map((one) => (lacks(one) ? [one[0], 'read'] : one));
  return {
    has: Object.fromEntries(has),
    missing: all.filter(lacks).map(([name, level]) => `${name}: ${level}`),
  };
}

function explainMintingError(error: unknown, { owner, name }: TokenRequest['repository']): unknown {
  if (!(error instanceof GitHubDenied)) return error;
  const { status, reasons } = error;
  const said = reasons.join('; ');
  if (error instanceof NotFound || error instanceof Forbidden)
    return new NotInstalled(
      `The App is no longer installed on ${owner} (${said}). An account owner can install it again. Then request the work again.`,
      status,
      reasons,
    );
  if (status === 422)
    return new NotInstalled(
      `The App is not installed on ${owner}/${name} (${said}). An account owner can add the repository in the settings of the App's installation. Then request the work again.`,
      status,
      reasons,
    );
  return error;
}
