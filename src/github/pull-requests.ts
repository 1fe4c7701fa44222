import type { RequestedReview } from '../contracts/forge.ts';
import { GitHubDenied } from './errors.ts';
import { presentBranch } from './history.ts';
import {
  createOnce,
  LONGEST_BODY,
  publicBody,
  publicTitle,
  verifyAfterLostResponse,
  markerOf,
  type Cleaner,
  type Gate,
} from './gate.ts';
import { mutate } from './requests/graphql.ts';
import { ownerAndRepo } from './requests/octokit.ts';
import type { Body } from '../session/texts/markdown.ts';

export interface PullRequestRequest extends PullRequestText {
  /** The session's branch, in the same repository. */
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly draft: boolean;
}

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly state: 'open';
}

/**
 * Opens the pull request of a branch, or finds the open one. If the repository does not support drafts,
 * opens it as ready. Safe to repeat.
 * @throws {GitHubDenied} with GitHub's reason, such as no commits between the branches
 */
export function openPullRequest(gate: Gate, request: PullRequestRequest): Promise<PullRequest> {
  const lookUp = () => findOpen(gate, request.branch);
  return createOnce({
    lookUp,
    create: async () => {
      try {
        return await create(gate, request, request.draft);
      } catch (error) {
        if (!(error instanceof GitHubDenied) || error.status !== 422) throw error;
        const existing = await lookUp();
        if (existing !== undefined) return existing;
        if (request.draft && error.reasons.some((reason) => /draft/i.test(reason)))
          return create(gate, request, false);
        // GitHub names no more than the field, which is the base or the head.
        if (!error.reasons.includes('invalid')) throw error;
        const base = await presentBranch(gate, request.base);
        if (base === undefined) throw baseGone(request, error);
        if (base === request.base) throw error;
        return create(gate, { ...request, base }, request.draft);
      }
    },
  });
}

const baseGone = ({ base, branch }: PullRequestRequest, { status, reasons }: GitHubDenied) =>
  new GitHubDenied(
    `The branch \`${base}\`, which the pull request was to go to, does not exist any more, and GitHub knows no new name of it. The work is on the branch \`${branch}\`. Restore \`${base}\`, or choose another branch with the setting \`base\` or as the default branch. Then request the work again.`,
    status,
    reasons,
  );

async function create(
  gate: Gate,
  request: PullRequestRequest,
  draft: boolean,
): Promise<PullRequest> {
  const { data } = await gate.octokit.rest.pulls.create({
    ...ownerAndRepo(gate),
    head: request.branch,
    base: request.base,
    title: publicTitle(request.title, gate),
    body: await bodyWith(request, gate),
    draft,
  });
  return { number: data.number, url: data.html_url, state: 'open' };
}

async function findOpen(gate: Gate, branch: string): Promise<PullRequest | undefined> {
  const pull = (await pullRequestsOf(gate, branch)).find(({ isOpen }) => isOpen);
  return pull && { number: pull.number, url: pull.url, state: 'open' };
}

/** A pull request from a branch of this repository. */
export interface PullRequestOfBranch {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  /** As its author and others wrote it. */
  readonly body: string;
  readonly isOpen: boolean;
}

/** GitHub ignores filters that it does not understand, so the results are compared. */
export async function pullRequestsOf(
  gate: Pick<Gate, 'octokit' | 'repository'>,
  branch: string,
): Promise<readonly PullRequestOfBranch[]> {
  const { data } = await gate.octokit.rest.pulls.list({
    ...ownerAndRepo(gate),
    head: `${gate.repository.owner}:${branch}`,
    state: 'all',
    per_page: 100,
  });
  return data
    .filter(({ head }) => head.ref === branch && head.repo?.id === gate.repository.id)
    .map(({ number, html_url: url, title, body, state }) => ({
      number,
      url,
      title,
      body: body ?? '',
      isOpen: state === 'open',
    }));
}

/** Replaces our part of the body, and writes nothing if it is as it should be. Safe to repeat. */
export async function updatePullRequest(
  gate: Gate,
  request: PullRequestText & { readonly number: number },
): Promise<void> {
  const at = { ...ownerAndRepo(gate), pull_number: request.number };
  const { pulls } = gate.octokit.rest;
  const current = async (): Promise<string> => (await pulls.get(at)).data.body ?? '';
  const before = await current();
  const body = await bodyWith(request, gate, before);
  if (body === before) return;
  await verifyAfterLostResponse<unknown>(
    () => pulls.update({ ...at, body }),
    async () => ((await current()) === body ? true : undefined),
  );
}

export interface BaseChange {
  readonly number: number;
  /** Branches. */
  readonly from: string;
  readonly to: string;
}

/**
 * Gives a pull request another base branch, if it still has the one `from`. Resolves with the one that it has then.
 * Safe to repeat.
 * @throws {GitHubDenied} with GitHub's reason, such as no commits between the branches
 */
export async function changeBase(gate: Gate, { number, from, to }: BaseChange): Promise<string> {
  const at = { ...ownerAndRepo(gate), pull_number: number };
  const { pulls } = gate.octokit.rest;
  const current = async (): Promise<string> => (await pulls.get(at)).data.base.ref;
  const before = await current();
  if (before !== from) return before;
  return verifyAfterLostResponse(
    async () => (await pulls.update({ ...at, base: to })).data.base.ref,
    async () => ((await current()) === to ? to : undefined),
  );
}

export interface Mergeability {
  /** `unknown`: GitHub computes it now; it was asked to by this very look. */
  readonly state: 'clean' | 'conflicts' | 'unknown';
  /** The branch that it goes to. */
  readonly branch: string;
  /** The commits of both branches, as far as GitHub has seen them. */
  readonly head: string;
  readonly base: string;
}

/** Also of a draft, and of one that rules or checks hold back: those have a `mergeable_state` that does not tell. */
export async function mergeability(gate: Gate, number: number): Promise<Mergeability> {
  const { data } = await gate.octokit.rest.pulls.get({
    ...ownerAndRepo(gate),
    pull_number: number,
  });
  const { mergeable, base, head } = data;
  let state: Mergeability['state'] = 'unknown';
  if (mergeable !== null) state = mergeable ? 'clean' : 'conflicts';
  return { state, branch: base.ref, head: head.sha, base: base.sha };
}

const READY = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

/** Takes the pull request out of draft; one that is ready or closed is left alone. Safe to repeat. */
export async function markReady(gate: Gate, number: number): Promise<void> {
  const look = () =>
    gate.octokit.rest.pulls
      .get({ ...ownerAndRepo(gate), pull_number: number })
      .then(({ data }) => data);
  const { draft, state, node_id: id } = await look();
  if (draft !== true || state !== 'open') return;
  const denied = 'GitHub did not mark the pull request as ready for review';
  await verifyAfterLostResponse<unknown>(
    () => mutate({ ...gate, octokit: gate.ready }, { document: READY, variables: { id }, denied }),
    async () => ((await look()).draft === true ? undefined : true),
  );
}

/**
 * Requests reviews of a pull request, at once for all. People who cannot review do not prevent requesting the others.
 * Safe to repeat, because GitHub keeps one request for each person.
 * @throws {GitHubDenied} if the App may request none
 */
export async function requestReview(
  gate: Gate,
  number: number,
  logins: readonly string[],
): Promise<RequestedReview> {
  const { owner, name: repo } = gate.repository;
  const at = { owner, repo, pull_number: number };
  if (await tryToRequest(gate, { ...at, reviewers: [...logins] }))
    return { asked: logins, denied: [] };
  const asked: string[] = [];
  const denied: string[] = [];
  for (const login of logins) {
    const isDone = logins.length > 1 && (await tryToRequest(gate, { ...at, reviewers: [login] }));
    (isDone ? asked : denied).push(login);
  }
  return { asked, denied };
}

type Request = Parameters<Gate['octokit']['rest']['pulls']['requestReviewers']>[0];

async function tryToRequest(gate: Gate, request: NonNullable<Request>): Promise<boolean> {
  try {
    await gate.octokit.rest.pulls.requestReviewers({ ...request, request: { repeatable: true } });
    return true;
  } catch (error) {
    if (error instanceof GitHubDenied && error.status === 422) return false;
    throw error;
  }
}

// The part of a pull request's body that is ours, between two markers. What people write outside of it is theirs.

export interface PullRequestText {
  readonly session: string;
  readonly body: Body;
  /** Logins that may be notified. */
  readonly mentions?: readonly string[];
  /** The issue that the merge closes, if the body says so. */
  readonly closes?: number | undefined;
  /** The address of the full body, linked if it is too long for GitHub. */
  readonly whole?: string | undefined;
}

/** Characters. */
const LEAST_ROOM = 2_000;

/** Of the marker at the end; the one at the beginning says so. */
const KEY = 'pull-request';

/**
 * The whole body with our part as it is now. `current`: the body as GitHub has it; what people wrote before and after
 * our part stays as it is. If they removed the part or a marker, it is added below their text; if their text leaves
 * no room for it, the body stays as it is.
 */
export async function bodyWith(
  text: PullRequestText,
  cleaner: Cleaner,
  current = '',
): Promise<string> {
  const begin = markerOf({ session: text.session, key: `${KEY}:begin` });
  const { before, after } = others(current, begin, markerOf({ session: text.session, key: KEY }));
  const around = before.length + after.length + begin.length + 1;
  if (LONGEST_BODY - around < LEAST_ROOM) return current;
  const own = await publicBody({ ...text, key: KEY, taken: around }, cleaner);
  return `${before}${begin}\n${own}${after}`;
}

function others(body: string, begin: string, end: string) {
  const to = body.lastIndexOf(end);
  const from = to === -1 ? -1 : body.lastIndexOf(begin, to);
  if (from !== -1) return { before: body.slice(0, from), after: body.slice(to + end.length) };
  return { before: body.trim() === '' ? '' : `${body.trimEnd()}\n\n`, after: '' };
}
