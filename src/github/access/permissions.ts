// The permissions of the App: those that it asks for, those of each token, and those that each request needs.
import type { ProbotOctokit } from 'probot';

type Apps = ProbotOctokit['rest']['apps'];
type TokenRequest = NonNullable<Parameters<Apps['createInstallationAccessToken']>[0]>;
/** GitHub's own list of permissions and their levels. */
export type Permissions = NonNullable<TokenRequest['permissions']>;

/** The permissions that the App cannot do without. */
export const PERMISSIONS = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  metadata: 'read',
} as const satisfies Permissions;

/** Optional permissions. Without one, its feature says what it lacks, and the rest works. */
export const OPTIONAL_PERMISSIONS = {
  checks: 'write',
  statuses: 'read',
  actions: 'read',
} as const satisfies Permissions;

/** What app.yml does not ask for: whoever wants the feature adds it to the App. */
export const WORKFLOW_PERMISSION = { workflows: 'write' } as const satisfies Permissions;
/** Likewise, for `issuewright doctor` alone. */
export const WEBHOOK_PERMISSION = { repository_hooks: 'read' } as const satisfies Permissions;

/** The purposes of tokens, each with the least permissions it needs. */
export const PURPOSES = {
  'file-read': { contents: 'read', metadata: 'read' },
  'git-read': { contents: 'read', metadata: 'read' },
  'git-write': { contents: 'write', metadata: 'read' },
  'git-workflows': { contents: 'write', ...WORKFLOW_PERMISSION, metadata: 'read' },
  api: { issues: 'write', pull_requests: 'write', contents: 'read', metadata: 'read' },
  // GitHub asks for both, as `GRAPHQL_FIELDS` says.
  threads: { pull_requests: 'write', contents: 'write', metadata: 'read' },
  ready: { pull_requests: 'write', contents: 'write', metadata: 'read' },
  checks: { ...OPTIONAL_PERMISSIONS, metadata: 'read' },
  'hooks-read': { ...WEBHOOK_PERMISSION, metadata: 'read' },
} as const satisfies Record<string, Permissions>;

export type Purpose = keyof typeof PURPOSES;

/** Purposes whose tokens may have fewer permissions: those that are granted. */
const REDUCIBLE: ReadonlySet<Purpose> = new Set(['api', 'checks']);

export const isReducible = (purpose: Purpose): boolean => REDUCIBLE.has(purpose);

/** Splits wanted permissions into those granted, if only to read, and those missing, such as `issues: write`. */
export function compared(
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

// What GitHub asks for each write by REST and each field of GraphQL that we send, and how we know. A test keeps the rows
// equal to what is sent, to the tokens that it is sent with, and to what the local GitHub asks for.

/** `documented`: GitHub says so. `reported by others`: someone saw it on github.com. `unproven`: nothing we found says it. */
type SourceStanding = 'documented' | 'reported by others' | 'unproven';

export interface NeededPermission {
  /** `POST /repos/…`, `mutation …`, or `query Repository.…`. */
  readonly request: string;
  /** Of the token that it is sent with; `app` is the App itself, `person` a token that a person gave to it. */
  readonly by: readonly (Purpose | 'app' | 'person')[];
  readonly needs: Permissions;
  /** One more that is enough, where the thread is a pull request. */
  readonly onPullRequest?: Permissions;
  readonly source: string;
  readonly standing: SourceStanding;
}

/** Read on 2026-11-28, as GitHub's own repository of documents has it. */
const REST_SOURCE =
  'https://docs.github.com/en/rest/authentication/permissions-required-for-github-apps';

const rest = (
  by: NeededPermission['by'],
  needs: Permissions,
  requests: readonly string[],
  more: Partial<NeededPermission> = {},
): readonly NeededPermission[] =>
  requests.map((request) => ({
    request,
    by,
    needs,
    source: REST_SOURCE,
    standing: 'documented',
    ...more,
  }));

const graphql = (
  request: string,
  by: Purpose,
  needs: Permissions,
  source: string = NOT_LISTED,
): NeededPermission => ({
  request,
  by: [by],
  needs,
  source,
  standing: source === NOT_LISTED ? 'unproven' : 'reported by others',
});

/** "You should test your app to ensure that it has the required permissions": no list is given. We take those of REST. */
const NOT_LISTED =
  'https://docs.github.com/en/apps/creating-github-apps/registering-a-github-app/choosing-permissions-for-a-github-app#choosing-permissions-for-graphql-api-access';

const R = '/repos/{owner}/{repo}';
const PULLS = { pull_requests: 'write' } as const;
const ISSUES = { issues: 'write' } as const;
const CONTENTS = { contents: 'write' } as const;
const BOTH = { ...PULLS, ...CONTENTS } as const;

/**
 * GitHub lists these for issues and for pull requests. On a pull request, issues: write was not enough
 * (gip-inclusion/les-emplois#6059, NVIDIA/Megatron-LM#6641, NOFireAI/ravel#347).
 */
const ON_THREADS = rest(
  ['api'],
  ISSUES,
  [
    `POST ${R}/issues/{issue_number}/comments`,
    `PATCH ${R}/issues/comments/{comment_id}`,
    `DELETE ${R}/issues/comments/{comment_id}`,
    `POST ${R}/issues/{issue_number}/labels`,
    `DELETE ${R}/issues/{issue_number}/labels/{name}`,
    `POST ${R}/issues/{issue_number}/reactions`,
    `DELETE ${R}/issues/{issue_number}/reactions/{reaction_id}`,
    `POST ${R}/issues/comments/{comment_id}/reactions`,
    `DELETE ${R}/issues/comments/{comment_id}/reactions/{reaction_id}`,
  ],
  { onPullRequest: PULLS },
);

const SUB_ISSUES = rest(['api'], ISSUES, [
  `POST ${R}/issues`,
  `POST ${R}/issues/{issue_number}/sub_issues`,
]);

const ON_PULL_REQUESTS = rest(['api'], PULLS, [
  `POST ${R}/pulls`,
  `PATCH ${R}/pulls/{pull_number}`,
  `POST ${R}/pulls/{pull_number}/requested_reviewers`,
  `POST ${R}/pulls/{pull_number}/reviews`,
  `PUT ${R}/pulls/{pull_number}/reviews/{review_id}/dismissals`,
  `POST ${R}/pulls/{pull_number}/comments/{comment_id}/replies`,
  `PATCH ${R}/pulls/comments/{comment_id}`,
  `DELETE ${R}/pulls/comments/{comment_id}`,
  `POST ${R}/pulls/comments/{comment_id}/reactions`,
  `DELETE ${R}/pulls/comments/{comment_id}/reactions/{reaction_id}`,
]);

const ON_CONTENTS = rest(['git-write', 'git-workflows'], CONTENTS, [
  `POST ${R}/git/blobs`,
  `POST ${R}/git/trees`,
  `POST ${R}/git/commits`,
  `POST ${R}/git/refs`,
  `PATCH ${R}/git/refs/{ref}`,
]);

const ON_CHECKS = rest(['checks'], { checks: 'write' }, [
  `POST ${R}/check-runs`,
  `PATCH ${R}/check-runs/{check_run_id}`,
]);

const DOCS = 'https://docs.github.com/en';

/** These need no permission: the App speaks for itself, or nothing of a repository is asked. */
const WITHOUT = [
  ...rest(['api'], {}, ['POST /markdown'], { source: `${DOCS}/rest/markdown/markdown` }),
  ...rest(
    ['app'],
    {},
    [
      'POST /app/installations/{installation_id}/access_tokens',
      'POST /app-manifests/{code}/conversions',
    ],
    { source: `${DOCS}/rest/apps/apps` },
  ),
  ...rest(
    ['app'],
    {},
    ['POST /app/hook/deliveries/{delivery_id}/attempts', 'PATCH /app/hook/config'],
    { source: `${DOCS}/rest/apps/webhooks` },
  ),
  ...rest(['app'], {}, ['DELETE /applications/{client_id}/token'], {
    source: `${DOCS}/rest/apps/oauth-applications`,
  }),
  ...rest(['app'], {}, ['POST /login/oauth/access_token'], {
    source: `${DOCS}/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-user-access-token-for-a-github-app`,
  }),
];

/** By the address with the id of the repository, to which GitHub redirects. It is in no list. */
const BY_A_PERSON = rest(
  ['person'],
  ISSUES,
  ['POST /repositories/{id}/issues/{issue_number}/comments'],
  { onPullRequest: PULLS, standing: 'unproven' },
);

export const REST_WRITES: readonly NeededPermission[] = [
  ...ON_THREADS,
  ...SUB_ISSUES,
  ...rest(['api'], ISSUES, [`POST ${R}/labels`]),
  ...ON_PULL_REQUESTS,
  ...ON_CONTENTS,
  ...ON_CHECKS,
  ...WITHOUT,
  ...BY_A_PERSON,
];

export const GRAPHQL_FIELDS: readonly NeededPermission[] = [
  // Also cli/cli#8910, with pull_requests: write alone, and open-telemetry/opentelemetry-collector-contrib#50226.
  graphql(
    'mutation markPullRequestReadyForReview',
    'ready',
    BOTH,
    'https://github.com/cli/cli/discussions/6924',
  ),
  // Sent by `issuewright prove` alone.
  graphql(
    'mutation convertPullRequestToDraft',
    'ready',
    BOTH,
    'https://github.com/cli/cli/discussions/6924',
  ),
  // Also oven-sh/bun#40468, tried with both.
  graphql(
    'mutation resolveReviewThread',
    'threads',
    BOTH,
    'https://github.com/github/gh-aw/issues/35726',
  ),
  // Also Systemorph/MeshWeaver#3134 and kubevirt-ui/kubevirt-plugin#4513, with tokens of Apps.
  ...['enablePullRequestAutoMerge', 'disablePullRequestAutoMerge'].map((name) =>
    graphql(
      `mutation ${name}`,
      'ready',
      BOTH,
      'https://github.com/pylegifrance/pylegifrance/pull/67',
    ),
  ),
  ...['enqueuePullRequest', 'dequeuePullRequest'].map((name) =>
    graphql(
      `mutation ${name}`,
      'ready',
      BOTH,
      'https://github.com/Systemorph/MeshWeaver/pull/3134',
    ),
  ),
  graphql('mutation updateRefs', 'git-write', CONTENTS),
  graphql('mutation addReaction', 'api', PULLS),
  graphql('mutation removeReaction', 'api', PULLS),
  graphql('query Query.node', 'api', { pull_requests: 'read' }),
  graphql('query Query.repository', 'api', { metadata: 'read' }),
  graphql('query Repository.issue', 'api', { issues: 'read' }),
  graphql('query Repository.issues', 'api', { issues: 'read' }),
  graphql('query Repository.pullRequest', 'api', { pull_requests: 'read' }),
  graphql('query Repository.pullRequests', 'api', { pull_requests: 'read' }),
  graphql('query Repository.refs', 'api', { contents: 'read' }),
  graphql('query Repository.defaultBranchRef', 'api', { contents: 'read' }),
  graphql('query Repository.suggestedActors', 'api', { metadata: 'read' }),
];
