// What people let the App know: who they are, and what they can read (docs.github.com, "Generating a user access
// token for a GitHub App").
import type { Logger } from 'pino';
import { z } from 'zod';
import { sharedNow } from '../../lib/clock.ts';
import type {
  CommentToPost,
  RepositoryAccess,
  UserAccess,
  UserAuthorization,
  UserToken,
} from '../../contracts/sign-in.ts';
import { TellPerson, unless } from '../../lib/errors.ts';
import { addressesOf, type Enterprise } from '../addresses.ts';
import { Forbidden, ifFound, NoAccess, Unauthorized } from '../errors.ts';
import { createClient } from '../requests/octokit.ts';
import type { RequestPolicy } from '../requests/request-policy.ts';

/** What the App is in the web flow. */
export interface OAuthClient {
  readonly clientId: string;
  readonly clientSecret: string;
}

interface Server {
  readonly enterprise?: Enterprise;
  readonly log: Logger;
  readonly policy: RequestPolicy;
}

/** A person waits for the page: shorter than what a run would wait. */
const DEADLINE_MS = 4_000;
/** Of a token whose end GitHub does not say, because the App opted out of that. */
const LIFE_S = 8 * 60 * 60;
const PAGE = 100;

/** Errors have the status 200. */
const TokenAnswer = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive().default(LIFE_S),
});
/** docs.github.com, "Troubleshooting OAuth app access token request errors". */
const WRONG_CODE = 'bad_verification_code';
const ErrorAnswer = z.object({ error: z.string(), error_description: z.string().default('') });

/** Makes no request. */
export const authorizationWith =
  (server: Server) =>
  (client: OAuthClient): UserAuthorization =>
    userAuthorization(server, client);

function userAuthorization(
  { enterprise, log, ...options }: Server,
  { clientId, clientSecret }: OAuthClient,
): UserAuthorization {
  const { url, baseUrl } = addressesOf(enterprise);
  const policy = { ...options.policy, deadlineMs: DEADLINE_MS };
  const client = createClient({ baseUrl, log, policy });
  const exchange = async (fields: Readonly<Record<string, string>>): Promise<unknown> => {
    const { data } = await client.request('POST /login/oauth/access_token', {
      ...fields,
      baseUrl: url,
      headers: { accept: 'application/json' },
      client_id: clientId,
      client_secret: clientSecret,
    });
    return data;
  };
  return {
    address: (query) => `${url}/login/oauth/authorize?${queryOf(clientId, query)}`,
    // No code can be this one: what GitHub says against it tells whether it accepts the rest.
    refusal: async () => {
      const said = ErrorAnswer.safeParse(await exchange({ code: 'none' })).data;
      return said?.error === WRONG_CODE ? undefined : rejectionWords(said);
    },
    redeem: async ({ code, verifier, redirectUrl }) => {
      const fields = { code, code_verifier: verifier, redirect_uri: redirectUrl };
      const given = tokenIn(await exchange(fields));
      policy.redactor.add(given.token);
      return given;
    },
    access: (token) =>
      unless(
        Unauthorized,
        accessOf(createClient({ baseUrl, log, policy, token: async () => token })),
      ),
    comment: (token, words) =>
      comment(createClient({ baseUrl, log, policy, token: async () => token }), words),
    revoke: async (token) => {
      const authorization = `basic ${btoa(`${clientId}:${clientSecret}`)}`;
      const revoked = client.rest.apps.deleteToken({
        client_id: clientId,
        access_token: token,
        headers: { authorization },
      });
      await ifFound(revoked);
    },
  };
}

/** Not by the gate: these are a person's own words, in that person's name. */
async function comment(
  octokit: ReturnType<typeof createClient>,
  { repositoryId, issue, body }: CommentToPost,
): Promise<void> {
  // The address that GitHub redirects to for a repository that was renamed.
  await octokit.request('POST /repositories/{id}/issues/{issue_number}/comments', {
    id: repositoryId,
    issue_number: issue,
    body,
  });
}

const queryOf = (clientId: string, query: Parameters<UserAuthorization['address']>[0]): string =>
  new URLSearchParams({
    client_id: clientId,
    redirect_uri: query.redirectUrl,
    state: query.state,
    code_challenge: query.challenge,
    code_challenge_method: 'S256',
  }).toString();

function tokenIn(data: unknown): UserToken {
  const given = TokenAnswer.safeParse(data);
  if (given.success) {
    const { access_token: token, expires_in: seconds } = given.data;
    const expiresAt = new Date(sharedNow() + Math.min(seconds, LIFE_S) * 1000);
    return { token, expiresAt };
  }
  const why = rejectionWords(ErrorAnswer.safeParse(data).data);
  throw new TellPerson(`GitHub did not accept the sign-in (${why})`);
}

const rejectionWords = (said: z.infer<typeof ErrorAnswer> | undefined): string =>
  said === undefined ? 'no token' : `${said.error}: ${said.error_description}`;

async function accessOf(octokit: ReturnType<typeof createClient>): Promise<UserAccess> {
  const { data: user } = await octokit.rest.users.getAuthenticated();
  const installations = await octokit.paginate(
    octokit.rest.apps.listInstallationsForAuthenticatedUser,
    { per_page: PAGE },
  );
  const repositories = new Map<number, RepositoryAccess>();
  for (const { id } of installations) {
    // Without it, the address of the request would be another one.
    if (!Number.isSafeInteger(id)) continue;
    const listed = octokit.paginate(octokit.rest.apps.listInstallationReposForAuthenticatedUser, {
      installation_id: id,
      per_page: PAGE,
    });
    // An installation may end between two requests, or be suspended.
    const found = await unless(NoAccess, unless(Forbidden, ifFound(listed)));
    for (const { id: repository, permissions } of found ?? [])
      if (permissions?.pull === true)
        repositories.set(repository, permissions.push ? 'write' : 'read');
  }
  return { account: { id: user.id, login: user.login }, repositories };
}
