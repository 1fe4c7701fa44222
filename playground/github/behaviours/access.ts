// Who may do what: tokens, permissions, roles, and what nobody may.
import { documented, reported, unproven } from './behaviour.ts';

const TROUBLESHOOTING =
  'https://docs.github.com/en/rest/using-the-rest-api/troubleshooting-the-rest-api';

export const ACCESS_BEHAVIOURS = {
  'hidden-as-not-found': documented(
    'What does not exist and what the caller may not see answer 404 with the same words.',
    '2026-11-28',
    TROUBLESHOOTING,
  ),
  'permission-denied': documented(
    'A token without a permission gets 403 "Resource not accessible by integration", and the header `X-Accepted-GitHub-Permissions` names what is missing.',
    '2026-11-28',
    TROUBLESHOOTING,
  ),
  'sign-in-required': unproven(
    'A call without a token gets 401 "Requires authentication".',
    '2026-11-28',
  ),
  'unknown-token': unproven(
    'A malformed or unknown token gets 401 "Bad credentials".',
    '2026-11-28',
  ),
  'token-expiry': unproven(
    'An installation token is valid for an hour; later, and once the App is uninstalled, it gets 401 "Bad credentials".',
    '2026-11-28',
  ),
  'token-within-installation': unproven(
    'A token with a permission or a repository that the installation lacks is not issued: 422.',
    '2026-11-28',
  ),
  'token-revocation': unproven(
    'An App ends a token of a person by its client ID and secret; an unknown token answers 404.',
    '2026-11-28',
  ),
  'suspended-installation': unproven(
    'A suspended installation gets no token (403 "This installation has been suspended"), and its tokens stop working.',
    '2026-11-28',
  ),
  'person-only-routes': unproven(
    'Routes about "the authenticated user" are not for installations: 403.',
    '2026-11-28',
  ),
  'jwt-required': unproven(
    'Routes about the App itself take its JSON web token, and answer 401 to anything else.',
    '2026-11-28',
  ),
  'jwt-is-no-token': unproven(
    'A JSON web token works for routes about the App alone.',
    '2026-11-28',
  ),
  'jwt-issuer': unproven(
    'An unknown App in `iss` answers 404 "Integration not found"; anything that is no number and no client ID answers 401.',
    '2026-11-28',
  ),
  'jwt-signature': unproven(
    'A JSON web token that the App\'s key did not sign answers 401 "A JSON web token could not be decoded".',
    '2026-11-28',
  ),
  'jwt-times': unproven(
    "A JSON web token ends at most ten minutes from now, and begins at most a minute ahead of GitHub's clock.",
    '2026-11-28',
  ),
  'role-required': unproven(
    'A person without the role that a route needs gets 403 "Must have admin rights to Repository.", whatever the role.',
    '2026-11-28',
  ),
  'texts-of-others': unproven(
    'People change their own texts, those with write access also those of others; a review is changed by its author alone.',
    '2026-11-28',
  ),
  'permission-of-nobody': unproven(
    'The permission of a login that nobody has answers 404 "LOGIN is not a user".',
    '2026-11-28',
  ),
  'archived-is-read-only': unproven(
    'Writes to an archived repository get 403 "Repository was archived so is read-only."; pushes too.',
    '2026-11-28',
  ),
  'moved-repository': documented(
    'The old name of a repository redirects to its number: 301 for reads, 307 for writes.',
    '2026-11-28',
    'https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api',
  ),
  'sign-in-address': unproven(
    'The page that asks a person to authorize an App answers 404 for an unknown client ID, and leads to no other address than a registered callback URL.',
    '2026-11-28',
  ),
  'sign-in-challenge': unproven('Signing in takes PKCE by `S256` alone.', '2026-11-28'),
  'app-manifest': unproven(
    'A manifest that is no JSON or lacks a field is rejected, and no App is created.',
    '2026-11-28',
  ),
  'manifest-code': unproven(
    'The code of a new App is valid once, for an hour; later it answers 404.',
    '2026-11-28',
  ),
  'events-need-permissions': unproven(
    'A manifest cannot subscribe to events whose permission it does not ask for.',
    '2026-11-28',
  ),
  'collaborators-stay': documented(
    'Collaborators stay when a repository is transferred.',
    '2026-11-28',
    'https://docs.github.com/en/repositories/creating-and-managing-repositories/transferring-a-repository',
  ),
  'sign-in-tokens': documented(
    'A token of a person ends after eight hours, and its refresh token after six months; a code works once, for ten minutes.',
    '2026-11-28',
    'https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app',
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
