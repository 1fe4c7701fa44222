// Installation tokens, created when needed, each for one repository and one purpose.
import type { ProbotOctokit } from 'probot';
import { sharedNow } from '../../lib/clock.ts';
import { TellPerson } from '../../lib/errors.ts';
import type { Redactor } from '../../lib/text/redact.ts';
import type { RepositoryName } from '../../contracts/intent.ts';
import { Forbidden, GitHubDenied, NoAccess, NotFound, NotInstalled } from '../errors.ts';
import { missingPermissionsMessage } from '../requests/error-for-failure.ts';
import { compared, isReducible, PURPOSES, type Permissions, type Purpose } from './permissions.ts';

export interface TokenRequest {
  readonly installation: number;
  /** The id is missing if only the name is known. */
  readonly repository: RepositoryName & { readonly id?: number };
  readonly purpose: Purpose;
  /** A token that GitHub did not accept and that must not be returned again. */
  readonly invalidToken?: string | undefined;
}

export interface Tokens {
  /**
   * Returns a token that is valid for at least five minutes. A token for the API or for checks may have fewer
   * permissions than its purpose needs, if the installation's owner has not approved all of them.
   * @throws {NotInstalled} if the App is not installed on the repository
   * @throws {Suspended}
   * @throws {Forbidden} if a permission for git is missing
   */
  get(request: TokenRequest): Promise<string>;
  /** What of these permissions an installation lacks, for people; `undefined`: nothing. */
  lacking(installation: number, wanted: Permissions): Promise<string | undefined>;
  /** Call when the installation changed: its tokens are not returned again. */
  forget(installation: number): void;
}

interface Token {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
  /** When to replace a token with missing permissions, as they may have been approved meanwhile. */
  readonly staleAt?: number;
}

const SPARE_MS = 5 * 60_000;
const REDUCED_MS = 30_000;

export interface TokensOptions {
  readonly appOctokit: () => Promise<ProbotOctokit>;
  /** Gets every token, to redact it. */
  readonly redactor: Redactor;
  readonly now?: (() => number) | undefined;
}

export function createTokens({ appOctokit, redactor, now = sharedNow }: TokensOptions): Tokens {
  const minted = new Map<string, Promise<Token>>();
  const grants = createGrants(appOctokit, now);

  const isUsable = (token: Token, invalidToken: string | undefined): boolean =>
    token.value !== invalidToken &&
    token.expiresAt - now() > SPARE_MS &&
    (token.staleAt ?? Infinity) > now();

  const mint = (key: string, request: TokenRequest): Promise<Token> => {
    const token = mintToken({ appOctokit, grants, now }, request);
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
      if (isUsable(token, request.invalidToken)) return token.value;
      // If several callers find the token stale at once, only the first creates a new one.
      const next = minted.get(key);
      const fresh = await (next === known || next === undefined ? mint(key, request) : next);
      return fresh.value;
    },
    lacking: async (installation, wanted) => {
      const { permissions, settings } = await grants.of(installation);
      const { missing } = compared(wanted, permissions);
      return missing.length === 0 ? undefined : missingPermissionsMessage(missing, settings);
    },
    forget: (installation) => {
      grants.forget(installation);
      for (const key of minted.keys()) if (key.startsWith(`${installation} `)) minted.delete(key);
    },
  };
}

interface Mint {
  readonly appOctokit: TokensOptions['appOctokit'];
  readonly grants: Grants;
  readonly now: () => number;
}

async function mintToken(mint: Mint, request: TokenRequest): Promise<Token> {
  const { installation, repository, purpose } = request;
  const octokit = await mint.appOctokit();
  // Most installations lack one of these permissions: what is granted is known, or asked for first.
  if (purpose === 'checks') return mintWithGranted(octokit, mint, request);
  try {
    return await mintWith(octokit, request, PURPOSES[purpose]);
  } catch (error) {
    if (!isPermissionMissing(error)) throw explainMintingError(error, repository);
    mint.grants.forget(installation);
    return mintWithGranted(octokit, mint, request, error);
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
 * GitHub creates no token if one of the requested permissions is missing. With the granted ones, the App
 * can still report on the issue what is missing. Git tokens are useless without all of theirs.
 */
async function mintWithGranted(
  octokit: ProbotOctokit,
  { grants, now }: Mint,
  request: TokenRequest,
  denial?: GitHubDenied,
): Promise<Token> {
  const { installation, repository, purpose } = request;
  const { permissions, settings } = await grants.of(installation);
  const { has, missing } = compared(PURPOSES[purpose], permissions);
  if (!isReducible(purpose) && missing.length > 0)
    throw new Forbidden(
      missingPermissionsMessage(missing, settings),
      denial?.status ?? 403,
      denial?.reasons,
    );
  try {
    const token = await mintWith(octokit, request, has);
    return missing.length === 0 ? token : { ...token, staleAt: now() + REDUCED_MS };
  } catch (error) {
    if (isPermissionMissing(error)) grants.forget(installation);
    throw explainMintingError(error, repository);
  }
}

function explainMintingError(error: unknown, { owner, name }: TokenRequest['repository']): unknown {
  if (!(error instanceof GitHubDenied)) return error;
  const said = error.reasons.join('; ');
  if (error instanceof NotFound || error instanceof Forbidden)
    return new NotInstalled(
      `The App is no longer installed on ${owner} (${said}). An account owner can install it again. The work then resumes automatically.`,
    );
  if (error.status === 422)
    return new NotInstalled(
      `The App is not installed on ${owner}/${name} (${said}). An account owner can add the repository in the settings of the App's installation. The work then resumes automatically.`,
    );
  return error;
}

/** What GitHub denies may only show that the App has lost its access meanwhile: a fresh token tells. */
export async function explainDenial(
  error: unknown,
  { gitToken }: { readonly gitToken: (access: 'read', invalidToken?: string) => Promise<string> },
): Promise<unknown> {
  if (!(error instanceof TellPerson)) return error;
  try {
    await gitToken('read', await gitToken('read'));
  } catch (lost) {
    if (lost instanceof NoAccess) return lost;
  }
  return error;
}

// What the owners of installations have granted: not every App asks for all, and not every owner accepts all.

interface Grant {
  readonly permissions: Permissions;
  /** The page on which the owner of the account grants more. */
  readonly settings: string;
}

interface Grants {
  /** What GitHub says, at most a minute ago. */
  of(installation: number): Promise<Grant>;
  forget(installation: number): void;
}

interface PendingGrant {
  readonly grant: Promise<Grant>;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** GitHub tells one process of a change; the others learn of it by this. */
const KEPT_MS = 60_000;

function createGrants(appOctokit: () => Promise<ProbotOctokit>, now: () => number): Grants {
  const asked = new Map<number, PendingGrant>();

  const ask = (installation: number): Promise<Grant> => {
    const grant = fetchGrant(appOctokit, installation);
    const one = { grant, until: now() + KEPT_MS };
    asked.set(installation, one);
    grant.catch(() => asked.get(installation) === one && asked.delete(installation));
    return grant;
  };

  return {
    of: (installation) => {
      const known = asked.get(installation);
      return known !== undefined && known.until > now() ? known.grant : ask(installation);
    },
    forget: (installation) => void asked.delete(installation),
  };
}

async function fetchGrant(
  appOctokit: () => Promise<ProbotOctokit>,
  installation_id: number,
): Promise<Grant> {
  const octokit = await appOctokit();
  const { data } = await octokit.rest.apps.getInstallation({ installation_id });
  return { permissions: data.permissions, settings: data.html_url };
}
