// What the local GitHub believes about GitHub beyond its schemas: a row for each belief, with its source.
import { ACCESS_BEHAVIOURS } from './access.ts';
import type { Behaviour } from './behaviour.ts';
import { CHECK_BEHAVIOURS } from './checks.ts';
import { CLIENT_BEHAVIOURS } from './clients.ts';
import { CODE_BEHAVIOURS } from './code.ts';
import { ISSUE_BEHAVIOURS } from './issues.ts';
import { PULL_BEHAVIOURS } from './pulls.ts';

export const BEHAVIOURS = {
  ...ACCESS_BEHAVIOURS,
  ...ISSUE_BEHAVIOURS,
  ...PULL_BEHAVIOURS,
  ...CODE_BEHAVIOURS,
  ...CHECK_BEHAVIOURS,
  ...CLIENT_BEHAVIOURS,
} as const satisfies Record<string, Behaviour>;

/** What an error names, so that no error of the local GitHub is without a row. */
export type RuleId = keyof typeof BEHAVIOURS;

interface Area {
  readonly name: string;
  readonly behaviours: Readonly<Record<string, Behaviour>>;
}

export const AREAS: readonly Area[] = [
  { name: 'Access', behaviours: ACCESS_BEHAVIOURS },
  { name: 'Issues', behaviours: ISSUE_BEHAVIOURS },
  { name: 'Pull requests', behaviours: PULL_BEHAVIOURS },
  { name: 'Code', behaviours: CODE_BEHAVIOURS },
  { name: 'Checks', behaviours: CHECK_BEHAVIOURS },
  { name: 'Clients', behaviours: CLIENT_BEHAVIOURS },
];
