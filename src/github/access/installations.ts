// Where the App is installed.
import type { ProbotOctokit } from 'probot';
import type { RepositoryRef } from '../../contracts/intent.ts';
import { createClient, type ClientOptions } from '../requests/octokit.ts';
import { NotInstalled } from '../errors.ts';
import { grantedPermissions, type GrantedPermissions } from '../set-up/app-set-up.ts';
import type { TokenRequest, Tokens } from './tokens.ts';

export interface InstallationFacts {
  readonly id: number;
  /** The login of the account; the id of the installation if the account has none. */
  readonly owner: string;
  /** As of an enterprise. The service serves no such account. */
  readonly isWithoutLogin: boolean;
  readonly isSuspended: boolean;
  readonly createdAt: Date;
  readonly permissions: GrantedPermissions;
  readonly events: readonly string[];
  /** The page on which the owner of the account changes it. */
  readonly settings: string;
}

const PAGE = 100;

export interface Installations {
  list(): Promise<readonly InstallationFacts[]>;
  /** The repositories of one that are not archived. */
  repositories(installation: number): Promise<readonly RepositoryRef[]>;
}

interface InstallationsOptions extends Omit<ClientOptions, 'token'> {
  readonly appOctokit: () => Promise<ProbotOctokit>;
}

export const createInstallations = ({
  appOctokit,
  ...client
}: InstallationsOptions): Installations => ({
  list: async () => {
    const octokit = await appOctokit();
    const found = await octokit.paginate(octokit.rest.apps.listInstallations, { per_page: PAGE });
    return found.map(({ id, account, suspended_at: suspended, ...rest }) => ({
      id,
      owner: account !== null && 'login' in account ? account.login : String(id),
      isWithoutLogin: account === null || !('login' in account),
      isSuspended: suspended !== null,
      createdAt: new Date(rest.created_at),
      permissions: grantedPermissions(rest.permissions),
      events: rest.events,
      settings: rest.html_url,
    }));
  },

  repositories: async (installation) => {
    const { rest } = await appOctokit();
    const { data } = await rest.apps.createInstallationAccessToken({
      installation_id: installation,
      permissions: { metadata: 'read' },
      request: { repeatable: true },
    });
    client.policy.redactor.add(data.token);
    const octokit = createClient({ ...client, token: () => Promise.resolve(data.token) });
    const found: RepositoryRef[] = [];
    for (let page = 1; ; page += 1) {
      const at = { per_page: PAGE, page };
      const { repositories } = (await octokit.rest.apps.listReposAccessibleToInstallation(at)).data;
      const active = repositories.filter(({ archived }) => !archived);
      found.push(...active.map(({ id, name, owner }) => ({ id, name, owner: owner.login })));
      if (repositories.length < PAGE) return found;
    }
  },
});

/** The installation of a repository, which changes if the App is installed again. */
export interface InstallationOf {
  known(): number;
  /** Looks whether it has changed. */
  lookUp(): Promise<number>;
}

/** A token for a purpose, whatever the installation is by then. */
export type ClientRequest = Omit<TokenRequest, 'invalidToken' | 'installation'> & {
  readonly installation: InstallationOf;
};

/** A token for the installation that the repository has now. */
export const tokensOfInstallation =
  (tokens: Tokens) =>
  async (
    { installation, ...at }: ClientRequest,
    invalidToken: string | undefined,
  ): Promise<string> => {
    const known = installation.known();
    try {
      return await tokens.get({ ...at, installation: known, invalidToken });
    } catch (error) {
      const now = error instanceof NotInstalled ? await installation.lookUp() : known;
      if (now === known) throw error;
      return tokens.get({ ...at, installation: now, invalidToken });
    }
  };

export const always = (installation: number): InstallationOf => ({
  known: () => installation,
  lookUp: () => Promise.resolve(installation),
});
