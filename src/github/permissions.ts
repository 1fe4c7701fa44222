import type { ProbotOctokit } from 'probot';

type Apps = ProbotOctokit['rest']['apps'];
type TokenRequest = NonNullable<Parameters<Apps['createInstallationAccessToken']>[0]>;
/** GitHub's own list of permissions and their levels. */
export type Permissions = NonNullable<TokenRequest['permissions']>;

/** All that the App asks for when it is installed. */
export const PERMISSIONS = {
  contents: 'write',
  issues: 'write',
  pull_requests: 'write',
  metadata: 'read',
} as const satisfies Permissions;

/** What one token is for, and the least that it needs. */
export const PURPOSES = {
  'file-read': { contents: 'read', metadata: 'read' },
  'git-read': { contents: 'read', metadata: 'read' },
  'git-write': { contents: 'write', metadata: 'read' },
  api: { issues: 'write', pull_requests: 'write', contents: 'read', metadata: 'read' },
} as const satisfies Record<string, Permissions>;

export type Purpose = keyof typeof PURPOSES;
