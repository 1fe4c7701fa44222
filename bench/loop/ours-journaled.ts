// Our loop as the service runs it: all its tools, and every entry durable in the embedded
// PostgreSQL before the next step. The time that the database takes is measured separately.
import { randomInt, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { perform } from '../../src/app/run/perform.ts';
import { prepareRun } from '../../src/app/run/prepare.ts';
import type { Work } from '../../src/app/run/work.ts';
import { JournalTracker } from '../../src/app/service/journal-tracker.ts';
import { PauseWatch } from '../../src/app/service/pause-watch.ts';
import type { Operator } from '../../src/app/service/service.ts';
import type { RunPlan } from '../../src/app/run/plan/plan.ts';
import { readAgent } from '../../src/config/agent.ts';
import { createRedactor } from '../../src/lib/redact.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { bindTools, TOOLS } from '../../src/tools/index.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { makePlace } from '../../src/workspace/search/place.ts';
import { WorkspaceSearch } from '../../src/workspace/search/search.ts';
import { fakeCommands } from '../../test/support/fake-commands.ts';
import { fakeForge } from '../../test/support/fake-forge.ts';
import { fakeGit } from '../../test/support/fake-git.ts';
import { fakeMemories } from '../../test/support/fake-memories.ts';
import { contend, cpuUsed, type Aside } from './contend.ts';
import { JournalTime } from './journal-time.ts';
import { openOurModel, OUR_MODEL } from './our-model.ts';
import { PROMPT, SECRETS, type Task } from './task.ts';

const log = pino({ level: 'error' });
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
  for (const { seq } of tracker.session.requests.awaitingAdmission) {
    await tracker.append({ type: 'admitted', received: seq, lineComments: [] });
  }
  await tracker.append({ type: 'run_started', run: 1 });
  return tracker;
}

/** The defaults of the service, but for what would end or shorten a long conversation. */
function operatorFor(turns: number): Operator {
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
  return { models: [OUR_MODEL], reviewModel: undefined, areImagesSeen: false, ...agent };
}

/** The tools of a run if the repository's settings do not mention tools. */
const USUAL_TOOLS = new Set(
  TOOLS.filter(({ offer, safety }) => offer !== 'on request' && safety === 'safe').map(
    ({ name }) => name,
  ),
);

function planOf({ limits, protocol, instructionFiles }: Operator): RunPlan {
  return {
    model: OUR_MODEL,
    mode: 'agent',
    // No peer has one.
    reviewModel: undefined,
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
    servers: { servers: [], isWanted: () => false },
    commands: {
      allow: undefined,
      test: undefined,
      setup: [],
      timeout: undefined,
      environment: {},
    },
    shells: undefined,
    paths: {},
    instructionFiles,
    guidance: '',
    warnings: [],
    planFirst: false,
    continuous: false,
    reviews: { rounds: 10, resolvesThreads: false },
    who: 'write',
    questionTimeout: undefined,
    duplicates: 'off',
    base: { branch: 'issuewright/1', baseBranch: 'main', commit: '0'.repeat(40) },
    destination: { baseBranch: 'main', draft: false, reviewers: [] },
    publish: 'push',
    trailers: [],
    changes: [],
    prepared: undefined,
  };
}

/** All tools over contained files; what this task does not use, git and GitHub, is in memory. */
async function workIn(directory: string): Promise<Work> {
  const files = new WorkspaceFiles(directory);
  const git = await fakeGit(files);
  const { forge, work } = fakeForge(git);
  const search = new WorkspaceSearch(makePlace(directory));
  const commands = fakeCommands(directory);
  const memories = fakeMemories();
  const skills = { read: () => '' };
  const reviewer = { review: () => Promise.resolve(undefined) };
  return {
    tools: bindTools({
      files,
      search,
      git,
      forge,
      work,
      commands,
      memories,
      skills,
      reviewer,
      patches: { offer: () => Promise.resolve(undefined) },
    }).filter(({ name }) => USUAL_TOOLS.has(name)),
    git,
    merge: undefined,
    mayChange: () => true,
    serverTools: [],
    warnings: [],
    skills: '',
    notices: () => Promise.resolve([]),
    takeSuggestions: () => Promise.resolve(),
    progress: () => {},
    settleOutput: () => Promise.resolve(),
    drain: () => files.drain(),
    save: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

async function run({ baseUrl, turns, directory, dataDir }: Task): Promise<Aside> {
  const before = { time: performance.now(), cpu: cpuUsed() };
  const opened = await openStore({ dataDir, log });
  const time = new JournalTime();
  const store = time.timing(opened);
  const tracker = await openSession(store);
  const aside = { prepared: performance.now() - before.time, preparedCpu: cpuUsed() - before.cpu };
  const operator = operatorFor(turns);
  const scope = {
    tracker,
    // Nothing comes in while it works.
    admit: () => Promise.resolve(),
    signal: new AbortController().signal,
    github: { permissionOf: async () => 'admin' as const },
    service: {
      store,
      operator,
      openModel: async () => time.countingTurns(await openOurModel(baseUrl)),
      pause: new PauseWatch(store),
      allowedBots: [],
      redact: createRedactor(SECRETS).redact,
      log,
    },
  };
  const work = await workIn(directory);
  const end = await perform(scope, await prepareRun(scope, planOf(operator), work), work);
  if (end.kind !== 'finished') throw new Error(`the run ended: ${JSON.stringify(end)}`);
  const report = { ...aside, journal: time.perTurn.slice(0, turns) };
  await opened.close();
  return report;
}

await contend(run);
