// Open issues with a label, and who made work start on an issue.
import { z } from 'zod';
import { hasEmoji, isSameLabel } from '../session/github-names.ts';
import type { Gate } from './gate.ts';
import { ACTOR_FIELDS, GraphqlActor, unlessGraphqlError } from './requests/graphql.ts';
import { newestPages, ownerAndRepo } from './requests/octokit.ts';
import type { ProbotOctokit } from 'probot';

export interface WaitingIssue {
  readonly number: number;
  readonly title: string;
  readonly body: string;
}

/** Who put a label on an issue, or assigned it. */
export interface LabelTrigger {
  readonly by: { readonly login: string; readonly id: number; readonly isPerson: boolean };
  /** ISO time, whole seconds. */
  readonly at: string;
  /** Who changed the title after that, and who last edited the text after that. */
  readonly editedBy: readonly string[];
}

const PAGE = 100;
const EVENT_PAGES = 3;

/** Oldest first. GitHub's pages of a hundred include pull requests, which are left out. */
export async function waitingIssues(
  gate: Gate,
  label: string,
  page: number,
): Promise<{ readonly issues: readonly WaitingIssue[]; readonly hasMore: boolean }> {
  const at = ownerAndRepo(gate);
  const { data } = await gate.octokit.rest.issues.listForRepo({
    ...at,
    state: 'open',
    labels: await labelOnGitHub({ octokit: gate.octokit, at }, label),
    sort: 'created',
    direction: 'asc',
    per_page: PAGE,
    page,
  });
  const issues = data
    .filter((issue) => issue.pull_request === undefined)
    .map(({ number, title, body }) => ({ number, title, body: body ?? '' }));
  return { issues, hasMore: data.length === PAGE };
}

const Actor = z.object({ login: z.string(), id: z.number(), type: z.string() });
const StartEvent = z
  .object({
    event: z.enum(['labeled', 'assigned']),
    actor: Actor,
    /** Of an assignment, the actor may be the account that was assigned. */
    assigner: Actor.nullish(),
    created_at: z.string(),
    label: z.object({ name: z.string() }).nullish(),
    assignee: z.object({ login: z.string() }).nullish(),
  })
  .transform(({ label, assignee, assigner, actor, created_at: at }) => ({
    by: assigner ?? actor,
    at,
    label: label?.name,
    assignee: assignee?.login,
  }));
const RenameEvent = z.object({
  event: z.literal('renamed'),
  actor: z.object({ login: z.string() }).nullable(),
  created_at: z.string(),
});

/** What starts work: a label, or the account that an issue is assigned to. */
export type StartedBy = { readonly label: string } | { readonly assignee: string };

/** The last time that an issue got it; `undefined` if GitHub does not say who did that. */
export async function triggerOf(
  gate: Gate,
  issue: number,
  wanted: StartedBy,
): Promise<LabelTrigger | undefined> {
  const events: unknown[] = [];
  const pages = newestPages(EVENT_PAGES, (page) =>
    gate.octokit.rest.issues.listEvents({
      ...ownerAndRepo(gate),
      issue_number: issue,
      per_page: PAGE,
      page,
    }),
  );
  for await (const page of pages) events.push(...page);
  const found = events
    .flatMap((event) => StartEvent.safeParse(event).data ?? [])
    .filter(({ label, assignee }) =>
      'label' in wanted
        ? isSameLabel(label, wanted.label)
        : assignee?.toLowerCase() === wanted.assignee.toLowerCase(),
    );
  const last = found.toSorted((one, other) => (one.at < other.at ? 1 : -1))[0];
  if (last === undefined) return undefined;
  const { by, at } = last;
  const renamed = events
    .flatMap((event) => RenameEvent.safeParse(event).data ?? [])
    .filter((event) => event.created_at >= at)
    .map((event) => event.actor?.login ?? UNKNOWN_LOGIN);
  const editor = await editorSince(gate, issue, at);
  return {
    by: { login: by.login, id: by.id, isPerson: by.type === 'User' },
    at,
    editedBy: [...renamed, editor].filter((login) => login !== undefined),
  };
}

/** Stands for a deleted account (rule `deleted-accounts` of docs/github-rules.md). */
export const UNKNOWN_LOGIN = 'ghost';

export const EDIT_FIELDS = `lastEditedAt editor { ${ACTOR_FIELDS} }`;
export const LastEdit = z.object({
  lastEditedAt: z.string().nullable(),
  editor: GraphqlActor.nullable(),
});

/** Who edited a text last, if that was at this time (ISO) or later. */
export const editorOf = (
  { lastEditedAt, editor }: z.output<typeof LastEdit>,
  at: string,
): string | undefined =>
  lastEditedAt === null || lastEditedAt < at ? undefined : (editor ?? UNKNOWN_LOGIN);

const LAST_EDIT = `query ($owner: String!, $name: String!, $issue: Int!) {
  repository(owner: $owner, name: $name) {
    issue(number: $issue) { ${EDIT_FIELDS} }
  }
}`;
const Answer = z.object({ repository: z.object({ issue: LastEdit }) });

/** Only GraphQL says who edited an issue's text and when. If it does not answer, the text counts as edited. */
async function editorSince(gate: Gate, issue: number, at: string): Promise<string | undefined> {
  const { owner, name } = gate.repository;
  const variables = { owner, name, issue, request: { repeatable: true } };
  const data: unknown = await gate.octokit.graphql(LAST_EDIT, variables).catch(unlessGraphqlError);
  const answer = Answer.safeParse(data).data;
  return answer === undefined ? UNKNOWN_LOGIN : editorOf(answer.repository.issue, at);
}

// The labels of a repository.

interface RepositoryClient {
  readonly octokit: ProbotOctokit;
  readonly at: { readonly owner: string; readonly repo: string };
}

/** The name on GitHub of a label that a setting names, which may write its emoji in another way. */
export async function labelOnGitHub(
  { octokit, at }: RepositoryClient,
  wanted: string,
): Promise<string> {
  if (!hasEmoji(wanted)) return wanted;
  const labels = await octokit.paginate(octokit.rest.issues.listLabelsForRepo, {
    ...at,
    per_page: PAGE,
  });
  const names = labels.map(({ name }) => name).filter((name) => isSameLabel(name, wanted));
  return names.find((name) => name === wanted) ?? names[0] ?? wanted;
}
