// A session of ours as the benches run it: asked for, planned, and over files of its own.
import { randomInt, randomUUID } from 'node:crypto';
import type { RunWork } from '../../src/app/run/work.ts';
import { JournalTracker } from '../../src/app/service/journal-tracker.ts';
import type { Operator } from '../../src/app/service/service.ts';
import type { RunPlan } from '../../src/app/run/plan/plan.ts';
import { readAgent } from '../../src/config/agent.ts';
import { ConfigError, type ConfigFault } from '../../src/config/faults.ts';
import type { Store } from '../../src/store/store.ts';
import { bindTools, TOOLS } from '../../src/tools/index.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { makePlace } from '../../src/workspace/search/walk.ts';
import { WorkspaceSearch } from '../../src/workspace/search/search.ts';
import { fakeCommands } from '../../test/support/fakes/fake-commands.ts';
import { fakeForge } from '../../test/support/fakes/fake-forge.ts';
import { fakeGit } from '../../test/support/fakes/fake-git.ts';
import { fakeMemories } from '../../test/support/fakes/fake-memories.ts';
import { NO_SECRETS } from '../../test/support/fakes/no-secrets.ts';
import { OUR_MODEL } from './our-model.ts';
import { PROMPT } from './task.ts';

/** A session that was asked for, admitted and claimed, whose first run has begun. */
export async function openSession(store: Store): Promise<JournalTracker> {
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

/** The defaults of the service, with these variables of an operator. */
export function operatorWith(variables: Readonly<Record<string, string>>): Operator {
  const faults: ConfigFault[] = [];
  const agent = readAgent(variables, faults);
  if (agent === undefined) throw new ConfigError(faults);
  return { models: [OUR_MODEL], reviewModel: undefined, areImagesSeen: false, ...agent };
}

/** The tools of a run if the repository's settings do not mention tools. */
const USUAL_TOOLS = new Set(
  TOOLS.filter(({ offer, safety }) => offer !== 'on request' && safety === 'safe').map(
    ({ name }) => name,
  ),
);

const NO_COMMANDS: RunPlan['commands'] = {
  allow: undefined,
  test: undefined,
  setup: [],
  timeout: undefined,
  environment: {},
};

/** One run by this operator. */
export function planOf({ limits, protocol, instructionFiles }: Operator): RunPlan {
  return {
    model: OUR_MODEL,
    effort: undefined,
    fallbackAfterMs: undefined,
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
    cache: undefined,
    commands: NO_COMMANDS,
    image: undefined,
    shells: undefined,
    paths: {},
    sparse: undefined,
    instructionFiles,
    guidance: '',
    warnings: [],
    isReview: false,
    isSplit: false,
    reviewPaths: undefined,
    reviewVerdicts: 'comment',
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
export async function workIn(directory: string): Promise<RunWork> {
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
      secrets: NO_SECRETS,
      patches: { offer: () => Promise.resolve(undefined) },
    }).filter(({ name }) => USUAL_TOOLS.has(name)),
    git,
    secrets: NO_SECRETS,
    merge: undefined,
    mayChange: () => true,
    onlyLooks: false,
    isOutdated: () => false,
    serverTools: [],
    warnings: [],
    skills: '',
    notices: () => Promise.resolve([]),
    listFiles: () => Promise.resolve(''),
    takeSuggestions: () => Promise.resolve(),
    progress: () => {},
    settleOutput: () => Promise.resolve(),
    drain: async () => files.changes.drain(),
    save: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
