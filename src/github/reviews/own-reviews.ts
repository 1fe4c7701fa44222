// Reviews that the App writes on pull requests of others.
import type { ReviewRemark } from '../../contracts/forge.ts';
import { CUT_MARK } from '../../lib/text/text.ts';
import type { Published } from '../comments.ts';
import { createOnce, publicBody, type Gate, type Text } from '../gate.ts';
import { endsWithMarker, isByApp, markerOf } from '../marker.ts';
import { newestPages, ownerAndRepo } from '../requests/octokit.ts';
import { makeSafe } from '../text/safe.ts';

export interface ReviewRequest extends Text {
  readonly number: number;
  /** The commit whose diff it is about. */
  readonly commit: string;
  readonly remarks: readonly ReviewRemark[];
}

const PAGES = 3;
const LONGEST_REMARK = 6_000;
const SIDES = { old: 'LEFT', new: 'RIGHT' } as const;

/** Never approves, and requests no changes: it comments. Safe to repeat. */
export async function postReview(gate: Gate, request: ReviewRequest): Promise<Published> {
  return createOnce({
    lookUp: () => findOwn(gate, request),
    create: async () => {
      const { data } = await gate.octokit.rest.pulls.createReview({
        ...ownerAndRepo(gate),
        pull_number: request.number,
        commit_id: request.commit,
        event: 'COMMENT',
        body: await publicBody(request, gate),
        comments: await remarksOf(gate, request),
      });
      return { id: data.id, url: data.html_url };
    },
  });
}

async function remarksOf(gate: Gate, { remarks, mentions }: ReviewRequest) {
  const pieces = remarks.map(({ body: text }) => ({
    text,
    isQuoted: false,
    limit: LONGEST_REMARK,
    cutMark: CUT_MARK,
  }));
  const bodies = await makeSafe(pieces, { mentions, links: gate.links }, gate);
  return remarks.map(({ path, line, startLine, side }, index) => ({
    path,
    line,
    side: SIDES[side],
    body: bodies[index] ?? '',
    ...(startLine === undefined || startLine === line
      ? {}
      : { start_line: startLine, start_side: SIDES[side] }),
  }));
}

async function findOwn(gate: Gate, request: ReviewRequest): Promise<Published | undefined> {
  const marker = markerOf(request);
  const self = await gate.identity();
  const pages = newestPages(PAGES, (page) =>
    gate.octokit.rest.pulls.listReviews({
      ...ownerAndRepo(gate),
      pull_number: request.number,
      per_page: 100,
      page,
    }),
  );
  for await (const page of pages)
    for (const { id, html_url: url, body, user } of page)
      if (endsWithMarker(body, marker) && isByApp({ user }, self)) return { id, url };
  return undefined;
}
