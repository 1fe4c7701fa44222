import { ifFound } from './errors.ts';
import {
  createOnce,
  verifyAfterLostResponse,
  publicBody,
  endsWithMarker,
  isByApp,
  markerOf,
  type Gate,
  type PublicText,
} from './gate.ts';
import { newestPages, ownerAndRepo } from './requests/octokit.ts';

export interface CommentRequest extends PublicText {
  /** The number of the issue or pull request. */
  readonly issue: number;
  /** The id of this comment, if it is known to exist. */
  readonly known?: number | undefined;
}

/** Where something of ours is on GitHub. */
export interface PublishedPlace {
  readonly id: number;
  readonly url: string;
}

interface PublishedComment extends PublishedPlace {
  readonly body: string;
}

/** How many pages of 100 comments are searched, newest first. */
const PAGES = 10;

/**
 * Makes the comment of this session and key show the text: edits the comment if it exists, otherwise
 * creates it, and removes any duplicates found. Safe to repeat.
 */
export async function publishComment(gate: Gate, request: CommentRequest): Promise<PublishedPlace> {
  const body = await publicBody(request, gate);
  if (request.known !== undefined) {
    const edited = await edit(gate, request.known, body);
    if (edited !== undefined) return edited;
  }
  const comment = await createOnce({
    lookUp: () => findOwn(gate, request),
    create: () => create(gate, request.issue, body),
  });
  if (comment.body === body) return published(comment);
  return (await edit(gate, comment.id, body)) ?? published(await create(gate, request.issue, body));
}

const published = ({ id, url }: PublishedComment): PublishedPlace => ({ id, url });

async function create(gate: Gate, issue: number, body: string): Promise<PublishedComment> {
  const { data } = await gate.octokit.rest.issues.createComment({
    ...ownerAndRepo(gate),
    issue_number: issue,
    body,
  });
  return { id: data.id, url: data.html_url, body };
}

/** Returns `undefined` if the comment no longer exists. */
async function edit(gate: Gate, id: number, body: string): Promise<PublishedPlace | undefined> {
  const at = { ...ownerAndRepo(gate), comment_id: id };
  const { issues } = gate.octokit.rest;
  const edited = await ifFound(
    verifyAfterLostResponse(
      () => issues.updateComment({ ...at, body }),
      async () => {
        const now = await issues.getComment(at);
        return now.data.body === body ? now : undefined;
      },
    ),
  );
  return edited && { id: edited.data.id, url: edited.data.html_url };
}

/** Finds the App's own comment with the marker. If there are several, keeps only the oldest. */
async function findOwn(gate: Gate, request: CommentRequest): Promise<PublishedComment | undefined> {
  const marker = markerOf(request);
  const self = await gate.identity();
  const pages = newestPages(PAGES, (page) =>
    gate.octokit.rest.issues.listComments({
      ...ownerAndRepo(gate),
      issue_number: request.issue,
      per_page: 100,
      page,
    }),
  );
  const found: PublishedComment[] = [];
  for await (const page of pages)
    for (const { id, html_url: url, body = '', ...written } of page)
      if (endsWithMarker(body, marker) && isByApp(written, self)) found.push({ id, url, body });
  const [oldest, ...duplicates] = found.toSorted((one, other) => one.id - other.id);
  for (const { id } of duplicates)
    await ifFound(
      gate.octokit.rest.issues.deleteComment({ ...ownerAndRepo(gate), comment_id: id }),
    );
  return oldest;
}
