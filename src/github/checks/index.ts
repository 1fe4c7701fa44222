import type { Check, CheckState } from '../../contracts/checks.ts';
import { ifFound } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { ownerAndRepo } from '../requests/octokit.ts';
import type { Permissions } from '../access/permissions.ts';
import { detailsOf, type CheckDetails } from './failure-details.ts';

/** What reading the checks of a commit needs. */
export const READS_CHECKS = { checks: 'read', statuses: 'read' } as const satisfies Permissions;
/** What reading logs needs. */
export const READS_LOGS = { actions: 'read' } as const satisfies Permissions;

/** Where a pull request is now. */
interface PullHead {
  readonly isOpen: boolean;
  readonly sha: string;
  /** Its branch is in this repository. */
  readonly isOwn: boolean;
  readonly base: string;
}

/** The checks of commits, as the App may read them. Every method may throw TryLater and GitHubDenied. */
export interface RepositoryChecks {
  pullHead(number: number): Promise<PullHead>;
  /** Whether `head` comes after `commit`, or is it. */
  contains(head: string, commit: string): Promise<boolean>;
  /** The head of the base branch, and where the head left it. */
  basesOf(base: string, head: string): Promise<readonly string[]>;
  /** All checks but our own; `undefined`: there are too many to read. */
  of(sha: string): Promise<readonly Check[] | undefined>;
  /** `noLogs`: why logs cannot be read, if that is known. */
  details(check: Check, noLogs: string | undefined): Promise<CheckDetails>;
}

export const createRepositoryChecks = (gate: Gate): RepositoryChecks => ({
  pullHead: async (number) => {
    const at = { ...ownerAndRepo(gate), pull_number: number };
    const { state, head, base } = (await gate.octokit.rest.pulls.get(at)).data;
    const isOwn = head.repo?.id === gate.repository.id;
    return { isOpen: state === 'open', sha: head.sha, isOwn, base: base.ref };
  },
  contains: async (head, commit) => {
    const found = await ifFound(compared(gate, commit, head));
    return found?.status === 'ahead' || found?.status === 'identical';
  },
  basesOf: async (base, head) => {
    const { base_commit: tip, merge_base_commit: left } = await compared(gate, base, head);
    return [...new Set([tip.sha, left.sha])];
  },
  of: (sha) => checksOf(gate, sha),
  details: (check, noLogs) => detailsOf(gate, check, noLogs),
});

async function compared(gate: Gate, base: string, head: string) {
  const { data } = await gate.octokit.rest.repos.compareCommitsWithBasehead({
    ...ownerAndRepo(gate),
    basehead: `${base}...${head}`,
    per_page: 1,
  });
  return data;
}

// All checks of a commit: the check runs of Apps, suites that have none yet, and the statuses of services.

const PER_PAGE = 100;
const MOST_PAGES = 10;
const ACTIONS = 'github-actions';

/** `undefined`: there are more than can be read. */
async function checksOf(gate: Gate, sha: string): Promise<readonly Check[] | undefined> {
  const { appId } = await gate.identity();
  const at = { ...ownerAndRepo(gate), ref: sha, per_page: PER_PAGE };
  const { checks, repos } = gate.checks.rest;
  const [runs, suites, statuses] = await Promise.all([
    allOf(async (page) => {
      const { data } = await checks.listForRef({ ...at, filter: 'all', page });
      return { items: data.check_runs, total: data.total_count };
    }),
    allOf(async (page) => {
      const { data } = await checks.listSuitesForRef({ ...at, page });
      return { items: data.check_suites, total: data.total_count };
    }),
    allOf(async (page) => {
      const { data } = await repos.getCombinedStatusForRef({ ...at, page });
      return { items: data.statuses, total: data.total_count };
    }),
  ]);
  if (runs === undefined || suites === undefined || statuses === undefined) return undefined;
  const isOthers = ({ app }: { readonly app: { readonly id: number } | null }): boolean =>
    app?.id !== appId;
  return [
    ...newestRuns(runs.filter(isOthers)),
    ...waitingSuites(suites.filter(isOthers)),
    ...statuses.map(statusCheck),
  ];
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

async function allOf<Item>(
  fetchPage: (page: number) => Promise<Page<Item>>,
): Promise<readonly Item[] | undefined> {
  const found: Item[] = [];
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { items, total } = await fetchPage(page);
    found.push(...items);
    if (items.length < PER_PAGE) return found;
    if (total > PER_PAGE * MOST_PAGES) return undefined;
    if (found.length >= total) return found;
  }
  return undefined;
}

interface Run {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
  readonly html_url: string | null;
  readonly output: { readonly title: string | null; readonly summary: string | null };
  readonly check_suite: { readonly id: number } | null;
  readonly app: { readonly slug?: string } | null;
}

/** A re-run is another check run of the same name in the same suite. */
function newestRuns(runs: readonly Run[]): readonly Check[] {
  const groups = Map.groupBy(runs, ({ check_suite: suite, name }) => `${suite?.id} ${name}`);
  return [...groups.values()].flatMap((group) => {
    const [newest, ...before] = group.toSorted((one, other) => other.id - one.id);
    if (newest === undefined) return [];
    const passedBefore = before.some((run) => stateOf(run) === 'passed');
    const { id, name, conclusion, status, html_url: url, output, app } = newest;
    return [
      {
        source: 'check',
        id,
        name,
        state: stateOf(newest),
        conclusion: conclusion ?? status,
        url,
        summary: [output.title, output.summary].filter(Boolean).join('\n'),
        ...(app?.slug === ACTIONS ? { isJob: true } : {}),
        ...(passedBefore ? { passedBefore: true } : {}),
      },
    ];
  });
}

const STATES: ReadonlyMap<string, CheckState> = new Map([
  ['success', 'passed'],
  ['neutral', 'passed'],
  ['skipped', 'passed'],
  ['failure', 'failed'],
  ['timed_out', 'failed'],
  // Someone has to act first.
  ['action_required', 'unsettled'],
  ['cancelled', 'broken'],
  ['stale', 'broken'],
  ['startup_failure', 'broken'],
]);

const stateOf = ({ status, conclusion }: Run): CheckState =>
  status === 'completed' ? (STATES.get(conclusion ?? '') ?? 'broken') : 'unsettled';

interface Suite {
  readonly status: string | null;
  readonly conclusion: string | null;
  readonly latest_check_runs_count: number;
  readonly app: { readonly slug?: string; readonly name: string } | null;
}

/**
 * GitHub makes a suite for every App that may write checks, and most never use it. One of Actions is about to
 * have jobs.
 */
const waitingSuites = (suites: readonly Suite[]): readonly Check[] =>
  suites
    .filter(({ status }) => status !== 'completed')
    .filter(({ app, latest_check_runs_count: count }) => count > 0 || app?.slug === ACTIONS)
    .map(({ app, status }) => ({
      source: 'check',
      name: app?.name ?? '',
      state: 'unsettled',
      conclusion: status ?? '',
      url: null,
      summary: '',
    }));

interface Status {
  readonly context: string;
  readonly state: string;
  readonly description: string | null;
}

const STATUS_STATES: ReadonlyMap<string, CheckState> = new Map([
  ['success', 'passed'],
  ['failure', 'failed'],
  ['error', 'broken'],
]);

/** The address that a service gives is its own choice, so it is not passed on. */
const statusCheck = ({ context, state, description }: Status): Check => ({
  source: 'status',
  name: context,
  state: STATUS_STATES.get(state) ?? 'unsettled',
  conclusion: state,
  url: null,
  summary: description ?? '',
});
