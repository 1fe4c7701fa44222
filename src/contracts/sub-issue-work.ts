/**
 * Where the work on a sub-issue stands, as its parent tells. `changed`: someone who may not request work added it, or changed its words,
 * since work was requested; `asks`: it waits for a person; `done`: it is closed, or worked on.
 */
export interface SubIssueStep {
  readonly number: number;
  readonly title: string;
  readonly stands: 'to_do' | 'changed' | 'working' | 'in_review' | 'asks' | 'failed' | 'done';
}

/** A part of an issue, as a model proposes it. `text` is Markdown. */
export interface ProposedSubIssue {
  readonly title: string;
  readonly text: string;
}
