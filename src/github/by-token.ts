// GitHub with the token of a person, or of a workflow, in place of an App's. It is sent to this GitHub and nowhere else.
import type { Logger } from 'pino';
import type { Person, RepositoryRef, RepositoryName } from '../contracts/intent.ts';
import type { Redactor } from '../lib/text/redact.ts';
import { TriedKey } from '../lib/tried-key.ts';
import type { AppIdentity } from './access/app-identity.ts';
import { addressesOf, type Enterprise } from './addresses.ts';
import { closedIssues, mergeBase, type ClosedIssues } from './closed-issues.ts';
import { Archived, Forbidden, Unauthorized } from './errors.ts';
import { attachmentsOf } from './images/fetch-image.ts';
import { pullRequestsOf, type PullRequestOfBranch } from './pull-requests.ts';
import { OWNERS_REPOSITORY, readRepositoryFile } from './repository-files.ts';
import { createGitHubRepository, type UnsignedRepository } from './repository.ts';
import type { Advice } from './requests/error-for-failure.ts';
import { createClient, type ClientOptions } from './requests/octokit.ts';
import { pausesInMemory, unlessDoubted, type GitHubLimits } from './requests/request-policy.ts';
import { hostPolicy } from './text/links.ts';
import { createRenderingCheck } from './text/rendering-check.ts';

export interface TokenOptions {
  readonly token: string;
  /** GitHub Enterprise Server; `undefined` for github.com. */
  readonly enterprise: Enterprise;
  /** Whether it is the one of a workflow, which is no person's (rule `workflow-tokens` of docs/github-rules.md). */
  readonly isOfWorkflow: boolean;
  /** Ends the waits for GitHub's limits and for another attempt. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly redactor: Redactor;
}

/** A repository as a run by hand reads and writes it, in the name of the token's owner. */
export interface RepositoryByToken extends UnsignedRepository {
  readonly ref: RepositoryRef;
  readonly defaultBranch: string;
  readonly pullRequestsOf: (branch: string) => Promise<readonly PullRequestOfBranch[]>;
  /** Those opened last first, a page of them; `after` is the `next` of the page before. */
  readonly closedIssues: (after: string | undefined) => Promise<ClosedIssues>;
  /** The commit at which `head` left `base`. */
  readonly mergeBase: (base: string, head: string) => Promise<string>;
  /** The same, with waits for GitHub that end with another signal. */
  readonly until: (signal: AbortSignal) => UnsignedRepository;
}

export interface GitHubByToken {
  /** Whose token it is. @throws {TellPerson} */
  readonly owner: () => Promise<Person>;
  /** @throws {TellPerson} if there is no such repository, or the token's owner may not write to it and wants to */
  readonly repository: (
    at: RepositoryName,
    owner: Person,
    access: 'read' | 'write',
  ) => Promise<RepositoryByToken>;
}

const OF_PERSON: Advice = {
  unauthorized: 'GITHUB_TOKEN is wrong, was revoked, or has expired. Create another one.',
  notFound:
    'It does not exist, or GITHUB_TOKEN may not see it: a fine-grained token has to list the repository.',
  forbidden: "Check what GITHUB_TOKEN may do, and the repository's rules.",
  lacking: (needs) =>
    `GITHUB_TOKEN lacks ${needs === undefined ? 'a permission' : `the permission \`${needs}\``}. Give it to the token in your settings on GitHub, under Developer settings.`,
};

const OF_WORKFLOW: Advice = {
  unauthorized: 'The token of a workflow is valid while the workflow runs.',
  notFound: 'It does not exist, or it is not in the repository of the workflow.',
  forbidden:
    "Check the repository's rules, and whether its settings (Actions, General) allow GitHub Actions to create pull requests.",
  lacking: (needs) =>
    needs === undefined
      ? 'The workflow lacks a permission. Add it below `permissions:`.'
      : `Add \`${needs.replaceAll('_', '-')}\` below \`permissions:\` of the workflow.`,
};

/** GitHub's account for its workflows, on github.com. */
const WORKFLOWS: Person = { login: 'github-actions[bot]', id: 41_898_282 };

/** Nobody counts what a person writes with a token. */
const limitsOfToken = (signal: AbortSignal): GitHubLimits => ({
  shared: pausesInMemory(),
  installation: () => 0,
  rank: 'awaited',
  patienceMs: () => 0,
  signal,
});

/** Makes no request. */
export function gitHubByToken(options: TokenOptions): GitHubByToken {
  const { token, enterprise, isOfWorkflow, signal, log, redactor } = options;
  const { url, baseUrl } = addressesOf(enterprise);
  const advice = isOfWorkflow ? OF_WORKFLOW : OF_PERSON;
  const credentials = new TriedKey();
  const words = `GitHub did not accept the token. ${advice.unauthorized}`;
  const tokenFor = (invalid: string | undefined): Promise<string> =>
    invalid === undefined
      ? Promise.resolve(token)
      : Promise.reject(unlessDoubted(new Unauthorized(words, 401), credentials));
  const limits = limitsOfToken(signal);
  const policy = { redactor, advice, limits, credentials };
  const client: ClientOptions = { baseUrl, log, policy, token: tokenFor };
  return {
    owner: async () => {
      if (isOfWorkflow) return WORKFLOWS;
      const { data } = await createClient(client).rest.users.getAuthenticated();
      return { login: data.login, id: data.id };
    },
    repository: async ({ owner, name: repo }, person, access) => {
      const { data } = await createClient(client).rest.repos.get({ owner, repo });
      if (access === 'write') requireWritable(data, isOfWorkflow ? undefined : person);
      const ref = { id: data.id, owner: data.owner.login, name: data.name };
      const own = { ...policy, repositoryId: ref.id };
      const octokit = createClient({ ...client, policy: own });
      const until = (ends: AbortSignal): UnsignedRepository =>
        readAndWritten({
          octokit: createClient({
            ...client,
            policy: { ...own, limits: { ...limits, signal: ends } },
          }),
          ref,
          person,
          url,
          redactor,
          tokenFor,
        });
      return {
        ...until(signal),
        until,
        ref,
        defaultBranch: data.default_branch,
        pullRequestsOf: (branch) => pullRequestsOf({ octokit, repository: ref }, branch),
        closedIssues: (after) => closedIssues({ octokit, repository: ref }, after),
        mergeBase: (base, head) => mergeBase({ octokit, repository: ref }, base, head),
      };
    },
  };
}

/** `person`: whose role GitHub names; `undefined`: nobody's. */
function requireWritable(
  found: {
    readonly full_name: string;
    readonly archived: boolean;
    readonly permissions?: { readonly push: boolean };
  },
  person: Person | undefined,
): void {
  if (found.archived)
    throw new Archived(`${found.full_name} is archived, so it is read-only.`, 403);
  if (person !== undefined && found.permissions?.push === false)
    throw new Forbidden(
      `@${person.login} may not write to ${found.full_name}. Ask one of its administrators for the role *write*, or use the token of someone who has it.`,
      403,
    );
}

interface TokenAccess {
  readonly octokit: ReturnType<typeof createClient>;
  readonly ref: RepositoryRef;
  readonly person: Person;
  readonly url: string;
  readonly redactor: Redactor;
  readonly tokenFor: (invalid: string | undefined) => Promise<string>;
}

function readAndWritten(parts: TokenAccess): UnsignedRepository {
  const { octokit, ref: repository, person, url, redactor, tokenFor } = parts;
  const links = hostPolicy([new URL(url).host]);
  const check = createRenderingCheck({ octokit, repository, links, redactor, verdicts: new Map() });
  const clients = { octokit, checks: octokit, threads: octokit, ready: octokit };
  const identity = (): Promise<AppIdentity> => Promise.resolve(identityOf(person, url));
  return createGitHubRepository({
    gate: { ...clients, repository, redactor, links, check, identity },
    gitUrl: `${url}/${repository.owner}/${repository.name}.git`,
    gitToken: (_access, invalid) => tokenFor(invalid),
    ownersFile: (path) =>
      readRepositoryFile(octokit, { owner: repository.owner, name: OWNERS_REPOSITORY }, path),
    isAttachment: attachmentsOf(url),
    lacking: () => Promise.resolve(NO_WORKFLOWS),
  });
}

const NO_WORKFLOWS = 'in a run by hand, nobody can approve changes of workflow files.';

const identityOf = ({ login, id }: Person, url: string): AppIdentity => ({
  appId: 0,
  slug: login,
  login,
  id,
  name: login,
  email: `${id}+${login}@users.noreply.${new URL(url).hostname}`,
});
