import type { Entry, EntryOf, Usage } from './entry.ts';
import type { RunInfo, Session } from './session.ts';

/** The key under which a question's comment is published. */
export const questionKey = (seq: number): string => `question:${seq}`;

const NO_USAGE: Usage = { input: 0, cached: 0, output: 0, reasoning: 0 };

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
    head: undefined,
    moved: false,
    changesAfter: 0,
    usage: NO_USAGE,
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
    case 'received':
      return received(session, entry);
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
      return { run: session.run && { ...session.run, resumed: session.run.resumed + 1 } };
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
      return entry.effects.reduce<Partial<Session>>(
        (sum, effect) => ({ ...sum, ...affected({ ...session, ...sum }, effect, entry.seq) }),
        {},
      );
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
  if (intent.kind === 'issue_closed') return { issueClosed: true };
  if (intent.kind !== 'pull_request_closed') {
    return { unjudged: [...session.unjudged, { seq, sender, intent }] };
  }
  const { pullRequest } = session;
  if (pullRequest?.number !== intent.pullRequest || pullRequest.state !== 'open') return {};
  return {
    pullRequest: { ...pullRequest, state: intent.merged ? 'merged' : 'closed' },
    closedPullRequests: session.closedPullRequests + 1,
    head: undefined,
    changesAfter: seq,
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
  const over = session.pullRequest !== undefined && session.pullRequest.state !== 'open';
  return {
    unseen,
    unjudged,
    title: found.intent.title,
    label: found.intent.label,
    requester: found.sender,
    issueClosed: false,
    ...(over ? { pullRequest: undefined, commits: [], plan: [] } : {}),
  };
}

function runStarted(entry: EntryOf<'run_started'>): Partial<Session> {
  return {
    run: {
      number: entry.run,
      model: '',
      branch: '',
      baseBranch: '',
      baseCommit: '',
      startedAt: entry.at,
      turns: 0,
      resumed: 0,
      end: undefined,
      endedAt: undefined,
      endSeq: undefined,
    },
    finish: undefined,
    activity: 'Cloning the repository',
  };
}

/** File changes belong to the commit that they were made on: on another one they are void. */
function runPrepared(session: Session, entry: EntryOf<'run_prepared'>): Partial<Session> {
  const { model, branch, baseBranch, baseCommit } = entry;
  return {
    run: session.run && { ...session.run, model, branch, baseBranch, baseCommit },
    head: baseCommit,
    ...(baseCommit === session.head
      ? {}
      : { changesAfter: entry.seq, moved: session.seenUpTo > 0 }),
  };
}

const runEnded = (run: RunInfo, { end, at, seq }: EntryOf<'run_ended'>): RunInfo => ({
  ...run,
  end,
  endedAt: at,
  endSeq: seq,
});

function replied(session: Session, entry: EntryOf<'reply'>): Partial<Session> {
  const { usage } = session;
  return {
    run: session.run && { ...session.run, turns: session.run.turns + 1 },
    usage: {
      input: usage.input + entry.usage.input,
      cached: usage.cached + entry.usage.cached,
      output: usage.output + entry.usage.output,
      reasoning: usage.reasoning + entry.usage.reasoning,
    },
  };
}

type Effects = EntryOf<'call_finished'>['effects'];

function affected(session: Session, effect: Effects[number], seq: number): Partial<Session> {
  switch (effect.type) {
    case 'plan':
      return { plan: effect.items };
    case 'question':
      return { question: { seq, text: effect.text, url: undefined } };
    case 'commit': {
      const { sha, message, files } = effect;
      return {
        commits: [...session.commits, { sha, message, files }],
        head: sha,
        changesAfter: seq,
      };
    }
    case 'pull_request': {
      const { number, url, title, said } = effect;
      return { pullRequest: { number, url, title, said, state: 'open' } };
    }
    case 'finish':
      return { finish: { outcome: effect.outcome, summary: effect.summary } };
    default:
      return effect satisfies never;
  }
}
