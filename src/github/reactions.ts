import type { Gate } from './gate.ts';

export interface ReactionRequest {
  /** `id` is the issue's or pull request's number, or the id of a comment on one. */
  readonly on: 'issue' | 'comment';
  readonly id: number;
  readonly content: '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';
}

/** Reacts as the App. GitHub keeps one of a kind for each account: safe to repeat. */
export async function react(gate: Gate, { on, id, content }: ReactionRequest): Promise<void> {
  const { reactions } = gate.octokit.rest;
  const { owner, name: repo } = gate.repository;
  const reaction = { owner, repo, content, request: { repeatable: true } };
  if (on === 'issue') await reactions.createForIssue({ ...reaction, issue_number: id });
  else await reactions.createForIssueComment({ ...reaction, comment_id: id });
}
