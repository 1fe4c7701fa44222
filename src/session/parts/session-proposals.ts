import type { Person } from '../../contracts/intent.ts';
import type { Moment } from '../moment.ts';

/** What people are asked to approve: a plan, sub-issues, or a change of workflow files. */
export type Proposal = {
  readonly seq: number;
  /** When it was made, with its comment once that is published. */
  readonly when: Moment;
  /** Its comment, once that is published. */
  readonly comment: { readonly id: number; readonly url: string } | undefined;
} & (
  | { readonly of: 'plan' | 'sub_issues' }
  | { readonly of: 'workflows'; readonly digest: string }
);

/** A proposal of sub-issues that someone approved. */
export interface OpeningSubIssues {
  readonly proposal: Proposal;
  /** Their login. */
  readonly by: string;
}

/** A change of workflow files that an administrator approved. */
export interface ApprovedWorkflows {
  readonly digest: string;
  readonly by: Person;
}
