import type { Body } from '../session/texts/body.ts';
import { Refused } from './errors.ts';
import { createOnce, landed, publicBody, publicTitle, type Gate } from './gate.ts';

export interface PullRequestText {
  readonly session: string;
  readonly body: Body;
  /** Logins that may be notified. */
  readonly mentions?: readonly string[];
  /** The issue that the merge closes, if the body says so. */
  readonly closes?: number | undefined;
  /** Where all of the body can be read, should it be too long for GitHub. */
  readonly whole?: string | undefined;
}

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

/** The marker's key of a pull request's body. */
const KEY = 'pull-request';

/**
 * Opens the pull request of a branch, or finds the one that is open already. Where the repository
 * has no drafts, it is opened as ready. Safe to repeat.
 * @throws {Refused} with GitHub's reason, such as no commits between the branches
 */
export function openPullRequest(gate: Gate, request: PullRequestRequest): Promise<PullRequest> {
  const lookUp = () => findOpen(gate, request.branch);
  return createOnce({
    lookUp,
    create: async () => {
      try {
        return await create(gate, request, request.draft);
      } catch (error) {
        if (!isInvalid(error)) throw error;
        const existing = await lookUp();
        if (existing !== undefined) return existing;
        if (!request.draft || !error.reasons.some((reason) => /draft/i.test(reason))) throw error;
        return create(gate, request, false);
      }
    },
  });
}

const isInvalid = (error: unknown): error is Refused =>
  error instanceof Refused && error.status === 422;

async function create(
  gate: Gate,
  request: PullRequestRequest,
  draft: boolean,
): Promise<PullRequest> {
  const { data } = await gate.octokit.rest.pulls.create({
    ...where(gate),
    head: request.branch,
    base: request.base,
    title: publicTitle(request.title, gate),
    body: await publicBody({ ...request, key: KEY }, gate),
    draft,
  });
  return { number: data.number, url: data.html_url, state: 'open' };
}

/** GitHub ignores a filter that it does not understand: what it gives back is compared. */
async function findOpen(gate: Gate, branch: string): Promise<PullRequest | undefined> {
  const { data } = await gate.octokit.rest.pulls.list({
    ...where(gate),
    head: `${gate.repository.owner}:${branch}`,
    state: 'all',
    per_page: 100,
  });
  const pull = data.find(
    ({ state, head }) =>
      state === 'open' && head.ref === branch && head.repo?.id === gate.repository.id,
  );
  return pull && { number: pull.number, url: pull.html_url, state: 'open' };
}

/** Replaces the body. Safe to repeat. */
export async function updatePullRequest(
  gate: Gate,
  request: PullRequestText & { readonly number: number },
): Promise<void> {
  const at = { ...where(gate), pull_number: request.number };
  const body = await publicBody({ ...request, key: KEY }, gate);
  const { pulls } = gate.octokit.rest;
  await landed<unknown>(
    () => pulls.update({ ...at, body }),
    async () => ((await pulls.get(at)).data.body === body ? true : undefined),
  );
}

const READY = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;

/** Takes the pull request out of draft; one that is ready or closed is left alone. Safe to repeat. */
export async function markReady(gate: Gate, number: number): Promise<void> {
  const look = () =>
    gate.octokit.rest.pulls.get({ ...where(gate), pull_number: number }).then(({ data }) => data);
  const { draft, state, node_id: id } = await look();
  if (draft !== true || state !== 'open') return;
  try {
    await landed<unknown>(
      () => gate.octokit.graphql(READY, { id }),
      async () => ((await look()).draft === true ? undefined : true),
    );
  } catch (error) {
    throw isGraphqlRefusal(error) ? new Refused(graphqlWords(error, gate), 200) : error;
  }
}

interface GraphqlRefusal {
  readonly errors: readonly { readonly message?: unknown }[];
}

/** GraphQL refuses with status 200 and a list of errors. */
export const isGraphqlRefusal = (error: unknown): error is GraphqlRefusal =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

const graphqlWords = ({ errors }: GraphqlRefusal, { redactor }: Gate): string =>
  redactor.redact(
    `GitHub did not mark the pull request as ready for review: ${errors.map(({ message }) => message).join('; ')}`,
  );

const where = ({ repository }: Gate) => ({ owner: repository.owner, repo: repository.name });
