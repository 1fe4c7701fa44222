// The type, the fields and the parent of an issue, its sub-issues, and who changed one.
import { z } from 'zod';
import type { IssueAuthor } from '../contracts/intent.ts';
import type { IssueField, ParentIssue, SubIssue } from '../contracts/shown-text.ts';
import { ifFound } from './errors.ts';
import {
  createOnce,
  endsWithMarker,
  isByApp,
  markerOf,
  publicBody,
  publicTitle,
  type Gate,
  type PublicText,
} from './gate.ts';
import { ACTOR_FIELDS, GraphqlActor, unlessGraphqlError } from './requests/graphql.ts';
import { ownerAndRepo } from './requests/octokit.ts';
import { shownOf, WITH_HTML } from './shown-texts.ts';
import type { VisibleText } from './text/index.ts';
import { EDIT_FIELDS, editorOf, LastEdit, UNKNOWN_LOGIN } from './waiting-issues.ts';

type IssueAnswer = Awaited<ReturnType<Gate['octokit']['rest']['issues']['get']>>['data'];

interface PlannedWork {
  readonly type?: string;
  /** Open or closed, in any repository. */
  readonly subIssues?: number;
  readonly fields: readonly IssueField[];
  readonly parent?: number;
}

/**
 * What an answer of GitHub says of it (rule `parent-of-an-issue`). A parent in another repository is never read: who reads this
 * session's repository may not be allowed to read that one.
 */
export function plannedWorkIn(issue: IssueAnswer): PlannedWork {
  const { type, parent_issue_url: url, repository_url: here } = issue;
  const { total = 0 } = issue.sub_issues_summary ?? {};
  const parent = url?.startsWith(`${here}/issues/`) === true ? Number(url.split('/').at(-1)) : NaN;
  return {
    ...(type ? { type: type.name } : {}),
    ...(total > 0 ? { subIssues: total } : {}),
    fields: (issue.issue_field_values ?? []).flatMap(fieldIn),
    ...(Number.isSafeInteger(parent) && parent > 0 ? { parent } : {}),
  };
}

const Option = z.object({ name: z.string() });
/** Newer than the types of the client (rule `issue-fields`). */
const Field = z.object({
  issue_field_name: z.string().min(1),
  value: z.union([z.string(), z.number()]).nullish(),
  single_select_option: Option.nullish(),
  multi_select_options: z.array(Option).nullish(),
});

function fieldIn(answer: unknown): IssueField[] {
  const field = Field.safeParse(answer).data;
  if (field === undefined) return [];
  const { single_select_option: one, multi_select_options: many } = field;
  const options = [one ?? [], many ?? []].flat().map(({ name }) => name);
  const value = options.length > 0 ? options.join(', ') : String(field.value ?? '');
  return value === '' ? [] : [{ name: field.issue_field_name, value }];
}

interface ParentOnGitHub extends Pick<ParentIssue, 'title' | 'others' | 'leftOut'> {
  readonly author: IssueAuthor | undefined;
  readonly text: VisibleText;
}

/** GitHub's limit, so that one page has all. */
const MOST_SUB_ISSUES = 100;

/** An issue of this repository, with its sub-issues but one; `undefined` if it is gone, or elsewhere by now. */
export async function readParent(
  gate: Gate,
  { parent, child }: { readonly parent: number; readonly child: number },
): Promise<ParentOnGitHub | undefined> {
  const { issues } = gate.octokit.rest;
  const at = { ...ownerAndRepo(gate), issue_number: parent };
  const found = await ifFound(issues.get({ ...at, headers: WITH_HTML }));
  if (found === undefined) return undefined;
  const listed = await ifFound(issues.listSubIssues({ ...at, per_page: MOST_SUB_ISSUES }));
  const all = listed?.data ?? [];
  const here = all.filter((one) => isBeside(found.data, one));
  const { title, user } = found.data;
  return {
    title,
    author: user ? { login: user.login, id: user.id } : undefined,
    text: await shownOf(gate, found.data),
    others: here.filter(({ number }) => number !== child).map(subIssueOf),
    leftOut: all.length - here.length,
  };
}

/** A sub-issue as it reads now. */
export interface SubIssueOnGitHub extends SubIssue {
  readonly body: string;
  readonly author: IssueAuthor | undefined;
}

/** Those in this repository, in their order. @throws {NotFound} if the issue is gone */
export async function listSubIssues(
  gate: Gate,
  issue: number,
): Promise<readonly SubIssueOnGitHub[]> {
  const at = { ...ownerAndRepo(gate), issue_number: issue };
  const { data: parent } = await gate.octokit.rest.issues.get(at);
  const { data } = await gate.octokit.rest.issues.listSubIssues({
    ...at,
    per_page: MOST_SUB_ISSUES,
  });
  return data
    .filter((one) => isBeside(parent, one))
    .map((one) => ({
      ...subIssueOf(one),
      body: one.body ?? '',
      author: one.user ? { login: one.user.login, id: one.user.id } : undefined,
    }));
}

const subIssueOf = ({ number, title, state }: IssueAnswer): SubIssue => ({
  number,
  title,
  isOpen: state === 'open',
});

/**
 * The list names those of other repositories, too (rule `sub-issues-of-other-repositories`). Compared with the parent, and not
 * with the name that we know: the repository may have another one by now.
 */
const isBeside = (parent: IssueAnswer, { repository_url: url }: IssueAnswer): boolean =>
  url === parent.repository_url;

// Who changed a sub-issue since work was requested on its parent.

/** Exported so that a proof asks the same. */
export const SUB_ISSUE_CHANGES = `query ($owner: String!, $name: String!, $issue: Int!) {
  repository(owner: $owner, name: $name) {
    issue(number: $issue) {
      ${EDIT_FIELDS}
      timelineItems(last: 100, itemTypes: [RENAMED_TITLE_EVENT, PARENT_ISSUE_ADDED_EVENT, REOPENED_EVENT]) {
        nodes {
          __typename
          ... on RenamedTitleEvent { createdAt actor { ${ACTOR_FIELDS} } }
          ... on ParentIssueAddedEvent { createdAt actor { ${ACTOR_FIELDS} } }
          ... on ReopenedEvent { createdAt actor { ${ACTOR_FIELDS} } }
        }
      }
    }
  }
}`;
const Change = z.object({
  __typename: z.enum(['RenamedTitleEvent', 'ParentIssueAddedEvent', 'ReopenedEvent']),
  createdAt: z.string(),
  actor: GraphqlActor.nullable(),
});
const Changes = z.object({
  repository: z.object({
    issue: LastEdit.extend({ timelineItems: z.object({ nodes: z.array(Change) }) }),
  }),
});

/**
 * Who, at that time (ISO) or later, gave an issue the parent that it has (rule `parent-in-timeline`), changed its title, reopened it, or
 * edited its text last. If GitHub does not say, someone did whom nobody knows.
 */
export async function changersSince(
  gate: Gate,
  issue: number,
  at: string,
): Promise<ReadonlySet<string>> {
  const { owner, name } = gate.repository;
  const variables = { owner, name, issue, request: { repeatable: true } };
  const data: unknown = await gate.octokit
    .graphql(SUB_ISSUE_CHANGES, variables)
    .catch(unlessGraphqlError);
  const answer = Changes.safeParse(data).data;
  if (answer === undefined) return new Set([UNKNOWN_LOGIN]);
  const { timelineItems, ...edit } = answer.repository.issue;
  const since = timelineItems.nodes.filter(({ createdAt }) => createdAt >= at);
  const added = since.findLast(({ __typename }) => __typename === 'ParentIssueAddedEvent');
  const others = since.filter(({ __typename }) => __typename !== 'ParentIssueAddedEvent');
  const changers = [...others, ...(added === undefined ? [] : [added])].map(
    ({ actor }) => actor ?? UNKNOWN_LOGIN,
  );
  const editor = editorOf(edit, at);
  return new Set(editor === undefined ? changers : [...changers, editor]);
}

interface NewSubIssue extends PublicText {
  /** The number of its parent. */
  readonly parent: number;
  readonly title: string;
  /** It was not made before this time (ISO). */
  readonly since: string;
}

/** How many pages of 100 issues are searched, newest first. */
const PAGES = 10;
/** Our clock and that of GitHub may differ by this. */
const CLOCK_SKEW_MS = 10 * 60_000;

/**
 * Opens an issue and makes it the last sub-issue of its parent; finds the one with the marker if it is there. Answers its number.
 * Safe to repeat.
 * @throws {GitHubDenied} with GitHub's reason, such as too many sub-issues
 */
export async function openSubIssue(gate: Gate, wanted: NewSubIssue): Promise<number> {
  const { issues } = gate.octokit.rest;
  const child = await createOnce({
    lookUp: () => findOwnIssue(gate, wanted),
    create: async () => {
      const title = publicTitle(wanted.title, gate);
      const body = await publicBody(wanted, gate);
      return (await issues.create({ ...ownerAndRepo(gate), title, body })).data;
    },
  });
  const at = { ...ownerAndRepo(gate), issue_number: wanted.parent };
  const lookUp = async (): Promise<true | undefined> => {
    const { data } = await issues.listSubIssues({ ...at, per_page: MOST_SUB_ISSUES });
    return data.some(({ id }) => id === child.id) ? true : undefined;
  };
  const create = async (): Promise<true> => {
    await issues.addSubIssue({ ...at, sub_issue_id: child.id });
    return true;
  };
  await createOnce({ lookUp, create });
  return child.number;
}

/** What was made last is listed first, and at once (rule `issues-listed-at-once`). */
async function findOwnIssue(
  gate: Gate,
  wanted: NewSubIssue,
): Promise<{ readonly id: number; readonly number: number } | undefined> {
  const marker = markerOf(wanted);
  const self = await gate.identity();
  const since = Date.parse(wanted.since) - CLOCK_SKEW_MS;
  for (let page = 1; page <= PAGES; page += 1) {
    const { data } = await gate.octokit.rest.issues.listForRepo({
      ...ownerAndRepo(gate),
      state: 'all',
      sort: 'created',
      direction: 'desc',
      per_page: 100,
      page,
    });
    const found = data.find((one) => isByApp(one, self) && endsWithMarker(one.body, marker));
    if (found !== undefined) return found;
    const last = data.at(-1);
    if (last === undefined || Date.parse(last.created_at) < since) return undefined;
  }
  return undefined;
}
