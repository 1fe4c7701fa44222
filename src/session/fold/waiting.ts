// What the session waits for: answers, approval, the end of a pause, and GitHub.
import type { Effect } from '../../contracts/effect.ts';
import type { Entry, EntryOf } from '../entry.ts';
import { proposalKey, questionKey } from '../github-names.ts';
import { questionLeftOpen } from '../requested-work.ts';
import type { Session, SessionWaiting } from '../session.ts';
import { beginsAnew } from './outcome.ts';
import type { EntryOutcome } from './happened.ts';
import { MOSTLY_UNCHANGED, noChange, type Table } from './table.ts';

const NOT_PLANNED = {
  approval: 'undecided',
  approvedBy: undefined,
  approvedPlan: [],
  approvalUsed: false,
  proposal: undefined,
} as const;
const NOBODY_APPROVED = { approvedBy: undefined, approvedPlan: [] } as const;
const NOTHING_ASKED = { question: undefined, proposal: undefined } as const;

export const NO_WAITING: SessionWaiting = {
  ...NOTHING_ASKED,
  ...NOT_PLANNED,
  approvedWorkflows: undefined,
  openingSubIssues: undefined,
  pausedBy: undefined,
  servicePauseReason: undefined,
  publishingBlock: undefined,
};

export const WAITING: Table<SessionWaiting> = {
  ...MOSTLY_UNCHANGED,
  // Whoever writes may have fixed what GitHub denied.
  received: (waiting, _entry, { outcome }) =>
    settled({ ...waiting, publishingBlock: undefined }, outcome),
  admitted: (waiting, _entry, { session, outcome }) => {
    const begun = beginsAnew(session, outcome) ? { ...waiting, ...NOT_PLANNED } : waiting;
    return approved(settled(begun, outcome), session, outcome);
  },
  input_read: (waiting, { upTo }, { session }) => ({
    ...waiting,
    ...NOTHING_ASKED,
    question: questionLeftOpen(session, upTo),
  }),
  run_prepared: (waiting, entry, { session }) =>
    session.run?.reviews === undefined && session.run?.splits !== true
      ? { ...waiting, approval: approval(waiting, entry) }
      : waiting,
  call_finished: (waiting, entry) => {
    const { changedFiles = 0, effects } = entry;
    const after = effects.reduce((before, effect) => asked(before, effect, entry), waiting);
    const isChange = changedFiles > 0 || effects.some(({ type }) => CHANGES.has(type));
    return after.approval === 'given' && isChange ? { ...after, approvalUsed: true } : after;
  },
  work_saved: (waiting, entry) =>
    entry.effects.reduce((before, effect) => asked(before, effect, entry), waiting),
  duplicates_searched: (waiting, entry) =>
    entry.effects.reduce((before, effect) => asked(before, effect, entry), waiting),
  push_questioned: (waiting, entry) =>
    entry.effects.reduce((before, effect) => asked(before, effect, entry), waiting),
  published: (waiting, entry) => published(waiting, entry),
  question_expired: (waiting, { question: seq, action }) =>
    waiting.question?.seq === seq
      ? { ...waiting, question: { ...waiting.question, expired: action } }
      : waiting,
  expiry_deferred: (waiting, { question: seq, until }) =>
    waiting.question?.seq === seq
      ? { ...waiting, question: { ...waiting.question, deferredUntil: until } }
      : waiting,
  // What was done is done without the answer. A run that breaks off leaves open only what it asked itself.
  run_ended: (waiting, { end }, { session: { run } }) => {
    const isOfBefore = (waiting.question?.when.at ?? '') < (run?.startedAt ?? '');
    return end.kind === 'finished' || (end.kind !== 'asked' && isOfBefore)
      ? { ...waiting, question: undefined }
      : waiting;
  },
  approval_withdrawn: (waiting) => ({ ...waiting, approval: 'needed', ...NOBODY_APPROVED }),
  sub_issue_opened: (waiting, { isLast }) =>
    isLast === true ? { ...waiting, openingSubIssues: undefined } : waiting,
  // Whoever can do something about it approves them again.
  sub_issues_denied: (waiting) => ({
    ...waiting,
    proposal: waiting.openingSubIssues?.proposal,
    openingSubIssues: undefined,
  }),
  service_paused: (waiting, { reason }) => ({ ...waiting, servicePauseReason: reason }),
  service_resumed: (waiting) => ({ ...waiting, servicePauseReason: undefined }),
  publishing_blocked: (waiting, entry) => ({
    ...waiting,
    publishingBlock: blocked(waiting, entry),
  }),
  ...noChange(
    'run_started',
    'run_resumed',
    'run_deferred',
    'run_paused',
    'reply',
    'call_started',
    'compacted',
  ),
};

function settled(waiting: SessionWaiting, { pausedBy, endsWaiting }: EntryOutcome): SessionWaiting {
  const after = pausedBy === undefined ? waiting : { ...waiting, pausedBy: pausedBy ?? undefined };
  return endsWaiting === true ? { ...after, ...NOTHING_ASKED, openingSubIssues: undefined } : after;
}

function approved(
  waiting: SessionWaiting,
  before: Session,
  { request }: EntryOutcome,
): SessionWaiting {
  if (request?.item.approves === undefined) return waiting;
  const by = request.item.sender;
  const { proposal } = before.waiting;
  const { plan: approvedPlan } = before.work;
  if (proposal?.of === 'sub_issues')
    return { ...waiting, openingSubIssues: { proposal, by: by.login } };
  return proposal?.of === 'workflows'
    ? { ...waiting, approvedWorkflows: { digest: proposal.digest, by } }
    : { ...waiting, approval: 'given', approvedBy: by.login, approvedPlan, approvalUsed: false };
}

const CHANGES: ReadonlySet<Effect['type']> = new Set(['commit', 'pull_request', 'command']);

/** Decided by the first run that could change anything, until someone approves. */
function approval(
  { approval: before }: SessionWaiting,
  { mode, planFirst }: EntryOf<'run_prepared'>,
): SessionWaiting['approval'] {
  if (before === 'given' || mode === 'completion') return before;
  if (planFirst === true) return 'needed';
  return before === 'undecided' ? 'not_needed' : before;
}

function asked(waiting: SessionWaiting, effect: Effect, { seq, at }: Entry): SessionWaiting {
  const when = { at, isOurs: true, seq } as const;
  if (effect.type === 'question') {
    const { text, items = [], deadline, about } = effect;
    const all = items.length === 0 ? [{ text }] : items;
    const open = { url: undefined, expired: undefined, deferredUntil: undefined };
    return { ...waiting, question: { seq, when, about, text, items: all, deadline, ...open } };
  }
  if (effect.type === 'workflow_change') {
    const { digest } = effect;
    return { ...waiting, proposal: { of: 'workflows', seq, when, comment: undefined, digest } };
  }
  if (effect.type === 'sub_issues_proposed')
    return { ...waiting, proposal: { of: 'sub_issues', seq, when, comment: undefined } };
  return effect.type === 'plan' && effect.needsApproval === true
    ? {
        ...waiting,
        // One that was approved has more in it now.
        ...(waiting.approval === 'given' ? { approval: 'needed', ...NOBODY_APPROVED } : {}),
        proposal: { of: 'plan', seq, when, comment: undefined },
      }
    : waiting;
}

function published(
  waiting: SessionWaiting,
  { key, id, url }: EntryOf<'published'>,
): SessionWaiting {
  const { question, proposal } = waiting;
  if (question !== undefined && key === questionKey(question.seq))
    return { ...waiting, question: { ...question, url, when: { ...question.when, comment: id } } };
  if (proposal !== undefined && key === proposalKey(proposal))
    return {
      ...waiting,
      proposal: { ...proposal, comment: { id, url }, when: { ...proposal.when, comment: id } },
    };
  return waiting;
}

/** Counted from the first denial, until something happens that may have fixed it. */
const blocked = (
  { publishingBlock: before }: SessionWaiting,
  { block, at }: EntryOf<'publishing_blocked'>,
): SessionWaiting['publishingBlock'] =>
  block === null ? undefined : { ...block, since: before?.since ?? at };
