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
  // GitHub asks for both, as `needed-permissions.ts` says.
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
