// Tokens, and versions of the API.
import { valueIn } from '../ask-github.ts';
import { requireAccepted, requireDenied, requireThat, type Belief } from '../proof.ts';

export const TOKEN_BELIEFS: readonly Belief[] = [
  {
    id: 'token-for-one-repository',
    says: 'A token that was minted for one repository sees no other.',
    source:
      'https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app',
    ask: async ({ app, repository }) => {
      const answer = await app('file-read').rest('GET', '/installation/repositories');
      const { body } = requireAccepted(answer);
      requireThat(valueIn(body, 'total_count') === 1, 'the token sees other repositories');
      const id = valueIn(body, 'repositories', 0, 'id');
      requireThat(id === repository.id, 'the token sees another repository');
    },
  },
  {
    id: 'permission-denied',
    says: 'A token that was minted to read files cannot comment.',
    source: 'https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api',
    ask: async ({ app, issue }) => {
      const options = { body: { body: 'Not allowed.' } };
      const path = `issues/${issue}/comments`;
      requireDenied(await app('file-read').rest('POST', path, options), 403);
    },
  },
  {
    id: 'api-version',
    says: 'GitHub takes X-GitHub-Api-Version 2022-11-28, or ignores the header.',
    source: 'https://docs.github.com/en/rest/about-the-rest-api/api-versions',
    ask: async ({ app }) => void requireAccepted(await app('api').rest('GET', '')),
  },
  {
    id: 'api-version-unknown',
    says: 'A version that there is not is denied with 400.',
    source: 'expipiplus1/update-nix-fetchgit#79',
    ask: async ({ app }) => {
      const headers = { 'x-github-api-version': '1900-01-01' };
      requireDenied(await app('api').rest('GET', '', { headers }), 400);
    },
  },
  {
    id: 'role-of-person',
    says: 'With metadata: read, the App sees what a person may do in the repository.',
    source:
      'https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user',
    ask: async ({ app, personLogin }) => {
      const path = `collaborators/${personLogin}/permission`;
      const { body } = requireAccepted(await app('api').rest('GET', path));
      const [permission, role] = [valueIn(body, 'permission'), valueIn(body, 'role_name')];
      requireThat(
        permission === 'write' || permission === 'admin',
        `the permission is ${String(permission)}, the role ${String(role)}`,
      );
    },
  },
];
