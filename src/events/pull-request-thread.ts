import { issueOf } from '../session/github-names.ts';
import type { Arrival } from '../session/entries/intent.ts';

interface PullRequest {
  readonly number: number;
  readonly head: { readonly ref: string; readonly repo: { readonly id: number } | null };
  readonly base: { readonly repo: { readonly id: number } };
}

/**
 * A pull request, with the issue that its branch is for. A branch of a fork says nothing: anybody may
 * give it any name.
 */
export function pullRequestThread({ number, head, base }: PullRequest): Arrival['thread'] {
  const issue = head.repo?.id === base.repo.id ? issueOf(head.ref) : undefined;
  return { on: 'pull_request', number, ...(issue === undefined ? {} : { issue }) };
}
