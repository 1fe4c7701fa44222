// Our replies in the threads of a review.
import { setTimeout as wait } from 'node:timers/promises';
import { TryLater } from '../../lib/errors.ts';
import { ifFound } from '../errors.ts';
import type { PublishedPlace } from '../comments.ts';
import {
  createOnce,
  publicBody,
  verifyAfterLostResponse,
  endsWithMarker,
  isByApp,
  markerOf,
  type Gate,
  type PublicText,
  type MarkerKey,
} from '../gate.ts';
import { mutate } from '../requests/graphql.ts';
import { ownerAndRepo } from '../requests/octokit.ts';
import { commentsOf, reviewThreads, type FoundThread } from './review-comments.ts';

export interface ThreadReplyRequest extends PublicText {
  readonly pullRequest: number;
  /** The id of the thread's first comment. */
  readonly root: number;
  /** The comments that it answers. */
  readonly comments: readonly number[];
  /** They were written in a thread that was resolved already. */
  readonly wasResolved: boolean;
  /** The id of this reply, if it is known to exist. */
  readonly known?: number | undefined;
}

interface PublishedReply extends PublishedPlace {
  readonly body: string;
}

/**
 * Makes the thread have the reply of this session and key, once. `undefined`: it needs none any more, because it
 * was resolved since, or what it answers or the reply itself was deleted. Safe to repeat.
 */
export async function publishThreadReply(
  gate: Gate,
  request: ThreadReplyRequest,
): Promise<PublishedPlace | undefined> {
  const body = await publicBody(request, gate);
  if (request.known !== undefined) return edit(gate, request.known, body);
  const before = await findOwn(gate, request);
  const target = before === undefined ? await targetOf(gate, request) : request.root;
  if (target === undefined) return undefined;
  const reply =
    before ??
    (await createOnce({
      lookUp: () => findOwn(gate, request),
      create: () => create(gate, request.pullRequest, target, body),
    }));
  return reply.body === body ? { id: reply.id, url: reply.url } : edit(gate, reply.id, body);
}

/** The comment to reply to: the first one of the thread as it is now. */
async function targetOf(
  gate: Gate,
  { pullRequest, root, comments, wasResolved }: ThreadReplyRequest,
): Promise<number | undefined> {
  const threads = await reviewThreads(gate, pullRequest);
  if (threads === undefined) return root;
  const thread = threads.find((one) => comments.some((id) => one.comments.includes(id)));
  return thread?.isResolved === true && !wasResolved ? undefined : thread?.comments[0];
}

async function create(
  gate: Gate,
  pull: number,
  comment: number,
  body: string,
): Promise<PublishedReply> {
  const at = { ...ownerAndRepo(gate), pull_number: pull, comment_id: comment };
  const { data } = await gate.octokit.rest.pulls.createReplyForReviewComment({ ...at, body });
  return { id: data.id, url: data.html_url, body };
}

/** Returns `undefined` if the reply no longer exists. */
async function edit(gate: Gate, id: number, body: string): Promise<PublishedPlace | undefined> {
  const at = { ...ownerAndRepo(gate), comment_id: id };
  const { pulls } = gate.octokit.rest;
  const edited = await ifFound(
    verifyAfterLostResponse(
      () => pulls.updateReviewComment({ ...at, body }),
      async () => {
        const now = await pulls.getReviewComment(at);
        return now.data.body === body ? now : undefined;
      },
    ),
  );
  return edited && { id: edited.data.id, url: edited.data.html_url };
}

/** The App's own comment with the marker. If there are several, keeps only the oldest. */
async function findOwn(
  gate: Gate,
  request: ThreadReplyRequest,
): Promise<PublishedReply | undefined> {
  const marker = markerOf(request);
  const self = await gate.identity();
  const own = (await commentsOf(gate, request.pullRequest)).filter(
    (comment) => endsWithMarker(comment.body, marker) && isByApp(comment, self),
  );
  const [oldest, ...duplicates] = own.toSorted((one, other) => one.id - other.id);
  for (const { id } of duplicates)
    await ifFound(
      gate.octokit.rest.pulls.deleteReviewComment({ ...ownerAndRepo(gate), comment_id: id }),
    );
  return oldest && { id: oldest.id, url: oldest.html_url, body: oldest.body };
}

export interface ThreadToResolve {
  readonly pullRequest: number;
  /** Our reply in it. */
  readonly reply: MarkerKey;
  /** The comments of people that are answered. */
  readonly answered: readonly number[];
}

const WAITS_MS = [1_000, 3_000];

/** The thread with one of these comments. If GitHub does not say in time where it is now, as it was before. */
async function placedThread(
  gate: Gate,
  pullRequest: number,
  comments: readonly number[],
): Promise<FoundThread | undefined> {
  const look = async () => {
    const threads = await reviewThreads(gate, pullRequest);
    return threads?.find((thread) => comments.some((id) => thread.comments.includes(id)));
  };
  let thread = await look();
  for (const ms of WAITS_MS) {
    if (thread === undefined || thread.isOnFile || thread.isPlaced) break;
    await wait(ms);
    thread = await look();
  }
  return thread;
}

const RESOLVE = `mutation ($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
}`;

/**
 * Resolves a thread in which we replied, if its lines were changed since it began and nobody said something in it that
 * was not answered. Safe to repeat.
 * @throws {TryLater} if our reply is not there yet
 */
export async function resolveThread(
  gate: Gate,
  { pullRequest, reply, answered }: ThreadToResolve,
): Promise<void> {
  const thread = await placedThread(gate, pullRequest, answered);
  if (thread === undefined || thread.isResolved) return;
  if (!thread.isOutdated && !thread.isOnFile) return;
  const all = await commentsOf(gate, pullRequest);
  const inThread = all.filter(({ id }) => thread.comments.includes(id));
  const self = await gate.identity();
  const own = inThread.filter((comment) => isByApp(comment, self));
  const marker = markerOf(reply);
  if (!own.some(({ body }) => endsWithMarker(body, marker)))
    throw new TryLater('the reply in a review thread is not published yet');
  const others = thread.comments.filter((id) => !own.some((one) => one.id === id));
  if (others.some((id) => !answered.includes(id))) return;
  await resolveNow(gate, thread.node);
}

/** Safe to repeat. `node`: its id for GraphQL. */
export async function resolveNow(gate: Gate, node: string): Promise<void> {
  const variables = { id: node, request: { repeatable: true } };
  const denied = 'GitHub did not resolve a review thread';
  await mutate({ ...gate, octokit: gate.threads }, { document: RESOLVE, variables, denied });
}
