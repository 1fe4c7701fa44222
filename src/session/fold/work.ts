// The work itself: plan, commits, and what was run.
import type { CommandRun, Effect, Patch } from '../../contracts/effect.ts';
import { isServerTool } from '../../lib/server-tool-name.ts';
import type { EntryOf } from '../entry.ts';
import { patchKey } from '../github-names.ts';
import type { Session } from '../session.ts';
import { hasRejectedMerge } from '../merging.ts';
import { backgroundUntil } from '../requested-work.ts';
import {
  hasPassed,
  type ObservedTests,
  type TestRun,
  type SessionWork,
} from '../parts/session-work.ts';
import { beginsAnew } from './outcome.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';

const NOTHING_DONE = {
  plan: [],
  commits: [],
  later: [],
  committedAt: [],
  commitsBefore: 0,
  patches: [],
  lastPatch: undefined,
  changedSincePatch: false,
  held: [],
  withheld: undefined,
  inLfs: undefined,
  commands: { count: 0, last: [] },
  dependencies: undefined,
  tests: [],
  observed: { count: 0, last: [] },
  selfReview: undefined,
  testedSinceReview: false,
  found: [],
  changedSinceReview: false,
  given: [],
} as const;

const NO_MERGE = { merge: undefined, hasConflict: false } as const;

export const NO_WORK: SessionWork = {
  ...NOTHING_DONE,
  head: undefined,
  workspaceReplaced: false,
  replacedFrom: undefined,
  uncommittedSince: 0,
  saved: undefined,
  ...NO_MERGE,
  mergeLeftAt: undefined,
  stagedPaths: undefined,
  branchSuffix: undefined,
  strangersRead: false,
  changedSinceTests: undefined,
  duplicates: [],
};

export const WORK: Table<SessionWork> = {
  ...MOSTLY_UNCHANGED,
  received: (work, { seq, intent }, { outcome }) => {
    if (intent.kind === 'conflict') return { ...work, hasConflict: true };
    if (outcome.event?.kind !== 'pull_request_closed') return work;
    const ended = { mergeLeftAt: undefined, head: undefined, uncommittedSince: seq };
    return { ...work, ...NO_MERGE, saved: undefined, ...ended };
  },
  admitted: (work, _entry, { session, outcome }) =>
    beginsAnew(session, outcome) ? { ...work, ...NOTHING_DONE } : work,
  // Whatever runs in a check decides what it writes.
  input_read: (work, _entry, { session }) => ({
    ...work,
    workspaceReplaced: false,
    replacedFrom: undefined,
    strangersRead:
      work.strangersRead ||
      session.checks.due !== undefined ||
      backgroundUntil(session.requests, session.requests.unread).length > 0,
  }),
  run_prepared: (work, entry, { session }) => prepared(work, entry, session),
  call_finished: (work, entry) => {
    const { seq, at, effects, changedFiles = 0, leftOutFiles = 0, documents = 0, output } = entry;
    const isEdit = changedFiles > leftOutFiles;
    const isOfCode = changedFiles > leftOutFiles + documents;
    const kind = isOfCode ? 'code' : 'documents';
    const begun = isEdit ? { ...work, observed: outdated(work.observed) } : work;
    const after = applied(begun, { seq, at, effects });
    const tests = effects.find((effect) => effect.type === 'tests');
    if (tests !== undefined)
      return { ...after, merge: tested(after.merge, tests, output), changedSinceTests: undefined };
    return {
      ...after,
      changedSinceTests:
        isEdit && after.changedSinceTests !== 'code' ? kind : after.changedSinceTests,
      changedSincePatch: after.changedSincePatch || changedFiles > 0,
    };
  },
  // Nobody knows whose words a server answers with, also if the call fails.
  reply: (work, { calls }) =>
    calls.some(({ tool }) => isServerTool(tool)) ? { ...work, strangersRead: true } : work,
  suggestions_taken: (work, { results }) =>
    results.some(({ outcome }) => outcome === 'applied') ? edited(work) : work,
  verdict_withdrawn: (work, { review, denied }) => {
    const after = denied === true ? ({ isKept: true } as const) : { verdict: undefined };
    const given = work.given.map((one) => (one.id === review ? { ...one, ...after } : one));
    return { ...work, given };
  },
  work_saved: (work, { seq, at, effects, isUnfinished }) => {
    const after = applied(work, { seq, at, effects });
    if (isUnfinished !== true || work.head === undefined || after.head === undefined) return after;
    const saved = { commit: after.head, parent: work.head, since: work.uncommittedSince };
    return { ...after, saved };
  },
  published: (work, { key, url }) =>
    work.lastPatch !== undefined && key === patchKey(work.lastPatch.seq)
      ? { ...work, lastPatch: { ...work.lastPatch, url } }
      : work,
  duplicates_searched: (work, { found }) => ({ ...work, duplicates: found }),
  // The changes were made on a commit that is not the head any more.
  branch_moved: (work, { seq }) => ({
    ...work,
    ...NO_MERGE,
    saved: undefined,
    mergeLeftAt: undefined,
    head: undefined,
    replacedFrom: work.head ?? work.replacedFrom,
    uncommittedSince: seq,
    stagedPaths: undefined,
  }),
  // The model may have read, and changed, what another merge made of the files.
  merge_started: (work, { seq, at, ours, theirs, branch }, { session }) => ({
    ...edited(work),
    workspaceReplaced:
      work.workspaceReplaced || (work.merge !== undefined && session.requests.readUpTo > 0),
    mergeLeftAt: undefined,
    merge: { ours, theirs, branch, startedAt: at, failedTests: undefined, failedBefore: [] },
    uncommittedSince: seq,
    stagedPaths: undefined,
  }),
  merge_failed_tests: (work, { seq, effects, output, before = [] }) => {
    const { merge, ...tested } = effects.reduce((before, one) => affected(before, one, seq), work);
    const failed = merge && { ...merge, failedTests: output, failedBefore: before };
    return { ...tested, merge: failed, changedSinceTests: undefined };
  },
  merge_ended: (work, { seq, at, effects }, { session }) => {
    // Git made this merge: nothing in it is ours to review again.
    const { changedSinceReview } = work;
    const after = { ...applied(work, { seq, at, effects }), changedSinceReview };
    if (effects.length === 0) return { ...after, ...NO_MERGE };
    const hasTests = effects.some(({ type }) => type === 'tests');
    const workspaceReplaced = session.requests.readUpTo > 0;
    const { changedSinceTests, observed } = hasTests
      ? { ...after, changedSinceTests: undefined }
      : edited(after);
    return { ...after, ...NO_MERGE, changedSinceTests, observed, workspaceReplaced };
  },
  run_started: (work) => ({ ...work, commitsBefore: work.commits.length }),
  run_ended: (work, { end }, { session }) =>
    hasRejectedMerge(end)
      ? { ...work, merge: undefined, mergeLeftAt: work.merge?.ours ?? work.head }
      : withChanges(work, session),
  ...noChange('run_resumed', 'run_deferred', 'run_paused', 'call_started', 'compacted'),
};

function applied(
  work: SessionWork,
  { seq, at, effects }: Pick<EntryOf<'work_saved'>, 'seq' | 'at' | 'effects'>,
): SessionWork {
  const after = effects.reduce((before, effect) => affected(before, effect, seq), work);
  return after.commits.length > work.commits.length
    ? { ...after, committedAt: [...work.committedAt, at].slice(-2) }
    : after;
}

/** Merges that git made alone have no words, and need none. */
function withChanges(work: SessionWork, { run }: Session): SessionWork {
  const commits = work.commits.slice(work.commitsBefore).map(({ sha }) => sha);
  const summary = run?.finish?.summary ?? '';
  return run?.beganOnPullRequest === true && commits.length > 0 && summary !== ''
    ? { ...work, later: [...work.later, { summary, commits }] }
    : work;
}

/** What is said of tests that fail with a merge is what they printed last. */
const tested = (merge: SessionWork['merge'], run: TestRun, output: string): SessionWork['merge'] =>
  merge?.failedTests === undefined || run.isPartial || hasPassed(run)
    ? merge
    : { ...merge, failedTests: output };

/** File changes belong to the commit that they were made on: on another one they are void. */
function prepared(
  work: SessionWork,
  { seq, mode, baseCommit, replaces }: EntryOf<'run_prepared'>,
  { requests }: Session,
): SessionWork {
  if (baseCommit === work.head) return work;
  // The files are those that the model has read.
  if (work.saved !== undefined && replaces === work.saved.commit) {
    const commits = work.commits.filter(({ sha }) => sha !== replaces);
    const { since: uncommittedSince } = work.saved;
    return { ...work, commits, commitsBefore: commits.length, head: baseCommit, uncommittedSince };
  }
  return {
    ...edited(work),
    saved: undefined,
    merge: work.merge?.ours === baseCommit ? work.merge : undefined,
    hasConflict: false,
    mergeLeftAt: work.mergeLeftAt === baseCommit ? baseCommit : undefined,
    head: baseCommit,
    uncommittedSince: seq,
    stagedPaths: undefined,
    workspaceReplaced: mode !== 'completion' && requests.readUpTo > 0,
    replacedFrom: work.head ?? work.replacedFrom,
  };
}

function affected(work: SessionWork, effect: Effect, seq: number): SessionWork {
  switch (effect.type) {
    case 'plan':
      return { ...work, plan: effect.items };
    case 'staged':
      return { ...work, stagedPaths: effect.paths ?? undefined };
    case 'branch':
      return { ...work, branchSuffix: effect.suffix };
    case 'commit':
      return committed(work, effect, seq);
    case 'review':
      return { ...work, given: [...work.given, effect] };
    case 'commit_held':
      return { ...work, held: [...work.held, effect.message] };
    case 'patch':
      return patched(work, effect, seq);
    case 'strangers_read':
      return { ...work, strangersRead: true };
    case 'command':
      return observed({ ...work, commands: ran(work.commands, effect) }, effect);
    case 'tests':
      return tried(work, effect);
    case 'self_reviewed':
      return reviewed(work, effect);
    case 'dependencies':
      return { ...work, dependencies: effect.cache };
    case 'pull_request':
      return { ...work, later: [] };
    case 'question':
    case 'server_question':
    case 'workflow_change':
    case 'sub_issues_proposed':
    case 'thread_reply':
    case 'reply':
    case 'review_requested':
    case 'left_to_people':
    case 'setup':
    case 'disallowed_hosts':
    case 'comment':
    case 'memory':
    case 'embedded':
    case 'reason_asked':
    case 'finish':
      return work;
    default:
      return effect satisfies never;
  }
}

function tried(
  work: SessionWork,
  { type: _type, ...run }: Extract<Effect, { type: 'tests' }>,
): SessionWork {
  const { isPartial, onChanges } = run;
  const after = { ...work, tests: [...work.tests, run], commands: ran(work.commands, run) };
  return observed(after, run, { isPartial, onChanges });
}

const patched = (work: SessionWork, patch: Patch, seq: number): SessionWork => ({
  ...work,
  patches: [...work.patches, patch],
  lastPatch: { seq, url: undefined },
  changedSincePatch: false,
  held: [],
});

const reviewed = (
  work: SessionWork,
  review: Extract<Effect, { type: 'self_reviewed' }>,
): SessionWork => ({
  ...work,
  selfReview: review,
  found: [...work.found, ...review.findings].slice(-MOST_FOUND),
  changedSinceReview: false,
  testedSinceReview: false,
});

/** What was seen to run is older than the files now. */
const edited = (work: SessionWork): SessionWork => ({
  ...work,
  changedSinceTests: 'code',
  observed: outdated(work.observed),
});

const outdated = ({ count, last }: SessionWork['observed']): SessionWork['observed'] => ({
  count,
  last: last.map((run) => ({ ...run, isOutdated: true })),
});

/** With the command, if it ran tests, or was to run them. */
function observed(work: SessionWork, run: CommandRun, asked?: ObservedTests['asked']): SessionWork {
  if (run.failed === undefined) return work;
  const { command, exitCode, ended, durationMs, failed, passed = null, notRun } = run;
  const known = { command, exitCode, ended, durationMs, failed, passed, isOutdated: false };
  const more = { ...(notRun === undefined ? {} : { notRun }), ...(asked && { asked }) };
  const { count, last } = work.observed;
  return {
    ...work,
    observed: { count: count + 1, last: [...last, { ...known, ...more }].slice(-MAX_OBSERVED) },
    testedSinceReview: work.testedSinceReview || notRun === undefined,
  };
}

/** What it left out stays among the stored changes; those that it included change nothing when they are applied again. */
const committed = (
  work: SessionWork,
  { sha, message, files, partial, withheld, inLfs, merges }: Extract<Effect, { type: 'commit' }>,
  seq: number,
): SessionWork => ({
  ...work,
  commits: [...work.commits, { sha, message, files, ...(merges === undefined ? {} : { merges }) }],
  ...NO_MERGE,
  saved: undefined,
  held: [],
  withheld,
  inLfs,
  changedSinceReview: true,
  head: sha,
  uncommittedSince: partial === true ? work.uncommittedSince : seq,
  stagedPaths: undefined,
});

const MAX_COMMANDS = 15;
const MAX_OBSERVED = 8;
const MOST_FOUND = 30;

function ran(
  { count, last }: SessionWork['commands'],
  { command, exitCode, ended, durationMs, failed, passed }: CommandRun,
): SessionWork['commands'] {
  const counts = failed === undefined ? {} : { failed, passed: passed ?? null };
  const all = [...last, { command, exitCode, ended, durationMs, ...counts }];
  return { count: count + 1, last: all.slice(-MAX_COMMANDS) };
}
