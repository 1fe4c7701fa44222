// Whether the rules of a repository allow a change of a ref.
import { posix } from 'node:path';
import { passedChecks } from '../checks/state.ts';
import { git } from '../git/git.ts';
import { hasRole } from '../roles.ts';
import type { Repository, Role, User } from '../state.ts';
import type { World } from '../world.ts';
import { demandOf, fits, isAbout, type Rule, type Ruleset } from './ruleset.ts';

/** A change of a ref that was asked for. */
export interface Move {
  /** In full: `refs/heads/main`. */
  readonly ref: string;
  /** `undefined` if it is created. */
  readonly before: string | undefined;
  /** `undefined` if it is deleted. */
  readonly after: string | undefined;
}

/** Who asked for it. */
export interface Caller {
  readonly user: User;
  /** False for an App without the permission `workflows`. */
  readonly mayWriteWorkflows: boolean;
}

export interface Violation {
  readonly message: string;
  /** The commits or files that violate the rule; empty if the change itself does. */
  readonly found: readonly string[];
}

/** Where git finds the objects of a push that is not accepted yet. */
export type Objects = Readonly<Record<string, string>>;

/** The active rulesets about a ref that a user cannot bypass. */
export const rulesetsFor = (
  world: World,
  repository: Repository,
  ref: string,
  user?: User,
): Ruleset[] =>
  repository.rulesets.filter(
    (one) =>
      one.enforcement === 'active' &&
      isAbout(one, ref, repository.defaultBranch) &&
      !(user !== undefined && BYPASSES_PUSH_RULES.has(bypassOf(world, repository, one, user))),
  );

/** As GitHub's API says it of a caller. */
export type Bypass = 'always' | 'exempt' | 'pull_requests_only' | 'never';
const BYPASSES_PUSH_RULES: ReadonlySet<Bypass> = new Set(['always', 'exempt']);

/** GitHub's ids of the roles. */
const ROLES = new Map<number, Role>([
  [2, 'maintain'],
  [4, 'write'],
  [5, 'admin'],
]);

export function bypassOf(
  world: World,
  repository: Repository,
  ruleset: Ruleset,
  user: User,
): Bypass {
  const found = ruleset.bypass_actors.find(({ actor_id: id, actor_type: type }) => {
    if (type === 'Integration') return user.id === world.app.bot.id && id === world.app.id;
    if (user.type === 'Bot') return false;
    const role = type === 'RepositoryRole' ? ROLES.get(id ?? 0) : 'admin';
    return role !== undefined && type !== 'Team' && hasRole(repository, user, role);
  });
  if (found === undefined) return 'never';
  const { bypass_mode: mode } = found;
  return mode === 'pull_request' ? 'pull_requests_only' : mode;
}

export async function violationsOf(
  world: World,
  repository: Repository,
  user: User,
  move: Move,
  objects: Objects = {},
): Promise<Violation[]> {
  const rules = rulesetsFor(world, repository, move.ref, user).flatMap((one) => one.rules);
  const checked = rules.map((rule) => check(world, repository, rule, move, objects));
  return (await Promise.all(checked)).filter((one) => one !== undefined);
}

async function check(
  world: World,
  repository: Repository,
  rule: Rule,
  move: Move,
  objects: Objects,
): Promise<Violation | undefined> {
  const { ref, before, after } = move;
  const isChange = before !== undefined && after !== undefined;
  switch (rule.type) {
    case 'creation':
      return fault(before === undefined, 'Cannot create ref due to creations being restricted.');
    case 'update':
      return fault(isChange, 'Cannot update this protected ref.');
    case 'deletion':
      return fault(after === undefined, 'Cannot delete this branch');
    case 'merge_queue':
      return fault(isChange, 'Changes must be made through the merge queue');
    case 'pull_request':
      return fault(isChange, 'Changes must be made through a pull request.');
    case 'non_fast_forward': {
      const isForced = isChange && !(await contains(repository, before, after, objects));
      return fault(isForced, 'Cannot force-push to this branch');
    }
    case 'required_status_checks':
      return isChange ? missingChecks(repository, rule, after) : undefined;
    case 'branch_name_pattern': {
      const name = ref.replace(/^refs\/heads\//, '');
      return fault(!fits(name, rule.parameters), `Branch name ${demandOf(rule.parameters)}`);
    }
    case 'file_path_restriction': {
      const restricted = rule.parameters.restricted_file_paths;
      const isRestricted = (path: string) =>
        restricted.some((glob) => posix.matchesGlob(path, glob));
      const paths = await changedPaths(repository, move, objects);
      return faults('File path is restricted', paths.filter(isRestricted));
    }
    case 'required_signatures':
    case 'commit_message_pattern':
    case 'commit_author_email_pattern':
      return checkCommits(world, rule, await newCommits(repository, move, objects));
  }
}

type CommitRule = Extract<
  Rule,
  { type: 'required_signatures' | 'commit_message_pattern' | 'commit_author_email_pattern' }
>;

function checkCommits(world: World, rule: CommitRule, commits: readonly NewCommit[]) {
  const wrong = (isRight: (commit: NewCommit) => boolean): string[] =>
    commits.filter((commit) => !isRight(commit)).map(({ sha }) => sha);
  if (rule.type === 'required_signatures') {
    const unsigned = wrong(({ sha }) => world.signatures.has(sha));
    return faults('Commits must have verified signatures.', unsigned);
  }
  const { type, parameters } = rule;
  const [what, of] =
    type === 'commit_message_pattern'
      ? (['Commit message', 'message'] as const)
      : (['Commit author email', 'email'] as const);
  const unfit = wrong((commit) => fits(commit[of], parameters));
  return faults(`${what} ${demandOf(parameters)}`, unfit);
}

interface NewCommit {
  readonly sha: string;
  readonly email: string;
  readonly message: string;
}

const fault = (isFault: boolean, message: string): Violation | undefined =>
  isFault ? { message, found: [] } : undefined;

const faults = (message: string, found: readonly string[]): Violation | undefined =>
  found.length === 0 ? undefined : { message, found };

export function missingChecks(
  repository: Repository,
  { parameters }: Extract<Rule, { type: 'required_status_checks' }>,
  sha: string,
): Violation | undefined {
  const passed = passedChecks(repository.checks, sha);
  const all = parameters.required_status_checks.map(({ context }) => context);
  const missing = all.filter((context) => !passed.has(context));
  const [first] = missing;
  if (first === undefined) return undefined;
  const message =
    missing.length === 1
      ? `Required status check "${first}" is expected.`
      : `${missing.length} of ${all.length} required status checks are expected.`;
  return { message, found: [] };
}

const run = async (repository: Repository, args: string[], environment: Objects) =>
  git(repository.git.directory, args, { environment });

/** The range of the commits that a ref gets: those of no branch, if it is new. */
const rangeOf = ({ before, after }: Move): string[] | undefined => {
  if (after === undefined) return undefined;
  return before === undefined ? [after, '--not', '--branches', '--tags'] : [after, `^${before}`];
};

async function newCommits(
  repository: Repository,
  move: Move,
  objects: Objects,
): Promise<NewCommit[]> {
  const range = rangeOf(move);
  if (range === undefined) return [];
  const text = await run(repository, ['log', '--format=%H%x01%ae%x01%B%x00', ...range], objects);
  return text.split('\0').flatMap((record) => {
    const [sha = '', email = '', message = ''] = record.trim().split('\x01');
    return sha === '' ? [] : [{ sha, email, message: message.trimEnd() }];
  });
}

async function changedPaths(repository: Repository, move: Move, objects: Objects) {
  const range = rangeOf(move);
  if (range === undefined) return [];
  const args = ['log', '--format=', '--name-only', '--no-renames', '-z', ...range];
  const paths = (await run(repository, args, objects)).split('\0');
  return [...new Set(paths.filter((one) => one !== ''))];
}

const contains = (repository: Repository, before: string, after: string, objects: Objects) =>
  run(repository, ['merge-base', '--is-ancestor', before, after], objects).then(
    () => true,
    () => false,
  );
