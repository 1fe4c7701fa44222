import type { Usage } from '../../contracts/model.ts';
import type { Entry, EntryOf } from '../entries/entry.ts';
import {
  affectedBy,
  callFinished,
  replied,
  runEnded,
  runParked,
  runPaused,
  runPrepared,
  runResumed,
  runStarted,
  spent,
} from './run.ts';
import { admitted, NOTHING_RUN, settled } from './asks.ts';
import { received } from './received.ts';
import { expired, nextTaken, NOT_PLANNED, NOTHING_ASKED, published } from './waits.ts';
import type { Session } from '../session.ts';

const NO_USAGE: Usage = { input: 0, cached: 0, written: 0, output: 0, reasoning: 0 };

function opened(entry: EntryOf<'opened'>): Session {
  return {
    seq: entry.seq,
    installation: entry.installation,
    repository: entry.repository,
    issue: entry.issue,
    title: '',
    label: '',
    openedAt: entry.at,
    requester: undefined,
    requesters: [],
    brief: undefined,
    triggers: [],
    orders: [],
    stop: undefined,
    pausedBy: undefined,
    held: undefined,
    unpublished: undefined,
    runsWithoutPerson: 0,
    unjudged: [],
    unseen: [],
    refused: [],
    seenUpTo: 0,
    run: undefined,
    plan: [],
    ...NOTHING_ASKED,
    ...NOT_PLANNED,
    after: undefined,
    lookedForNext: 0,
    finish: undefined,
    activity: '',
    commits: [],
    pullRequest: undefined,
    closedPullRequests: 0,
    issueClosed: false,
    closedOrNotAt: '',
    closedAt: 0,
    reopenedAt: 0,
    head: undefined,
    moved: false,
    changesAfter: 0,
    chosen: undefined,
    branchWords: undefined,
    ...NOTHING_RUN,
    changedAt: 0,
    destinations: [],
    usage: NO_USAGE,
    cost: { dollars: 0, isPartial: false },
  };
}

/** The session that a whole journal describes. */
export function fold(entries: readonly Entry[]): Session {
  const [first, ...rest] = entries;
  if (first?.type !== 'opened') throw new Error('a journal begins with an `opened` entry');
  return rest.reduce(apply, opened(first));
}

/** The session after one more entry. */
export function apply(session: Session, entry: Entry): Session {
  return { ...session, ...changes(session, entry), seq: entry.seq };
}

function changes(session: Session, entry: Entry): Partial<Session> {
  switch (entry.type) {
    case 'opened':
      return {};
    case 'published':
      return published(session, entry);
    case 'publishing_refused':
      return publishingRefused(session, entry);
    case 'call_started':
      return { activity: entry.title };
    case 'received':
      return received(session, entry);
    case 'admitted':
      return admitted(session, entry);
    case 'refused':
      return refused(session, entry);
    case 'run_started':
    case 'run_prepared':
    case 'run_resumed':
    case 'run_parked':
    case 'run_paused':
    case 'run_ended':
      return ofRun(session, entry);
    case 'held':
      return { held: entry.reason };
    case 'released':
      return { held: undefined };
    case 'input_taken':
      return inputTaken(session, entry);
    case 'question_expired':
      return expired(session, entry);
    case 'next_taken':
      return nextTaken(entry);
    case 'reply':
      return replied(session, entry);
    case 'call_finished':
      return callFinished(session, entry);
    case 'work_kept':
      return affectedBy(session, entry);
    case 'call_output':
    case 'notice':
    case 'protocol_changed':
      return {};
    case 'compacted':
      return spent(session, entry);
    default:
      return entry satisfies never;
  }
}

type RunEntry = EntryOf<
  'run_started' | 'run_prepared' | 'run_resumed' | 'run_parked' | 'run_paused' | 'run_ended'
>;

function ofRun(session: Session, entry: RunEntry): Partial<Session> {
  switch (entry.type) {
    case 'run_started':
      return { ...runStarted(entry), runsWithoutPerson: session.runsWithoutPerson + 1 };
    case 'run_prepared':
      return runPrepared(session, entry);
    case 'run_resumed':
      return runResumed(session, entry);
    case 'run_parked':
      return runParked(session, entry);
    case 'run_paused':
      return runPaused(session);
    case 'run_ended':
      return { run: session.run && runEnded(session.run, entry), ...settled(session, entry) };
    default:
      return entry satisfies never;
  }
}

/** Counted from the first time that it was refused, and anew after anything that may have mended it. */
const publishingRefused = (
  { unpublished }: Session,
  { refusal, at }: EntryOf<'publishing_refused'>,
): Partial<Session> => ({
  unpublished: refusal === null ? undefined : { ...refusal, since: unpublished?.since ?? at },
});

function refused(session: Session, entry: EntryOf<'refused'>): Partial<Session> {
  const unjudged = session.unjudged.filter(({ seq }) => seq !== entry.received);
  // The first of two verdicts counts.
  if (unjudged.length === session.unjudged.length) return {};
  return { unjudged, refused: [...session.refused, entry] };
}

const inputTaken = (session: Session, { upTo }: EntryOf<'input_taken'>): Partial<Session> => ({
  seenUpTo: upTo,
  unseen: session.unseen.filter(({ admittedAt }) => admittedAt > upTo),
  ...NOTHING_ASKED,
  moved: false,
});
