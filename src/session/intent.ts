/** A GitHub account, as an event names it. */
export interface Person {
  readonly login: string;
  readonly id: number;
}

export interface RepositoryRef {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
}

export type ReviewVerdict = 'approved' | 'changes_requested' | 'commented';

/** What somebody wants of a session, or what happened to it, in our own words. */
export type Intent =
  | {
      readonly kind: 'start';
      readonly label: string;
      readonly title: string;
      readonly body: string;
    }
  | {
      readonly kind: 'comment';
      readonly on: 'issue' | 'pull_request';
      readonly commentId: number;
      readonly body: string;
    }
  | {
      readonly kind: 'review';
      readonly reviewId: number;
      readonly verdict: ReviewVerdict;
      readonly body: string;
    }
  | {
      readonly kind: 'pull_request_closed';
      readonly pullRequest: number;
      readonly merged: boolean;
    }
  | { readonly kind: 'pull_request_reopened'; readonly pullRequest: number }
  | { readonly kind: 'issue_closed' };

/** An intent with where it came from. `meaning` is equal for two deliveries of the same happening. */
export interface Arrival {
  readonly installation: number;
  readonly repository: RepositoryRef;
  readonly thread: { readonly on: 'issue' | 'pull_request'; readonly number: number };
  readonly sender: Person;
  readonly meaning: string;
  readonly intent: Intent;
}
