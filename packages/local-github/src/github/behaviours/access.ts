// Who may do what: tokens, permissions, roles, and addresses that moved.
import { documented, reported, unproven } from './behaviour.ts';

export const ACCESS_BEHAVIOURS = {
  'hidden-as-not-found': documented(
    'What does not exist and what the caller may not see both answer 404.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api',
  ),
  'permission-denied': documented(
    'A token without a permission gets 403 "Resource not accessible by integration", and the header `X-Accepted-GitHub-Permissions` names what is missing.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api',
  ),
  'issue-or-pull-permission': reported(
    'On a pull request, the routes of issues take `pull_requests`, although GitHub lists them below `issues` too.',
    '2026-11-28',
    'gip-inclusion/les-emplois#6059',
    'NVIDIA/Megatron-LM#6641',
    'NOFireAI/ravel#347',
  ),
  'app-permissions': documented(
    'Each write takes the permissions of the table in docs/permissions.md. What it says of GraphQL is in no list of GitHub: that table has the source of each.',
    '2026-11-28',
    'https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps',
  ),
  'public-repositories-are-readable': unproven(
    'A token reads public repositories outside its installation, and writes to none of them.',
    '2026-11-28',
  ),
  'user-agent-required': documented(
    'A request to the API without a `User-Agent` gets 403.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#user-agent',
  ),
  'sign-in-required': unproven(
    'A call without a token gets 401 "Requires authentication"; the local GitHub has no public reads without one, GitHub does.',
    '2026-11-28',
    'https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api',
  ),
  'unknown-token': documented(
    'Invalid credentials get 401 at first; after several of them in a short time, GitHub answers 403 to valid ones too, which the local GitHub does not.',
    '2026-11-28',
    'https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api',
  ),
  'token-expiry': documented(
    'An installation token ends an hour after it was made, and then gets 401.',
    '2026-11-28',
    'https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app',
  ),
  'token-format': documented(
    'New installation tokens have the form `ghs_APPID_JWT` and several hundred characters.',
    '2026-11-28',
    'https://docs.github.com/en/rest/apps/apps#create-an-installation-access-token-for-an-app',
  ),
  'token-within-installation': reported(
    'A token with a permission or a repository that the installation lacks is not issued: 422 "The permissions requested are not granted to this installation."',
    '2026-11-28',
    'peter-murray/workflow-application-token-action#48',
    'chad-loder/pyhaul#20',
  ),
  'token-revocation': documented(
    'An App ends a token of a person with its client ID and secret.',
    '2026-11-28',
    'https://docs.github.com/en/rest/apps/oauth-applications#delete-an-app-token',
  ),
  'suspended-installation': reported(
    'A suspended installation gets no token: 403 "This installation has been suspended".',
    '2026-11-28',
    'octokit/octokit.rb#1307',
    'google-gemini/gemini-cli#12033',
  ),
  'suspended-hears-nothing': documented(
    'A suspended App gets no webhooks of the account, and its access to the API is blocked.',
    '2026-11-28',
    'https://docs.github.com/en/rest/apps/apps#suspend-an-app-installation',
  ),
  'accepted-permissions': documented(
    'An App that asks for more gets it once the owner of an installation has accepted it.',
    '2026-11-28',
    'https://docs.github.com/en/apps/using-github-apps/approving-updated-permissions-for-a-github-app',
  ),
  'person-only-routes': unproven(
    'Routes about "the authenticated user" answer 403 to an installation.',
    '2026-11-28',
    'https://docs.github.com/en/rest/authentication/endpoints-available-for-github-app-installation-access-tokens',
  ),
  'jwt-required': documented(
    'Routes about the App itself take its JSON web token, and answer 401 to anything else.',
    '2026-11-28',
    'https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app',
  ),
  'jwt-is-no-token': unproven(
    'A JSON web token works for routes about the App alone: 401.',
    '2026-11-28',
  ),
  'jwt-issuer': unproven(
    'A number in `iss` that no App has answers 404 "Integration not found"; the client ID counts as the number does.',
    '2026-11-28',
    'github/docs#33989',
  ),
  'jwt-signature': reported(
    'A JSON web token that the key of the App did not sign gets 401 "A JSON web token could not be decoded".',
    '2026-11-28',
    'octokit/auth-app.js#375',
    'actions/create-github-app-token#153',
  ),
  'jwt-times': documented(
    "A JSON web token ends at most ten minutes from now by GitHub's clock.",
    '2026-11-28',
    'https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app',
  ),
  'role-required': unproven(
    'A person without the role that a route needs gets 403 "Must have admin rights to Repository.", whatever the role.',
    '2026-11-28',
    'cyberark/dev-flow#31',
  ),
  'collaborator-permission': documented(
    'The permission of a person is `admin`, `write`, `read` or `none`: `maintain` counts as `write` and `triage` as `read`, and `role_name` has the role.',
    '2026-11-28',
    'https://docs.github.com/en/rest/collaborators/collaborators#get-repository-permissions-for-a-user',
  ),
  'permission-of-nobody': unproven(
    'The permission of a login that nobody has answers 404 "LOGIN is not a user".',
    '2026-11-28',
  ),
  'texts-of-others': documented(
    'People edit their own comments, those with write access also those of others.',
    '2026-11-28',
    'https://docs.github.com/en/communities/moderating-comments-and-conversations/managing-disruptive-comments',
  ),
  'archived-is-read-only': documented(
    'An archived repository is read-only, for comments and reactions too; the API answers 403 "Repository was archived so is read-only."',
    '2026-11-28',
    'https://docs.github.com/en/repositories/archiving-a-github-repository/archiving-repositories',
    'https://github.com/hub4j/github-api/blob/main/src/main/java/org/kohsuke/github/GHRepository.java',
  ),
  'moved-repository': documented(
    'The old name of a repository redirects: 301 for good, 307 for now with the same method; git follows too.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects',
    'https://docs.github.com/en/repositories/creating-and-managing-repositories/renaming-a-repository',
  ),
  'reused-name': documented(
    'A new repository with the old name of another one ends the redirects to that.',
    '2026-11-28',
    'https://docs.github.com/en/repositories/creating-and-managing-repositories/renaming-a-repository',
  ),
  'collaborators-stay': documented(
    'Collaborators stay when a repository is transferred.',
    '2026-11-28',
    'https://docs.github.com/en/repositories/creating-and-managing-repositories/transferring-a-repository',
  ),
  'enterprise-addresses': documented(
    'An Enterprise Server has REST below `/api/v3`, and GraphQL at `/api/graphql`.',
    '2026-11-28',
    'https://docs.github.com/en/enterprise-server@latest/rest/quickstart',
    'https://docs.github.com/en/enterprise-server@latest/graphql/guides/forming-calls-with-graphql',
  ),
  'sign-in-address': documented(
    'Authorizing an App leads back to one of its callback URLs alone.',
    '2026-11-28',
    'https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app',
  ),
  'sign-in-challenge': unproven(
    'Signing in takes PKCE by `S256` alone.',
    '2026-11-28',
    'https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app',
  ),
  'sign-in-tokens': documented(
    'A token of a person ends after eight hours, and its refresh token after six months; a code works once, for ten minutes.',
    '2026-11-28',
    'https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app',
    'https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens',
  ),
  'app-manifest': documented(
    'A manifest that lacks a required field creates no App.',
    '2026-11-28',
    'https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest',
  ),
  'manifest-code': documented(
    'The code for a new App is valid for an hour.',
    '2026-11-28',
    'https://docs.github.com/en/apps/sharing-github-apps/registering-a-github-app-from-a-manifest',
  ),
  'events-need-permissions': reported(
    'A manifest that subscribes to an event without its permission is rejected, with "Default events are not supported by permissions: …"; so is one that subscribes to `installation`.',
    '2026-11-28',
    'superplanehq/superplane#5235',
    'probot/probot#1317',
    'derive-to/derive#269',
    'tuist/tuist#10709',
  ),
  'deleted-accounts': documented(
    'What a deleted account wrote is attributed to the login `ghost`, which nobody can have.',
    '2026-11-28',
    'https://docs.github.com/en/account-and-profile/how-tos/account-management/deleting-your-personal-account',
  ),
  'workflow-events': documented(
    'The runner keeps the whole payload of the event that started a workflow in the file that `GITHUB_EVENT_PATH` names; a workflow that is run again gets the first payload.',
    '2026-11-28',
    'https://docs.github.com/en/actions/reference/workflows-and-actions/variables',
    'https://github.blog/changelog/2019-09-30-github-actions-deterministic-re-runs-for-workflows',
  ),
  'workflow-tokens': documented(
    'The token of a workflow acts as `github-actions[bot]`, and its events start no other workflows; those of another App do.',
    '2026-11-28',
    'https://docs.github.com/en/actions/how-tos/write-workflows/choose-when-workflows-run/trigger-a-workflow',
  ),
  'etag-of-a-token': reported(
    'An ETag is of the token that got it: another token gets another one for the same answer, and no 304 for the first.',
    '2026-11-28',
    'eclipse-csi/otterdog#201',
    'github/docs#34689',
    'seart-group/ghs#52',
  ),
  'api-version-unknown': reported(
    'A version of the REST API that there is not answers 400 "Bad Request", with a text of those that there are as its `errors`.',
    '2026-11-28',
    'expipiplus1/update-nix-fetchgit#79',
    'https://docs.github.com/en/rest/about-the-rest-api/api-versions',
  ),
  'api-version-of-graphql': reported(
    'GraphQL has no versions and ignores the one that a request asks for.',
    '2026-11-28',
    'octokit/octokit.js#2359',
  ),
  'api-version-before-versions': unproven(
    'An Enterprise Server before 3.9 has no versions of the REST API, and answers 400 to a request for one.',
    '2026-11-28',
    'https://docs.github.com/en/enterprise-server@3.8/rest/git',
  ),
} as const;
