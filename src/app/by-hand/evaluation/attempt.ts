// One model works on one task, hidden tests judge what it did, and what it took is measured.
import type { Person } from '../../../contracts/intent.ts';
import type { Entry } from '../../../session/entry.ts';
import { ProcessJournal } from '../../../store/process-journal.ts';
import { serveFolder } from '../../../workspace/git/folder/folder-server.ts';
import type {
  ChangeSize,
  CommittedFile,
  TaskRepositories,
} from '../../../workspace/git/folder/task-repository.ts';
import { folderOnDisk } from '../folder-on-disk.ts';
import {
  sessionByHand,
  type ByHand,
  type EndedSession,
  type SaidByHand,
} from '../session-by-hand.ts';
import { testsOfCommit, withTodaysSettings, type EvaluationScope, type Task } from './tasks.ts';
import { createHash } from 'node:crypto';
import type { RepositoryByToken } from '../../../github/by-token.ts';
import { earlierComments } from '../../admission/issue-context.ts';
import type { Rules } from '../../admission/settings.ts';
import { mayAsk, type KnownRoles } from '../../admission/who-may.ts';
import { z } from 'zod';
import type { Effect } from '../../../contracts/effect.ts';
import type { Usage } from '../../../contracts/model.ts';
import { dollarsOf } from '../../../session/kept-entries.ts';

export interface AttemptScope extends EvaluationScope {
  readonly repositories: TaskRepositories;
  readonly person: Person;
  readonly answer: ByHand['answer'];
}

/** What is to be done. */
export interface Assignment {
  /** The commit at which the agent begins: it has this one, and nothing of what came later. */
  readonly base: string;
  /** That the agent makes. */
  readonly branch: string;
  readonly request: SaidByHand;
}

export interface EvaluationAttempt {
  readonly model: string;
  /** US dollars that it may cost; `undefined`: the operator's limits hold alone. */
  readonly budget: number | undefined;
  /** Called with what was journaled. Must not throw. */
  readonly heard: (entries: readonly Entry[]) => void;
}

export interface AttemptResult extends EndedSession {
  /** The last one of the agent's branch; `undefined`: it committed nothing. */
  readonly commit: string | undefined;
  readonly measures: Measures;
  readonly size: ChangeSize;
}

export async function attempt(
  { repositories, service, settings, person, answer, stopped }: AttemptScope,
  { base, branch, request }: Assignment,
  { model, budget, heard }: EvaluationAttempt,
): Promise<AttemptResult> {
  const measuring = new RunMeasurement();
  const repository = await repositories.alone(base);
  const folder = { commit: base, base: 'main', branch };
  const server = await serveFolder(repository);
  try {
    const ended = await sessionByHand({
      service: { ...service, operator: limited(service.operator, model, budget) },
      journal: new ProcessJournal((_session, entries) => {
        measuring.hear(entries);
        heard(entries);
      }),
      repositoryUntil: () => withTodaysSettings(folderOnDisk(repository, server, folder), settings),
      opened: {
        installation: 0,
        repository: { id: 0, owner: 'folder', name: repository.name },
        issue: 0,
        folder,
      },
      person,
      request,
      answer,
      stopped,
    });
    const { measures } = measuring;
    const commit = ended.session.work.commits.at(-1)?.sha;
    if (commit !== undefined) await repositories.take(repository, branch, commit);
    const size = await repositories.changeSize(base, commit ?? base);
    return { ...ended, commit, measures, size };
  } finally {
    await server.close();
  }
}

/** Runs the hidden tests, put over what was committed. They fail at the base commit, or it were no task. */
export async function isSolved(
  ground: EvaluationScope,
  repositories: TaskRepositories,
  commit: string | undefined,
  hidden: readonly CommittedFile[],
): Promise<boolean> {
  if (commit === undefined) return false;
  const judged = await repositories.withFiles(commit, hidden);
  return (await testsOfCommit(ground, repositories.all, judged)).isPassed;
}

const limited = (
  operator: EvaluationScope['service']['operator'],
  model: string,
  budget = Infinity,
): EvaluationScope['service']['operator'] => {
  const { dollars, ...limits } = operator.limits;
  const within = (limit: number | undefined): number | undefined => {
    const least = Math.min(limit ?? Infinity, budget);
    return least === Infinity ? undefined : least;
  };
  const run = within(dollars.run);
  const issue = within(dollars.issue);
  const budgets = { run, issue, repositoryDay: undefined };
  return {
    ...operator,
    models: [model],
    onlyModel: model,
    limits: { ...limits, dollars: budgets },
  };
};

// What the agent reads of a closed issue.

interface ReadingScope {
  readonly github: RepositoryByToken;
  readonly rules: Rules;
}

/** What people saw of the issue when the pull request was opened, as far as its authors could have requested the work. */
export async function requestOf(
  { github, rules }: ReadingScope,
  { issue, title, openedAt }: Pick<Task, 'issue' | 'title' | 'openedAt'>,
): Promise<SaidByHand> {
  const { text } = await github.issueState(issue);
  const source = text.body ?? '';
  const shown = await github.shown({ on: 'issue', number: issue }, source, text);
  const body = `${title}\n\n${shown.body}`.trimEnd();
  const permissions: KnownRoles = new Map();
  const before = {
    commentsAsOf: async (number: number, at: string) =>
      (await github.commentsAsOf(number, at)).filter(({ writtenAt }) => writtenAt < at),
  };
  const comments = await earlierComments(
    before,
    { issue, at: openedAt, except: new Set() },
    (author) => mayAsk(github, author, rules.who, permissions),
  );
  const earlier = comments.map(({ id, author, body: said }) => ({ id, author, body: said }));
  const digest = createHash('sha256').update(`${title}\n${source}`).digest('hex');
  return {
    intent: { kind: 'start', label: '', title, body },
    verdict: {
      issue: { title, body, digest },
      ...(earlier.length === 0 ? {} : { earlier }),
    },
  };
}

// What an attempt took, computed from what was journaled.

/** As it is written to files of results. */
export const measuresSchema = z.object({
  /** Replies of the model that continue the conversation. */
  turns: z.number(),
  /** All replies, those of reviews and summaries too. */
  replies: z.number(),
  calls: z.number(),
  /** Calls that did not do what they say; a command that ran did, whatever its exit code. */
  failedCalls: z.number(),
  /** Tokens of all requests; `cached` of them were read from the provider's cache. */
  input: z.number(),
  cached: z.number(),
  /** Tokens of all replies. */
  output: z.number(),
  /** US dollars, as far as prices are known. */
  dollars: z.number(),
  /** Some reply has no known price. */
  isPartial: z.boolean(),
  minutes: z.number(),
  /** Without the time of the model and that of commands. */
  harnessSeconds: z.number(),
  /** From the start to the first request to the model. */
  startSeconds: z.number(),
});
export type Measures = z.output<typeof measuresSchema>;

/** Hears what is journaled from its making on. */
export class RunMeasurement {
  readonly #began = performance.now();
  #counts = { turns: 0, replies: 0, calls: 0, failedCalls: 0, input: 0, cached: 0, output: 0 };
  #dollars = 0;
  #isPartial = false;
  #modelMs = 0;
  #commandMs = 0;
  #startMs: number | undefined;

  hear(entries: readonly Entry[]): void {
    for (const entry of entries) this.#hear(entry);
  }

  #hear(entry: Entry): void {
    this.#dollars += dollarsOf(entry) ?? 0;
    if (entry.type === 'reply') {
      this.#counts.turns += 1;
      this.#counts.calls += entry.calls.length;
      this.#startMs ??= performance.now() - this.#began - entry.durationMs;
      this.#hearReply(entry);
    } else if (entry.type === 'compacted' && entry.summary !== null) this.#hearReply(entry);
    else if (entry.type === 'call_finished') {
      const { ok, effects } = entry;
      const ranCommand = effects.some(({ type }) => type === 'command' || type === 'tests');
      if (!ok && !ranCommand) this.#counts.failedCalls += 1;
      for (const effect of effects) {
        if (isReply(effect)) this.#hearReply(effect);
        if ('command' in effect && 'durationMs' in effect) this.#commandMs += effect.durationMs;
      }
    }
  }

  #hearReply({ usage, cost, durationMs = 0 }: PaidRequest): void {
    this.#counts.replies += 1;
    this.#counts.input += usage.input;
    this.#counts.cached += usage.cached;
    this.#counts.output += usage.output;
    this.#isPartial ||= cost === null;
    this.#modelMs += durationMs;
  }

  /** Up to now. */
  get measures(): Measures {
    const passed = performance.now() - this.#began;
    return {
      ...this.#counts,
      dollars: this.#dollars,
      isPartial: this.#isPartial,
      minutes: passed / 60_000,
      harnessSeconds: (passed - this.#modelMs - this.#commandMs) / 1000,
      startSeconds: (this.#startMs ?? passed) / 1000,
    };
  }
}

interface PaidRequest {
  readonly usage: Usage;
  readonly cost: number | null;
  readonly durationMs?: number;
}

/** A review that is taken over to a commit, and what an embedding server got, are no replies. */
const isReply = (effect: Effect): effect is Effect & PaidRequest =>
  'usage' in effect && 'cost' in effect && effect.usage.output > 0;
