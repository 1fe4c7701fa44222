// What GitHub shows of a text: it renders it, and we read the rendering.
import { z } from 'zod';
import { ifFound } from './errors.ts';
import { ACTOR_FIELDS, GraphqlActor, isGraphqlError } from './requests/graphql.ts';
import type { Gate } from './gate.ts';
import { ownerAndRepo } from './requests/octokit.ts';
import { renderMarkdown } from './text/rendering-check.ts';
import { NOTHING_SHOWN, readHtml, type VisibleText } from './text/index.ts';

/** Asks for `body_html` beside `body`. */
export const WITH_HTML = { accept: 'application/vnd.github.full+json' };

/** A text as GitHub gives it. */
export interface RenderedText {
  readonly node_id?: string;
  readonly body?: string | null | undefined;
  readonly body_html?: string | undefined;
}

/** Where a text is on GitHub. */
export type ShownTextPlace =
  | { readonly on: 'issue'; readonly number: number }
  | { readonly on: 'comment' | 'line_comment'; readonly id: number }
  | { readonly on: 'review'; readonly pullRequest: number; readonly id: number };

/** What people see of a text that was just fetched with its rendering. */
export const shownOf = async (
  gate: Gate,
  { body, body_html: html }: RenderedText,
): Promise<VisibleText> =>
  isEmpty(body)
    ? NOTHING_SHOWN
    : readHtml(html ?? (await renderMarkdown(gate.octokit, gate.repository, body)), body);

/** A text as it was, and as it is if its author changed it since. */
export interface ShownSince extends VisibleText {
  readonly newest?: VisibleText;
}

/**
 * What people saw of a text as it was when `source` was written. If it has been edited or deleted since,
 * GitHub renders the source again.
 */
export async function shownText(
  gate: Gate,
  place: ShownTextPlace,
  source: string,
  fetched?: RenderedText,
): Promise<ShownSince> {
  if (isEmpty(source)) return NOTHING_SHOWN;
  const now = fetched ?? (await ifFound(fetchText(gate, place)));
  const isSame = now !== undefined && unixLines(now.body ?? '') === unixLines(source);
  const shown = await shownOf(gate, isSame ? now : { body: source });
  if (now === undefined) return { ...shown, isGone: true };
  if (isSame || place.on !== 'comment' || !(await isEditedByAuthor(gate, now))) return shown;
  return { ...shown, newest: await shownOf(gate, now) };
}

const EDITOR = `query ($comment: ID!) {
  node(id: $comment) {
    ... on IssueComment { author { ${ACTOR_FIELDS} } editor { ${ACTOR_FIELDS} } }
  }
}`;
const Answer = z.object({
  node: z.object({ author: GraphqlActor.nullable(), editor: GraphqlActor.nullable() }),
});

/** Only GraphQL says who changed a comment last. If it does not answer, someone else did. */
async function isEditedByAuthor(gate: Gate, { node_id: comment }: RenderedText): Promise<boolean> {
  if (comment === undefined) return false;
  const variables = { comment, request: { repeatable: true } };
  const data = await gate.octokit.graphql(EDITOR, variables).catch((error: unknown) => {
    if (!isGraphqlError(error)) throw error;
  });
  const { author, editor } = Answer.safeParse(data).data?.node ?? {};
  return editor !== undefined && editor !== null && editor === author;
}

export const isEmpty = (text: string | null | undefined): text is undefined | null | '' =>
  text === undefined || text === null || text.trim() === '';

const unixLines = (text: string): string => text.replaceAll('\r\n', '\n');

async function fetchText(gate: Gate, place: ShownTextPlace): Promise<RenderedText> {
  const { issues, pulls } = gate.octokit.rest;
  const request = { ...ownerAndRepo(gate), headers: WITH_HTML };
  switch (place.on) {
    case 'issue':
      return (await issues.get({ ...request, issue_number: place.number })).data;
    case 'comment':
      return (await issues.getComment({ ...request, comment_id: place.id })).data;
    case 'line_comment':
      return (await pulls.getReviewComment({ ...request, comment_id: place.id })).data;
    case 'review': {
      const { pullRequest, id } = place;
      return (await pulls.getReview({ ...request, pull_number: pullRequest, review_id: id })).data;
    }
    default:
      return place satisfies never;
  }
}
