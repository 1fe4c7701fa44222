import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PERMISSIONS } from '../../packages/local-github/src/github/local-github.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { openStage, type Stage } from '../../packages/local-github/src/stage.ts';
import { playStory } from '../../packages/local-github/src/story.ts';
import { countsOf, type Counts } from './counts.ts';
import { GREETING, playGreeting } from './greeting.ts';

const TURN_MS = 4_000;
const PATIENCE_MS = 5 * 60_000;
/** What a story leads to is over when no request came for so long. */
const QUIET_MS = 8_000;

interface Told {
  readonly script: Script;
  readonly files: Record<string, string>;
  readonly play: (stage: Stage, repository: Repository) => Promise<unknown>;
}

type Repository = Awaited<ReturnType<Stage['github']['createRepository']>>;

const STORIES: ReadonlyMap<string, Told> = new Map([
  [
    'demo',
    {
      script: SAMPLE.script,
      files: SAMPLE.files,
      play: ({ github }, repository) =>
        playStory({
          github,
          repository,
          tale: SAMPLE,
          maintainer: SAMPLE.maintainer,
          interactive: false,
          patienceMs: PATIENCE_MS,
          tell: () => {},
        }),
    },
  ],
  [
    'question, review, failing check, conflict',
    {
      script: GREETING.script,
      files: GREETING.files,
      play: ({ github }, repository) =>
        playGreeting({ github, repository, maintainer: SAMPLE.maintainer }, PATIENCE_MS),
    },
  ],
]);

/**
 * What one session asks of GitHub and writes there, counted by the local GitHub. The argument of the command says how many
 * milliseconds the model takes for a turn.
 */
export async function benchWrites(): Promise<string> {
  const turnMs = Number(process.argv[3] ?? TURN_MS);
  const columns: [string, Counts][] = [];
  for (const [name, told] of STORIES) columns.push([name, await counted(told, turnMs)]);
  return [`A model that takes ${turnMs / 1000} s a turn.`, '', ...table(columns)].join('\n');
}

async function counted(told: Told, turnMs: number): Promise<Counts> {
  const directory = await mkdtemp(path.join(tmpdir(), 'issuewright-bench-'));
  const turns = told.script.turns.map((turn) => ({ ...turn, delay_ms: turnMs }));
  const stage = await openStage({
    directory,
    owner: SAMPLE.owner,
    people: [SAMPLE.maintainer],
    scripts: [{ ...told.script, turns }],
    permissions: { ...PERMISSIONS, checks: 'write', statuses: 'read', actions: 'read' },
    events: ['check_run', 'check_suite', 'status', 'workflow_run'],
    environment: { PATH: process.env['PATH'] ?? '', CONTENT_LIMITS: 'github' },
  });
  try {
    const repository = await stage.github.createRepository({
      owner: SAMPLE.owner,
      name: SAMPLE.name,
      files: told.files,
      collaborators: { [SAMPLE.maintainer]: 'admin' },
    });
    await stage.startService();
    await told.play(stage, repository);
    await untilQuiet(stage);
    return countsOf(stage.github.requests);
  } catch (error) {
    throw new Error(`the story did not end\n${stage.log().slice(-6_000)}`, { cause: error });
  } finally {
    await stage.close();
    await rm(directory, { recursive: true, force: true });
  }
}

async function untilQuiet({ github }: Stage): Promise<void> {
  for (let before = -1; before !== github.requests.length; await pause(QUIET_MS))
    before = github.requests.length;
}

function* table(columns: readonly (readonly [string, Counts])[]): Generator<string> {
  yield `|  | ${columns.map(([name]) => name).join(' | ')} |`;
  yield `| --- |${columns.map(() => ' --- |').join('')}`;
  const names = new Set(columns.flatMap(([, counts]) => [...counts.keys()]));
  for (const name of names)
    yield `| ${[name, ...columns.map(([, counts]) => counts.get(name) ?? 0)].join(' | ')} |`;
}
