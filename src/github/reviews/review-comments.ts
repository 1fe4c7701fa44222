// What a review says on single lines, and the threads there.
import { z } from 'zod';
import type { CommentThread, LineComment, Suggestion } from '../../contracts/shown-text.ts';
import type { ReviewVerdict } from '../../contracts/intent.ts';
import { ifFound } from '../errors.ts';
import { isByApp, type Gate } from '../gate.ts';
import { ownerAndRepo } from '../requests/octokit.ts';
import { unlessGraphqlError } from '../requests/graphql.ts';
import { shownOf, WITH_HTML } from '../shown-texts.ts';
import type { VisibleText } from '../text/index.ts';
import { hasUnseen } from '../../lib/text/invisible.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { suggestionsIn } from '../text/code-ranges.ts';

/** A comment of a review, with its thread. */
export interface FoundLineComment extends VisibleText, Pick<LineComment, 'path' | 'line'> {
  readonly thread: Omit<CommentThread, 'earlier' | 'leftOut'> & {
    /** Oldest first. */
    readonly earlier: readonly EarlierRemark[];
  };
}

/** A comment that was in the thread before. */
export interface EarlierRemark {
  readonly author: string;
  /** This App wrote it. */
  readonly isOwn: boolean;
  readonly isBot: boolean;
  readonly shown: () => Promise<VisibleText>;
}

/** Comments of the newest pages; the list of one review would leave out the lines. */
const REVIEW_PAGES = 10;

/** The comments on lines of a pull request, oldest first. */
export async function commentsOf(gate: Gate, pullRequest: number) {
  const found = [];
  for (let page = 1; page <= REVIEW_PAGES; page += 1) {
    const { data } = await gate.octokit.rest.pulls.listReviewComments({
      ...ownerAndRepo(gate),
      pull_number: pullRequest,
      sort: 'created',
      direction: 'desc',
      per_page: 100,
      page,
      headers: WITH_HTML,
    });
    found.push(...data);
    if (data.length < 100) break;
  }
  return found.toSorted((one, other) => one.id - other.id);
}

type RemoteComment = Awaited<ReturnType<typeof commentsOf>>[number];

/** What a review says on lines, oldest first. */
export async function lineCommentsOf(
  gate: Gate,
  pullRequest: number,
  reviewId: number,
): Promise<readonly FoundLineComment[]> {
  const all = await commentsOf(gate, pullRequest);
  const ofReview = all.filter((comment) => comment.pull_request_review_id === reviewId);
  if (ofReview.length === 0) return [];
  const threads = (await reviewThreads(gate, pullRequest)) ?? [];
  return Promise.all(
    ofReview.map(async (comment) => {
      const { path, line, original_line: before } = comment;
      const shown = await shownOf(gate, comment);
      const thread = withoutUndefined({
        ...(await threadOf(gate, comment, all, threads)),
        suggestion: suggestionIn(comment.body, shown.body),
      });
      return { path, line: line ?? before ?? null, thread, ...shown };
    }),
  );
}

async function threadOf(
  gate: Gate,
  comment: RemoteComment,
  all: readonly RemoteComment[],
  threads: readonly FoundThread[],
): Promise<FoundLineComment['thread']> {
  const { id, start_line: start, original_start_line: startBefore, line } = comment;
  const root = rootOf(comment);
  const found = threads.find(({ comments }) => comments.includes(id));
  const self = await gate.identity();
  const earlier = all.filter((one) => one.id < id && rootOf(one) === root);
  const firstLine = (line === undefined || line === null ? startBefore : start) ?? undefined;
  return {
    comment: id,
    root,
    ...withoutUndefined({ firstLine }),
    side: comment.side === 'LEFT' ? 'old' : 'new',
    hunk: comment.diff_hunk,
    isResolved: found?.isResolved ?? false,
    isOutdated: found?.isOutdated ?? isOutdated(comment),
    earlier: earlier.map((one) => ({
      author: one.user?.login ?? 'ghost',
      isOwn: isByApp(one, self),
      isBot: one.user?.type === 'Bot',
      shown: () => shownOf(gate, one),
    })),
  };
}

const rootOf = ({ id, in_reply_to_id: first }: RemoteComment): number => first ?? id;

/** Of a comment on lines, those are gone. */
const isOutdated = ({ line, subject_type: on }: RemoteComment): boolean =>
  on !== 'file' && (line === undefined || line === null);

const VERDICTS: ReadonlyMap<string, ReviewVerdict> = new Map([
  ['APPROVED', 'approved'],
  ['CHANGES_REQUESTED', 'changes_requested'],
  ['COMMENTED', 'commented'],
]);

export interface FoundReview {
  readonly verdict: ReviewVerdict;
  readonly body: string;
  /** When it was submitted. */
  readonly at?: string;
}

/** A review as it is now; `undefined` if it is gone, or was dismissed. */
export async function reviewOf(
  gate: Gate,
  pullRequest: number,
  reviewId: number,
): Promise<FoundReview | undefined> {
  const which = { ...ownerAndRepo(gate), pull_number: pullRequest, review_id: reviewId };
  const found = await ifFound(gate.octokit.rest.pulls.getReview(which));
  const verdict = VERDICTS.get(found?.data.state ?? '');
  const at = found?.data.submitted_at;
  return verdict && withoutUndefined({ verdict, body: found?.data.body ?? '', at });
}

// The threads of a pull request. Only GraphQL says which of them are resolved.

/** A thread as GitHub has it now. */
export interface FoundThread {
  /** For GraphQL. */
  readonly node: string;
  readonly isResolved: boolean;
  /** The login of whoever resolved it, of a bot without `[bot]` (rule `resolved-by`); missing if GitHub does not say. */
  readonly resolvedBy?: string;
  /** The lines were changed since. */
  readonly isOutdated: boolean;
  /** It is about a file, not about lines. */
  readonly isOnFile: boolean;
  /** GitHub has looked where its lines are in the head: it does that some time after a push. */
  readonly isPlaced: boolean;
  /** The ids of its comments, oldest first; the first hundred. */
  readonly comments: readonly number[];
}

const THREAD_PAGES = 5;

const THREADS = `query ($owner: String!, $name: String!, $pull: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $pull) {
      headRefOid
      reviewThreads(first: 100, after: $after) {
        pageInfo { hasNextPage endCursor }
        nodes {
          id isResolved isOutdated subjectType
          resolvedBy { login }
          comments(first: 100) { nodes { databaseId } }
          begin: comments(first: 1) { nodes { commit { oid } } }
        }
      }
    }
  }
}`;

const ThreadNode = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  subjectType: z.string(),
  resolvedBy: z.object({ login: z.string() }).nullish(),
  begin: z.object({
    nodes: z.array(z.object({ commit: z.object({ oid: z.string() }).nullable() })),
  }),
  comments: z.object({ nodes: z.array(z.object({ databaseId: z.number().nullable() })) }),
});
const ThreadsAnswer = z.object({
  repository: z.object({
    pullRequest: z.object({
      headRefOid: z.string(),
      reviewThreads: z.object({
        pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
        nodes: z.array(ThreadNode),
      }),
    }),
  }),
});

/** The threads of a pull request, the first five hundred; `undefined` if GitHub does not tell. */
export async function reviewThreads(
  gate: Gate,
  pull: number,
): Promise<readonly FoundThread[] | undefined> {
  const { owner, name } = gate.repository;
  const threads: FoundThread[] = [];
  let after: string | null = null;
  for (let page = 1; page <= THREAD_PAGES; page += 1) {
    const variables = { owner, name, pull, after, request: { repeatable: true } };
    const data: unknown = await gate.octokit.graphql(THREADS, variables).catch(unlessGraphqlError);
    const answer = ThreadsAnswer.safeParse(data).data;
    if (answer === undefined) return undefined;
    const { headRefOid: head, reviewThreads: found } = answer.repository.pullRequest;
    const { nodes, pageInfo } = found;
    threads.push(...nodes.map((node) => foundThread(node, head)));
    if (!pageInfo.hasNextPage) break;
    after = pageInfo.endCursor;
  }
  return threads;
}

const foundThread = (
  {
    id: node,
    isResolved,
    resolvedBy,
    isOutdated,
    subjectType,
    begin,
    comments,
  }: z.output<typeof ThreadNode>,
  head: string,
): FoundThread => ({
  node,
  isResolved,
  ...withoutUndefined({ resolvedBy: resolvedBy?.login }),
  isOutdated,
  isOnFile: subjectType === 'FILE',
  isPlaced: isOutdated || begin.nodes[0]?.commit?.oid === head,
  comments: comments.nodes.flatMap(({ databaseId: id }) => id ?? []),
});

// The suggestion of a review comment: a block of code in the language `suggestion`, as GitHub would commit it.

/** `undefined`: there is none. `shown`: the text as people see it; what they do not see is never applied. */
export function suggestionIn(source: string, shown: string): Suggestion | undefined {
  const [lines, ...others] = suggestions(source);
  if (lines === undefined) return undefined;
  if (others.length > 0) return { unclear: 'several' };
  const seen = suggestions(shown);
  const isSeen = seen.length === 1 && seen[0] === lines && !hasUnseen(lines);
  return isSeen ? { lines } : { unclear: 'hidden' };
}

/** Each line with its line break. */
const suggestions = (text: string): readonly string[] =>
  suggestionsIn(text.replaceAll('\r\n', '\n'))
    .filter(({ language, isWithin }) => language === 'suggestion' && !isWithin)
    .map(({ content }) => content);
