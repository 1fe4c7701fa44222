// Installation tokens: minted just before they are needed, for one repository and one purpose.
import type { ProbotOctokit } from 'probot';
import type { Redactor } from '../lib/redact.ts';
import type { RepositoryRef } from '../session/intent.ts';
import { Forbidden, Gone, InstallationGone, Refused } from './errors.ts';
import { PURPOSES, type Purpose } from './permissions.ts';

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
   * A token with at least five minutes to live.
   * @throws {InstallationGone} when the App is suspended or not installed on the repository
   */
  get(request: TokenRequest): Promise<string>;
}

interface Token {
  readonly value: string;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

const SPARE_MS = 5 * 60_000;

export interface TokensOptions {
  readonly appOctokit: () => Promise<ProbotOctokit>;
  /** Learns every token. */
  readonly redactor: Redactor;
  readonly now?: (() => number) | undefined;
}

export function createTokens({ appOctokit, redactor, now = Date.now }: TokensOptions): Tokens {
  const minted = new Map<string, Promise<Token>>();

  const isGood = (token: Token, refused: string | undefined): boolean =>
    token.value !== refused && token.expiresAt - now() > SPARE_MS;

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
  };
}

async function mintToken(
  appOctokit: () => Promise<ProbotOctokit>,
  { installation, repository, purpose }: TokenRequest,
): Promise<Token> {
  const octokit = await appOctokit();
  try {
    const { data } = await octokit.rest.apps.createInstallationAccessToken({
      installation_id: installation,
      ...(repository.id === undefined
        ? { repositories: [repository.name] }
        : { repository_ids: [repository.id] }),
      permissions: PURPOSES[purpose],
      request: { repeatable: true },
    });
    return { value: data.token, expiresAt: Date.parse(data.expires_at) };
  } catch (error) {
    throw inWords(error, repository);
  }
}

function inWords(error: unknown, { owner, name }: TokenRequest['repository']): unknown {
  if (!(error instanceof Refused)) return error;
  const { status, reasons } = error;
  const said = reasons.join('; ');
  if (error instanceof Gone || error instanceof Forbidden)
    return new InstallationGone(
      `The App's installation on ${owner} is ${error instanceof Gone ? 'gone' : 'suspended'} (${said}). Install it again, or lift the suspension.`,
      status,
      reasons,
    );
  if (status === 422 && /permission/i.test(said))
    return new Forbidden(
      `The App's installation on ${owner} lacks permissions (${said}). Accept the new ones in its settings.`,
      status,
      reasons,
    );
  if (status === 422)
    return new InstallationGone(
      `The App is not installed on ${owner}/${name} (${said}). Add the repository in the installation's settings.`,
      status,
      reasons,
    );
  return error;
}
