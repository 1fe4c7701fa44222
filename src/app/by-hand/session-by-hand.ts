// A session that a person starts and watches at a terminal. It is the same run as in the service, with another journal,
// and its questions are answered at once or not at all.
import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { sharedNow } from '../../lib/clock.ts';
import { CONTINUE } from '../../agent/prompts/notices.ts';
import type { Effect } from '../../contracts/effect.ts';
import type { StoredImage } from '../../contracts/image.ts';
import type { Intent, SessionOpening, Person } from '../../contracts/intent.ts';
import { Termination, TryLater } from '../../lib/errors.ts';
import type { NewEntry } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';
import { terminationReason } from '../../session/texts/run-ends.ts';
import type { ProcessJournal } from '../../store/process-journal.ts';
import { runSession } from '../run/run.ts';
import { saveStoppedWork } from '../run/save-work.ts';
import type { RunRepository, RunScope, RunService } from '../service/service.ts';
import { JournalTracker } from '../service/journal-tracker.ts';
import { WaitEnded } from '../../github/errors.ts';
import type { IssueState } from '../../github/issues.ts';

/** What a question is answered with; `approved`: the plan that it shows. */
export type AnswerByHand = { readonly text: string } | { readonly approved: true };

type Verdict = Omit<Extract<NewEntry, { type: 'admitted' }>, 'type' | 'received' | 'lineComments'>;

/** What the person says, and what counts of it. */
export interface SaidByHand {
  readonly intent: Intent;
  readonly verdict: Verdict;
  /** To be stored with it. */
  readonly images?: readonly StoredImage[];
}

export interface ByHand {
  readonly service: Omit<RunService, 'store'>;
  readonly journal: ProcessJournal;
  /** The repository. Waits for GitHub end with `until`. */
  readonly repositoryUntil: (until: AbortSignal) => RunRepository;
  readonly opened: SessionOpening;
  /** The id of the session, if it is the same whenever someone works on this by hand. */
  readonly id?: string;
  readonly person: Person;
  /** What is to be done. */
  readonly request: SaidByHand;
  /** What sessions before this one did for the same request. */
  readonly before?: readonly Effect[];
  /** Once a run is done, the next one begins at its work, until one finds nothing to do. */
  readonly isContinuous?: boolean;
  /** `undefined`: nobody answers, and the session ends there. */
  readonly answer: (waiting: Session['waiting']) => Promise<AnswerByHand | undefined>;
  /** Raised when the person stops the work. What was done is saved. */
  readonly stopped: AbortSignal;
}

/** A task in words. */
export function taskOf(task: string): SaidByHand {
  const title = task.split('\n', 1)[0] ?? task;
  const digest = createHash('sha256').update(task).digest('hex');
  return {
    intent: { kind: 'start', label: '', title, body: task },
    verdict: { issue: { title, body: task, digest } },
  };
}

export interface EndedSession {
  readonly session: Session;
  /** What nobody answered. */
  readonly question: string | undefined;
}

/** Resolves with the session as it ended. */
export async function sessionByHand(hand: ByHand): Promise<EndedSession> {
  const { journal, opened, stopped, before = [] } = hand;
  const id = journal.open(opened, hand.id);
  const tracker = await JournalTracker.open(journal, id, await journal.claim(id));
  const ending = new AbortController();
  const stop = async (): Promise<void> => {
    await say(hand, id, STOP);
    ending.abort(new Termination(terminationReason(tracker.session) ?? 'You stopped it.'));
  };
  const onStop = (): void => void stop();
  stopped.addEventListener('abort', onStop, { once: true });
  await say(hand, id, hand.request);
  if (before.length > 0)
    await journal.append(id, [{ type: 'work_saved', run: 0, effects: before }]);
  if (stopped.aborted) await stop();
  await tracker.refresh();
  const { service, repositoryUntil } = hand;
  const { github, saving } = rememberReads(repositoryUntil, ending.signal);
  const scope: RunScope = {
    service: { ...service, store: journal },
    tracker,
    github,
    repositoryUntil: () => saving,
    admit: () => Promise.resolve(),
    signal: ending.signal,
  };
  const question = await runs(hand, scope);
  stopped.removeEventListener('abort', onStop);
  return { session: await tracker.refresh(), question };
}

/** One after another, as long as there are answers, and work if it is continuous. Resolves with what nobody answered. */
async function runs(hand: ByHand, scope: RunScope): Promise<string | undefined> {
  const { tracker, signal } = scope;
  let commits = tracker.session.work.commits.length;
  for (;;) {
    const outcome = await runSession(scope);
    if (outcome.kind === 'deferred') {
      const wait = Math.max(0, outcome.until.getTime() - sharedNow());
      // A stop ends the run that waits, as it would end one that works.
      await pause(wait, undefined, { signal }).catch(() => {});
      continue;
    }
    if (outcome.kind === 'asked') {
      const { waiting } = tracker.session;
      const answer = await hand.answer(waiting);
      if (signal.aborted || answer === undefined) {
        await leave(hand, scope);
        return waiting.question?.text;
      }
      await say(hand, tracker.id, 'approved' in answer ? APPROVE : answered(answer.text));
    } else {
      const { run, work } = tracker.session;
      const hasNew = work.commits.length > commits;
      commits = work.commits.length;
      const isDone = outcome.kind === 'finished' && run?.finish?.outcome === 'done';
      // A run that changed nothing would be followed by the same one again.
      if (hand.isContinuous !== true || !isDone || !hasNew || signal.aborted) return undefined;
      await say(hand, tracker.id, AGAIN);
    }
    await tracker.refresh();
  }
}

/** The changes that wait for an answer are committed, because nobody comes back to this session. */
async function leave(hand: ByHand, scope: RunScope): Promise<void> {
  const { tracker, signal } = scope;
  if (!signal.aborted) await say(hand, tracker.id, STOP);
  await saveStoppedWork(scope);
}

const comment = (body: string): Intent => ({ kind: 'comment', on: 'issue', commentId: 0, body });

const STOP: SaidByHand = {
  intent: comment('stop'),
  verdict: { ask: { for: 'stop', alone: true } },
};
const APPROVE: SaidByHand = {
  intent: comment('approve'),
  verdict: { ask: { for: 'approve', alone: true }, approves: true },
};
const AGAIN: SaidByHand = {
  intent: comment(CONTINUE),
  verdict: { ask: { for: 'new', alone: false }, shown: { body: CONTINUE } },
};
const answered = (text: string): SaidByHand => ({
  intent: comment(text),
  verdict: { shown: { body: text } },
});

/** What the person says counts at once. */
async function say(
  { journal, person, opened: { installation, repository } }: ByHand,
  id: string,
  { intent, verdict, images = [] }: SaidByHand,
): Promise<void> {
  const received = { installation, repository, sender: person, intent, delivery: 'by hand' };
  const [{ seq } = { seq: 0 }] = await journal.append(id, [{ type: 'received', ...received }]);
  const admitted = { type: 'admitted', received: seq, lineComments: [], ...verdict } as const;
  await journal.append(id, [admitted], { images });
}

interface MemoryRepositories {
  readonly github: RunRepository;
  /** For saving the work of a stopped run. What was read is not asked for again, and nothing waits for GitHub. */
  readonly saving: RunRepository;
}

function rememberReads(
  repositoryUntil: (until: AbortSignal) => RunRepository,
  signal: AbortSignal,
): MemoryRepositories {
  const github = repositoryUntil(signal);
  const ended = repositoryUntil(AbortSignal.abort());
  const files = remembered(github.readFile, ended.readFile);
  const owners = remembered(github.ownersFile, ended.ownersFile);
  const states = remembered(github.issueState, (number) =>
    ended.issueState(number).catch((error: unknown) => {
      // Only pull requests of this run are asked for: as far as it knows, they are open.
      if (error instanceof WaitEnded || error instanceof TryLater) return OPEN;
      throw error;
    }),
  );
  return {
    github: {
      ...github,
      readFile: files.read,
      ownersFile: owners.read,
      issueState: states.read,
    },
    saving: {
      ...ended,
      readFile: files.recall,
      ownersFile: owners.recall,
      issueState: states.recall,
    },
  };
}

const OPEN: IssueState = {
  isOpen: true,
  author: '',
  labels: [],
  assignees: [],
  comments: 0,
  fields: [],
  text: {},
};

function remembered<K, T>(read: (key: K) => Promise<T>, ask: (key: K) => Promise<T>) {
  const known = new Map<K, { readonly answer: T }>();
  return {
    read: async (key: K): Promise<T> => {
      const answer = await read(key);
      known.set(key, { answer });
      return answer;
    },
    recall: async (key: K): Promise<T> => {
      const found = known.get(key);
      return found === undefined ? ask(key) : found.answer;
    },
  };
}
