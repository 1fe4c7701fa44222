// How a repository is set up for the App: what would hold its work back there.
import { STATUS_COMMENT } from '../gate.ts';
import type { ProbotOctokit } from 'probot';
import { z } from 'zod';
import type { RepositoryRef } from '../../contracts/intent.ts';
import { withoutUndefined } from '../../lib/without-undefined.ts';
import { Forbidden, ifFound, NotFound } from '../errors.ts';
import { labelOnGitHub } from '../waiting-issues.ts';
import { unlessGraphqlError } from '../requests/graphql.ts';
import { ownerAndRepo } from '../requests/octokit.ts';

export interface RepositorySetUp {
  hasLabel(name: string): Promise<boolean>;
  /** The label that starts work. */
  createLabel(name: string): Promise<void>;
  /** The types of the rules that hold for a branch, without those that the App may bypass. */
  rulesOf(branch: string): Promise<readonly string[]>;
  /** The newest status comments of this App, among the last hundred comments that changed. */
  ownStatusComments(): Promise<readonly StatusComment[]>;
  /** The logins of other bots that have published a status comment of Issuewright since a time. */
  rivalsSince(time: Date, login: string): Promise<readonly string[]>;
  /** The addresses of its webhooks; `undefined` if the App may not read them, as usual. */
  webhooks(): Promise<readonly string[] | undefined>;
  /** Whether issues can be assigned to a person's account. */
  takesAssignee(login: string): Promise<boolean>;
  /** Whether GitHub offers the App as an assignee; `undefined` if it does not say. */
  canBeAssigned(login: string): Promise<boolean | undefined>;
}

interface StatusComment {
  readonly issue: number;
  /** The id of the session that it is about. */
  readonly session: string;
}

export interface RepositorySetUpOptions {
  readonly octokit: ProbotOctokit;
  /** May read webhooks, if the App may. */
  readonly hooks: ProbotOctokit;
  readonly repository: RepositoryRef;
  readonly appId: number;
}

const MOST_RULES = 100;
const LABEL_COLOR = '5319e7';

export function repositorySetUp(options: RepositorySetUpOptions): RepositorySetUp {
  const { octokit, hooks } = options;
  const at = ownerAndRepo(options);
  return {
    hasLabel: async (wanted) => {
      const name = await labelOnGitHub({ octokit, at }, wanted);
      return (await ifFound(octokit.rest.issues.getLabel({ ...at, name }))) !== undefined;
    },

    createLabel: async (name) => {
      const description = 'Issuewright works on this issue';
      await octokit.rest.issues.createLabel({ ...at, name, color: LABEL_COLOR, description });
    },

    rulesOf: (branch) => rulesOf(octokit, at, branch),

    ownStatusComments: () => ownStatusComments(options),

    rivalsSince: (time, login) => rivalsSince(options, time, login),

    webhooks: async () => {
      try {
        const { data } = await hooks.rest.repos.listWebhooks({ ...at, per_page: 100 });
        return data.filter(({ active }) => active).flatMap(({ config }) => config.url ?? []);
      } catch (error) {
        if (error instanceof Forbidden || error instanceof NotFound) return undefined;
        throw error;
      }
    },

    takesAssignee: async (assignee) =>
      (await ifFound(octokit.rest.issues.checkUserCanBeAssigned({ ...at, assignee }))) !==
      undefined,

    canBeAssigned: async (login) => {
      const slug = login.replace(/\[bot\]$/, '');
      const variables = { ...at, login: slug, request: { repeatable: true } };
      const data: unknown = await octokit.graphql(ASSIGNABLE, variables).catch(unlessGraphqlError);
      const answer = Assignable.safeParse(data).data;
      return answer?.repository.suggestedActors.nodes.some((one) => one.login === slug);
    },
  };
}

async function rulesOf(
  octokit: ProbotOctokit,
  at: { readonly owner: string; readonly repo: string },
  branch: string,
): Promise<readonly string[]> {
  const asked = { ...at, branch, per_page: MOST_RULES };
  const { data } = await octokit.rest.repos.getBranchRules(asked);
  const sets = new Set(data.flatMap(({ ruleset_id: id }) => id ?? []));
  const bypassed = new Set<number>();
  for (const id of sets) if (await mayBypass(octokit, at, id)) bypassed.add(id);
  return data
    .filter(({ ruleset_id: id }) => id === undefined || !bypassed.has(id))
    .map(({ type }) => type);
}

async function ownStatusComments(
  options: RepositorySetUpOptions,
): Promise<readonly StatusComment[]> {
  const own = (await newestComments(options)).filter(
    ({ performed_via_github_app: app }) => app?.id === options.appId,
  );
  return own.flatMap(({ body = '', issue_url: url }) => {
    const [, session] = STATUS_COMMENT.exec(body) ?? [];
    return session === undefined ? [] : [{ issue: Number(url.split('/').at(-1)), session }];
  });
}

async function newestComments({ octokit, repository }: RepositorySetUpOptions, since?: Date) {
  const { data } = await octokit.rest.issues.listCommentsForRepo({
    ...ownerAndRepo({ repository }),
    ...withoutUndefined({ since: since?.toISOString() }),
    sort: 'updated',
    direction: 'desc',
    per_page: 100,
  });
  return data;
}

async function rivalsSince(
  options: RepositorySetUpOptions,
  time: Date,
  login: string,
): Promise<readonly string[]> {
  const others = (await newestComments(options, time))
    .filter(({ body = '', user }) => STATUS_COMMENT.test(body) && user?.type === 'Bot')
    .filter(({ performed_via_github_app: app }) => app?.id !== options.appId)
    .flatMap(({ user }) => user?.login ?? [])
    .filter((other) => other !== login);
  return [...new Set(others)];
}

/** What GitHub calls those who may push in spite of a rule; for others it counts at least when they push. */
const BYPASSES_PUSH_RULES = new Set<string | undefined>(['always', 'exempt']);

/** An old Enterprise Server does not say. */
async function mayBypass(
  { rest }: ProbotOctokit,
  at: { readonly owner: string; readonly repo: string },
  id: number,
): Promise<boolean> {
  const found = await ifFound(rest.repos.getRepoRuleset({ ...at, ruleset_id: id }));
  return BYPASSES_PUSH_RULES.has(found?.data.current_user_can_bypass);
}

const ASSIGNABLE = `query ($owner: String!, $repo: String!, $login: String!) {
  repository(owner: $owner, name: $repo) {
    suggestedActors(capabilities: [CAN_BE_ASSIGNED], query: $login, first: 100) { nodes { login } }
  }
}`;

const Assignable = z.object({
  repository: z.object({
    suggestedActors: z.object({ nodes: z.array(z.object({ login: z.string() })) }),
  }),
});
