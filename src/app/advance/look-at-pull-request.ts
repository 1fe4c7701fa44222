// What events do not tell of the session's pull request: its checks, and whether it has conflicts. All facts are GitHub's answers
// of now.
import type { Check, ChecksResult, FailedCheck } from '../../contracts/checks.ts';
import { READS_CHECKS, READS_LOGS, type RepositoryChecks } from '../../github/checks/index.ts';
import { besideTheWork } from '../../lib/errors.ts';
import { decideOn, isKnown, isLookDue, settledState } from '../../session/checks/due.ts';
import { fingerprintOf } from '../../lib/fingerprint.ts';
import { DEFAULT_CI_ROUNDS } from '../../session/settings/fields.ts';
import { settingsFor } from '../admission/settings.ts';
import type { SessionScope } from '../service/service.ts';
import { setTimeout as wait } from 'node:timers/promises';
import type { Mergeability } from '../../github/pull-requests.ts';
import { isMergeLeft } from '../../session/merging.ts';
import { hasBrokenOff, stateOf } from '../../session/state.ts';
import { hasMergingGit } from '../../workspace/git/engines/native/native-git.ts';

// Its checks are read once something said that they may have changed, and it is decided what follows from failures. What an event
// said counts for nothing.

type ChecksScope = Pick<SessionScope, 'tracker' | 'github'>;

/** Failed checks whose annotations and logs are read. */
const MOST_FAILURES = 10;
const TOO_MANY = 'The commit has more checks than can be read.';

/** Journals what is found: each hint that is known by then is followed by one entry. Safe to repeat. */
export async function lookAtChecks({ tracker, github }: ChecksScope): Promise<void> {
  const { session } = tracker;
  const newest = session.checks.hinted.at(-1)?.sha;
  const pull = session.thread.pullRequest;
  if (newest === undefined || pull === undefined || !isLookDue(session)) return;
  const found = await read({ tracker, github }, pull.number, newest);
  await tracker.append({ type: 'checks_read', ...found, upTo: session.seq });
}

interface ReadChecks {
  readonly sha: string;
  readonly result: ChecksResult;
}

const read = (looking: ChecksScope, pull: number, newest: string): Promise<ReadChecks> =>
  besideTheWork(
    () => readNow(looking, pull, newest),
    (reason) => ({ sha: newest, result: unreadable(looking, reason) }),
  );

/** It is said once. */
const unreadable = ({ tracker }: ChecksScope, reason: string): ChecksResult => {
  const before = tracker.session.checks.last?.result;
  return before?.kind === 'unreadable' && before.reason === reason
    ? { kind: 'unchanged' }
    : { kind: 'unreadable', reason };
};

async function readNow(looking: ChecksScope, pull: number, newest: string): Promise<ReadChecks> {
  const { tracker, github } = looking;
  const { thread, checks: known } = tracker.session;
  const { settings } = await settingsFor(github, thread.repository);
  if (settings.fix_ci === 'off') return { sha: newest, result: { kind: 'off' } };
  const lacking = await github.lacking(READS_CHECKS);
  if (lacking !== undefined) return { sha: newest, result: unreadable(looking, lacking) };
  const { checks } = github;
  const { sha, isOpen, isOwn, base } = await checks.pullHead(pull);
  const isMeant = isOpen && isOwn && known.hinted.some((one) => one.sha === sha);
  if (!isMeant || !(await hasOurCommits(looking, sha)))
    return { sha, result: { kind: 'outdated' } };
  const all = await checks.of(sha);
  if (all === undefined) return { sha, result: unreadable(looking, TOO_MANY) };
  const state = settledState(all);
  if (state.kind !== 'failed') return { sha, result: state };
  const rounds = settings.limits.ci_rounds ?? DEFAULT_CI_ROUNDS;
  const failures = await failuresOf(looking, state.failed, base, sha);
  const next = decideOn(failures, known, { isOwn: settings.fix_ci === 'own', rounds });
  if (isKnown(sha, failures, next, known.last)) return { sha, result: { kind: 'unchanged' } };
  const more = state.failed.length - failures.length;
  return { sha, result: { kind: 'failed', failures, more, next, rounds } };
}

/** People may have pushed on top of our commits, and never instead of them. */
async function hasOurCommits({ tracker, github }: ChecksScope, head: string): Promise<boolean> {
  const { head: own } = tracker.session.work;
  return own !== undefined && (own === head || (await github.checks.contains(head, own)));
}

async function failuresOf(
  { github }: ChecksScope,
  failed: readonly Check[],
  base: string,
  sha: string,
): Promise<readonly FailedCheck[]> {
  const { checks } = github;
  const noLogs = await github.lacking(READS_LOGS);
  const onBase = await failingOnBase(checks, base, sha);
  const failures: FailedCheck[] = [];
  for (const check of failed.slice(0, MOST_FAILURES)) {
    const { name, source, conclusion, url } = check;
    const details = await checks.details(check, noLogs);
    const said = { name, source, conclusion, url, summary: details.summary };
    const isOnBase = onBase.has(name);
    failures.push({
      ...said,
      ...details,
      fingerprint: fingerprintOf({ ...said, ...details }),
      ...(isOnBase ? { excuse: 'base' } : {}),
    });
  }
  return failures;
}

/** The names of the checks that fail on the base branch too, as it is and as it was. */
async function failingOnBase(
  checks: RepositoryChecks,
  base: string,
  sha: string,
): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const commit of await checks.basesOf(base, sha))
    for (const { name, state } of (await checks.of(commit)) ?? [])
      if (state === 'failed') names.add(name);
  return names;
}

// A pull request that waits for review gets conflicts when its base branch moves, and GitHub has no event for that.

type ConflictScope = Pick<SessionScope, 'tracker' | 'github' | 'service' | 'signal'>;

/** GitHub computes it when it is asked, and usually knows within seconds. If not, something else wakes the session. */
const WAITS_MS = [500, 2_000, 4_000];

/**
 * Looks whether GitHub can merge the pull request, and journals that it cannot: once for each pair of commits, so that
 * an attempt that failed is not repeated by itself. A merge that is left to people is not tried
 * with another commit of the base branch either, until someone pushes to the pull request.
 */
export async function lookForConflict(scope: ConflictScope): Promise<void> {
  const { tracker, service } = scope;
  const { thread } = tracker.session;
  const { pullRequest } = thread;
  // Never touch a person's own pull request without a request.
  if (pullRequest === undefined || thread.adopted !== undefined) return;
  // A run that ended at a limit would end there again, with each commit of the base branch.
  if (stateOf(tracker.session) !== 'waiting(review)' || hasBrokenOff(tracker.session)) return;
  if (!(await hasMergingGit())) return;
  const found = await settled(scope, pullRequest.number);
  if (found?.state !== 'conflicts') return;
  const { branch, head, base } = found;
  if (isMergeLeft(tracker.session, head)) return;
  const meaning = `conflict:${pullRequest.number}:${head}:${base}`;
  const { number } = pullRequest;
  await service.store.accept(
    {
      installation: thread.installation,
      repository: thread.repository,
      thread: { on: 'issue', number: thread.issue },
      sender: { login: 'github', id: 0, bot: true },
      meaning,
      intent: { kind: 'conflict', pullRequest: number, branch, head, base },
    },
    { id: `${tracker.id}:${meaning}`, event: 'pull_request' },
  );
  await tracker.refresh();
}

async function settled(
  { github, service, signal }: ConflictScope,
  number: number,
): Promise<Mergeability | undefined> {
  const look = async (): Promise<Mergeability> => {
    let found = await github.mergeability(number);
    for (const ms of WAITS_MS) {
      if (found.state !== 'unknown' || signal.aborted) break;
      await wait(ms, undefined, { signal });
      found = await github.mergeability(number);
    }
    return found;
  };
  try {
    return await besideTheWork<Mergeability | undefined>(look, (reason) => {
      if (!signal.aborted) service.log.info({ reason }, 'failed to look for conflicts');
      return undefined;
    });
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}
