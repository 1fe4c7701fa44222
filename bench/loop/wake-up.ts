// From a webhook to the first request of the model: the shipped service on the local GitHub.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { openStage, type Stage } from '../../packages/local-github/src/stage.ts';
import type { Issue, Repository } from '../../packages/local-github/src/github/state.ts';
import type { Entry } from '../../src/session/entry.ts';
import { openStore } from '../../src/store/open.ts';
import { median } from '../median.ts';
import { now } from './clock.ts';

/** The first one warms the service up and is not counted. */
const ISSUES = 8;
const PATIENCE_MS = 30_000;
/** Between two issues: what the service does after a question is over by then. */
const REST_MS = 400;
/** In the order in which the journal has them; the last part ends with the request itself. */
const MARKS = ['received', 'admitted', 'run_started', 'run_prepared', 'input_read'] as const;

/** Milliseconds. */
export interface WakeUp {
  /** From the label to the arrival of the first request. */
  readonly whole: number;
  /** What each took: from the end of the part before to its entry in the journal. */
  readonly parts: readonly { readonly name: string; readonly took: number }[];
}

interface Times {
  readonly issue: number;
  readonly labelled: number;
  readonly asked: number;
}

/** The medians over several issues, one after the other, on a service that has done one before. */
export async function measureWakeUp(): Promise<WakeUp> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  try {
    const [, ...times] = await playIssues(directory);
    const journals = await journalsIn(path.join(directory, 'data'));
    const parts = times.map((one) => partsOf(one, journals.get(one.issue) ?? []));
    return {
      whole: median(times.map(({ labelled, asked }) => asked - labelled)),
      parts: [...MARKS, 'request'].map((name, index) => ({
        name,
        took: median(parts.map((one) => one[index] ?? Number.NaN)),
      })),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function playIssues(directory: string): Promise<Times[]> {
  const { owner, name, files, maintainer, script } = SAMPLE;
  const stage = await openStage({
    directory,
    owner,
    people: [maintainer],
    scripts: [script],
    environment: { PATH: process.env['PATH'] ?? '' },
  });
  try {
    const collaborators = { [maintainer]: 'admin' } as const;
    const repository = await stage.github.createRepository({ owner, name, files, collaborators });
    await stage.startService();
    const times: Times[] = [];
    while (times.length < ISSUES) times.push(await playIssue(stage, repository));
    return times;
  } finally {
    await stage.close();
  }
}

/** One issue, until the agent's question is posted and the service is idle. */
async function playIssue({ github, model }: Stage, repository: Repository): Promise<Times> {
  const person = github.as(SAMPLE.maintainer);
  const issue = person.openIssue(repository, SAMPLE.issue);
  await pause(REST_MS);
  const asked = model.untilAsked(model.requests.length + 1).then(now);
  const labelled = now();
  person.label({ repository, number: issue.number }, SAMPLE.label);
  await github.waitFor(() => hasQuestion(repository, issue), {
    what: 'the question of the agent',
    timeoutMs: PATIENCE_MS,
  });
  return { issue: issue.number, labelled, asked: await asked };
}

const hasQuestion = ({ comments }: Repository, { number }: Issue): boolean =>
  comments.some(
    ({ issueNumber, author, body }) =>
      issueNumber === number && author.type === 'Bot' && body.includes(':question:'),
  );

/** By the number of the issue. The service has ended, so its database has no other user. */
async function journalsIn(dataDir: string): Promise<Map<number, readonly Entry[]>> {
  const store = await openStore({ dataDir, log: pino({ level: 'error' }) });
  try {
    const sessions = await store.sessions({ limit: ISSUES });
    const journals = sessions.map(
      async ({ id, issue }) => [issue, await store.journal(id)] as const,
    );
    return new Map(await Promise.all(journals));
  } finally {
    await store.close();
  }
}

function partsOf({ labelled, asked }: Times, entries: readonly Entry[]): number[] {
  const marks = MARKS.map((type) =>
    Date.parse(entries.find((entry) => entry.type === type)?.at ?? ''),
  );
  const ends = [labelled, ...marks, asked];
  return ends.slice(1).map((end, index) => end - (ends[index] ?? Number.NaN));
}
