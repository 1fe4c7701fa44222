// Where the App is installed.
import type { ProbotOctokit } from 'probot';
import type { RepositoryRef } from '../../contracts/intent.ts';
import { createClient, type ClientOptions } from '../requests/octokit.ts';

export interface Installation {
  readonly id: number;
  /** The login of the account. */
  readonly owner: string;
  readonly isSuspended: boolean;
  readonly createdAt: Date;
}

const PAGE = 100;

export interface Installations {
  list(): Promise<readonly Installation[]>;
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
    return found.flatMap(({ id, account, suspended_at: suspended, created_at: created }) =>
      account !== null && 'login' in account
        ? [
            {
              id,
              owner: account.login,
              isSuspended: suspended !== null,
              createdAt: new Date(created),
            },
          ]
        : [],
    );
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
