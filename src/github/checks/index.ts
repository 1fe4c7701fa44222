import type { Check } from '../../contracts/checks.ts';
import { ifFound } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { ownerAndRepo } from '../requests/octokit.ts';
import type { Permissions } from '../access/permissions.ts';
import { checksOf } from './commit-checks.ts';
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
