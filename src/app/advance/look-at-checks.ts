// Reads the checks of the session's pull request, once something said that they may have changed, and decides what
// follows from failures. What an event said counts for nothing: all facts are GitHub's answers of now.
import type { Check, ChecksResult, FailedCheck } from '../../contracts/checks.ts';
import { READS_CHECKS, READS_LOGS, type RepositoryChecks } from '../../github/checks/index.ts';
import { besideTheWork } from '../../lib/errors.ts';
import { decideOn, isKnown, isLookDue, settledState } from '../../session/checks/due.ts';
import { fingerprintOf } from '../../lib/fingerprint.ts';
import { DEFAULT_CI_ROUNDS } from '../../session/settings/fields.ts';
import { settingsFor } from '../admission/settings.ts';
import type { SessionScope } from '../service/service.ts';

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
