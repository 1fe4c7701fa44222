// Our loop as the service runs it: all its tools, and every entry durable in the embedded
// PostgreSQL before the next step. The time that the database takes is told apart.
import { randomInt, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { converse } from '../../src/app/run/converse.ts';
import { JournalTracker } from '../../src/app/service/journal-tracker.ts';
import { PauseWatch } from '../../src/app/service/pause-watch.ts';
import type { RunContext } from '../../src/app/service/service.ts';
import type { RunPlan } from '../../src/app/run/plan.ts';
import { readAgent } from '../../src/config/agent.ts';
import type { GitHubRepository } from '../../src/github/repository.ts';
import { createRedactor } from '../../src/lib/redact.ts';
import { Turns } from '../../src/lib/turns.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { GitThreads } from '../../src/workspace/git/threads.ts';
import { makePlace } from '../../src/workspace/search/place.ts';
import { WorkspaceSearch } from '../../src/workspace/search/search.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { contend, cpuUsed, type Aside } from './contend.ts';
import { JournalTime } from './journal-time.ts';
import { openOurModel, OUR_MODEL } from './our-model.ts';
import { PROMPT, SECRETS, type Task } from './task.ts';

const log = pino({ level: 'error' });
/** All that this task asks of GitHub: whether there are files with instructions. There are none. */
const GITHUB = {
  readFile: () => Promise.resolve(undefined),
  ownersFile: () => Promise.resolve(undefined),
} as Partial<GitHubRepository> as GitHubRepository;
const NOBODY = { name: 'Issuewright', email: 'issuewright@example.com' };

/** A session that was asked for, admitted and claimed, whose first run has begun. */
async function openSession(store: Store): Promise<JournalTracker> {
  const accepted = await store.accept(
    {
      installation: 1,
      repository: { id: randomInt(2 ** 40), owner: 'example', name: 'bench' },
      thread: { on: 'issue', number: 1 },
      sender: { login: 'octo-maintainer', id: 1 },
      meaning: randomUUID(),
      intent: { kind: 'start', label: 'issuewright', title: 'Write files', body: PROMPT },
    },
    { id: randomUUID(), event: 'issues' },
  );
  if (accepted.outcome !== 'accepted') throw new Error(`the arrival was ${accepted.outcome}`);
  const claim = await store.claim(accepted.session);
  const tracker = await JournalTracker.open(store, accepted.session, claim);
  for (const { seq } of tracker.session.unjudged) {
    await tracker.append({ type: 'admitted', received: seq, lineComments: [] });
  }
  await tracker.append({ type: 'run_started', run: 1 });
  return tracker;
}

/** The defaults of the service, but for what would end or shorten a long conversation. */
function operatorFor(turns: number): RunContext['operator'] {
  const agent = readAgent(
    {
      AGENT_MAX_ITERATIONS: String(2 * turns),
      // No peer compacts here: all of them send the whole conversation.
      COMPACT_ENABLED: 'false',
      AGENT_MAX_MESSAGES: '10000',
    },
    [],
  );
  if (agent === undefined) throw new Error('the settings of the bench are wrong');
  return { models: [OUR_MODEL], ...agent };
}

/** What a run has where its repository says nothing of tools. */
const USUAL_TOOLS = new Set(
  TOOLS.filter(({ offer, safety }) => offer !== 'on request' && safety === 'safe').map(
    ({ name }) => name,
  ),
);

function planOf({ limits, protocol, instructionFiles }: RunContext['operator']): RunPlan {
  return {
    model: OUR_MODEL,
    mode: 'agent',
    protocol,
    limits: {
      turns: limits.turns,
      wallTimeMs: limits.minutes * 60_000,
      tokens: limits.runTokens,
      dollars: limits.dollars,
      faults: 3,
      outputTokens: limits.outputTokens,
    },
    tools: USUAL_TOOLS,
    commands: { allow: undefined, test: undefined, setup: [] },
    paths: {},
    instructionFiles,
    guidance: '',
    warnings: [],
    planFirst: false,
    continuous: false,
    questionTimeout: undefined,
    base: { branch: 'issuewright/1', baseBranch: 'main', commit: '0'.repeat(40) },
    destination: { baseBranch: 'main', draft: false, reviewers: [] },
    trailers: [],
    changes: [],
    prepared: undefined,
  };
}

/** Contained files as the service has them. All that this task asks of git: there is nothing to commit. */
function workspaceIn(directory: string): Workspace {
  const files = new WorkspaceFiles(directory);
  const git: Partial<Workspace['git']> = { commit: () => Promise.resolve(undefined) };
  const workspace: Omit<Workspace, 'commands'> = {
    files,
    search: new WorkspaceSearch(makePlace(directory)),
    git: git as Workspace['git'],
    drain: () => files.drain(),
    close: () => Promise.resolve(),
  };
  return workspace as Workspace;
}

async function run({ baseUrl, turns, directory, dataDir }: Task): Promise<Aside> {
  const before = { time: performance.now(), cpu: cpuUsed() };
  const opened = await openStore({ dataDir, log });
  const time = new JournalTime();
  const store = time.timing(opened);
  const tracker = await openSession(store);
  const aside = { prepared: performance.now() - before.time, preparedCpu: cpuUsed() - before.cpu };
  const operator = operatorFor(turns);
  const context: RunContext = {
    store,
    operator,
    openModel: async () => time.countingTurns(await openOurModel(baseUrl)),
    author: () => Promise.resolve(NOBODY),
    judging: new Turns(),
    pageUrl: () => undefined,
    threads: new GitThreads(),
    pause: new PauseWatch(store),
    redact: createRedactor(SECRETS).redact,
    log,
    tracker,
    github: GITHUB,
    signal: new AbortController().signal,
  };
  const end = await converse(context, planOf(operator), workspaceIn(directory));
  if (end.kind !== 'finished') throw new Error(`the run ended: ${JSON.stringify(end)}`);
  const report = { ...aside, journal: time.perTurn.slice(0, turns) };
  await opened.close();
  return report;
}

await contend(run);
