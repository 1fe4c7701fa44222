import type { Entry, EntryOf, Usage } from './entry.ts';
import type { Intent } from './intent.ts';
import {
  affectedBy,
  replied,
  runEnded,
  runParked,
  runPrepared,
  runResumed,
  runStarted,
  spent,
} from './fold-run.ts';
import type { Session } from './session.ts';

/** The key under which a question's comment is published. */
export const questionKey = (seq: number): string => `question:${seq}`;

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
    unjudged: [],
    unseen: [],
    refused: [],
    seenUpTo: 0,
    run: undefined,
    plan: [],
    question: undefined,
    finish: undefined,
    activity: '',
    commits: [],
    pullRequest: undefined,
    closedPullRequests: 0,
    issueClosed: false,
    closedAt: 0,
    head: undefined,
    moved: false,
    changesAfter: 0,
    chosen: undefined,
    branchWords: undefined,
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
    case 'call_started':
      return { activity: entry.title };
    case 'received': {
      const { installation, repository } = entry;
      return { installation, repository, ...received(session, entry) };
    }
    case 'admitted':
      return admitted(session, entry);
    case 'refused':
      return {
        unjudged: session.unjudged.filter(({ seq }) => seq !== entry.received),
        refused: [...session.refused, entry],
      };
    case 'run_started':
      return runStarted(entry);
    case 'run_prepared':
      return runPrepared(session, entry);
    case 'run_resumed':
      return runResumed(session);
    case 'run_parked':
      return runParked(session, entry);
    case 'input_taken':
      return {
        seenUpTo: entry.upTo,
        unseen: session.unseen.filter(({ admittedAt }) => admittedAt > entry.upTo),
        question: undefined,
        moved: false,
      };
    case 'reply':
      return replied(session, entry);
    case 'call_finished':
    case 'work_kept':
      return affectedBy(session, entry);
    case 'notice':
    case 'protocol_changed':
      return {};
    case 'compacted':
      return spent(session, entry);
    case 'run_ended':
      return { run: session.run && runEnded(session.run, entry) };
    default:
      return entry satisfies never;
  }
}

function published({ question }: Session, entry: EntryOf<'published'>): Partial<Session> {
  if (question === undefined || entry.key !== questionKey(question.seq)) return {};
  return { question: { ...question, url: entry.url } };
}

/** What happened to the issue or its pull request is a fact and needs nobody's permission. */
function received(session: Session, entry: EntryOf<'received'>): Partial<Session> {
  const { seq, sender, intent } = entry;
  switch (intent.kind) {
    case 'issue_closed':
      return { issueClosed: true, closedAt: seq };
    case 'pull_request_closed':
      return pullRequestClosed(session, seq, intent);
    case 'pull_request_reopened':
      return pullRequestReopened(session, intent);
    case 'start':
    case 'comment':
    case 'review':
      return { unjudged: [...session.unjudged, { seq, sender, intent }] };
    default:
      return intent satisfies never;
  }
}

type IntentOf<Kind extends Intent['kind']> = Extract<Intent, { kind: Kind }>;

function pullRequestClosed(
  { pullRequest, closedPullRequests }: Session,
  seq: number,
  intent: IntentOf<'pull_request_closed'>,
): Partial<Session> {
  if (pullRequest?.number !== intent.pullRequest || pullRequest.state === 'merged') return {};
  return {
    pullRequest: { ...pullRequest, state: intent.merged ? 'merged' : 'closed' },
    closedAt: seq,
    closedPullRequests: closedPullRequests + (pullRequest.state === 'open' ? 1 : 0),
    head: undefined,
    changesAfter: seq,
  };
}

function pullRequestReopened(
  { pullRequest, closedPullRequests }: Session,
  intent: IntentOf<'pull_request_reopened'>,
): Partial<Session> {
  if (pullRequest?.number !== intent.pullRequest || pullRequest.state !== 'closed') return {};
  return {
    pullRequest: { ...pullRequest, state: 'open' },
    closedPullRequests: closedPullRequests - 1,
  };
}

function admitted(session: Session, entry: EntryOf<'admitted'>): Partial<Session> {
  const found = session.unjudged.find(({ seq }) => seq === entry.received);
  if (found === undefined) return {};
  const unseen = [
    ...session.unseen,
    { ...found, admittedAt: entry.seq, lineComments: entry.lineComments },
  ];
  const unjudged = session.unjudged.filter((other) => other !== found);
  if (found.intent.kind !== 'start') return { unseen, unjudged };
  const asked = {
    unseen,
    unjudged,
    title: found.intent.title,
    label: found.intent.label,
    requester: found.sender,
  };
  // What was closed after the label was added stays closed, however late the label is judged.
  if (found.seq < session.closedAt) return asked;
  const over = session.pullRequest !== undefined && session.pullRequest.state !== 'open';
  return {
    ...asked,
    issueClosed: false,
    ...(over ? { pullRequest: undefined, commits: [], plan: [] } : {}),
  };
}
