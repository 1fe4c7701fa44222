import { ifFound } from './errors.ts';
import type { Gate } from './gate.ts';
import { ownerAndRepo } from './requests/octokit.ts';

export interface ReactionRequest {
  /** `id` is the issue's or pull request's number, or the id of a comment on one. */
  readonly on: 'issue' | 'comment';
  readonly id: number;
  readonly content: '+1' | '-1' | 'laugh' | 'confused' | 'heart' | 'hooray' | 'rocket' | 'eyes';
}

/**
 * Reacts as the App and returns the reaction's id. Safe to repeat: GitHub keeps one reaction of a kind
 * per account.
 */
export async function react(gate: Gate, { on, id, content }: ReactionRequest): Promise<number> {
  const { reactions } = gate.octokit.rest;
  const reaction = { ...ownerAndRepo(gate), content, request: { repeatable: true } };
  const { data } =
    on === 'issue'
      ? await reactions.createForIssue({ ...reaction, issue_number: id })
      : await reactions.createForIssueComment({ ...reaction, comment_id: id });
  return data.id;
}

/** A 👍 by a person. */
export interface ThumbsUp {
  readonly id: number;
  readonly by: { readonly login: string; readonly id: number };
}

const MOST_THUMBS = 30;

/** The first ones on a comment. @throws {NotFound} */
export async function thumbsUp(gate: Gate, comment: number): Promise<readonly ThumbsUp[]> {
  const { data } = await gate.octokit.rest.reactions.listForIssueComment({
    ...ownerAndRepo(gate),
    comment_id: comment,
    content: '+1',
    per_page: 100,
  });
  return data
    .flatMap(({ id, user, content }) =>
      user?.type === 'User' && content === '+1'
        ? [{ id, by: { login: user.login, id: user.id } }]
        : [],
    )
    .slice(0, MOST_THUMBS);
}

/** Removes a reaction. Does nothing if it no longer exists. */
export async function unreact(
  gate: Gate,
  { on, id, reaction }: Pick<ReactionRequest, 'on' | 'id'> & { readonly reaction: number },
): Promise<void> {
  const { reactions } = gate.octokit.rest;
  const at = { ...ownerAndRepo(gate), reaction_id: reaction };
  await ifFound<unknown>(
    on === 'issue'
      ? reactions.deleteForIssue({ ...at, issue_number: id })
      : reactions.deleteForIssueComment({ ...at, comment_id: id }),
  );
}
