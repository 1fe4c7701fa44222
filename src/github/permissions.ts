import type { ProbotOctokit } from 'probot';

type Apps = ProbotOctokit['rest']['apps'];
type TokenRequest = NonNullable<Parameters<Apps['createInstallationAccessToken']>[0]>;
/** GitHub's own list of permissions and their levels. */
export type Permissions = NonNullable<TokenRequest['permissions']>;

/** The permissions that the App requests on installation. */
export const PERMISSIONS = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  metadata: 'read',
} as const satisfies Permissions;

/** The purposes of tokens, each with the least permissions it needs. */
export const PURPOSES = {
  'file-read': { contents: 'read', metadata: 'read' },
  'git-read': { contents: 'read', metadata: 'read' },
  'git-write': { contents: 'write', metadata: 'read' },
  api: { issues: 'write', pull_requests: 'write', contents: 'read', metadata: 'read' },
} as const satisfies Record<string, Permissions>;

export type Purpose = keyof typeof PURPOSES;
