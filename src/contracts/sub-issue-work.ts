/**
 * Where the work on a sub-issue stands, as its parent tells. `changed`: someone who may not request work added it, or changed its words,
 * since work was requested; `asks`: it waits for a person; `closed`: it was closed before our work on it ended well; `done`: it is
 * worked on, or was closed without us.
 */
export interface SubIssueStep {
  readonly number: number;
  readonly title: string;
  readonly stands:
    | 'to_do'
    | 'changed'
    | 'working'
    | 'in_review'
    | 'asks'
    | 'failed'
    | 'closed'
    | 'done';
  /** What its session had cost when this was read; missing if it had none, or it had cost nothing. */
  readonly cost?: { readonly dollars: number; readonly isPartial: boolean };
}

/** A part of an issue, as a model proposes it. `text` is Markdown. */
export interface ProposedSubIssue {
  readonly title: string;
  readonly text: string;
}
