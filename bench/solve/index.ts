// Tasks with hidden tests, solved by our agent or a peer, with any model: how many, and at what price.
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { attempt } from '../../src/app/by-hand/evaluation/attempt.ts';
import { taskOf } from '../../src/app/by-hand/session-by-hand.ts';
import { ResultLines } from '../../src/commands/evaluate/results-file.ts';
import { openHandContext, type HandContext } from '../../src/commands/hand-context.ts';
import { answersFrom } from '../../src/commands/run/answers.ts';
import { outcomeByHand } from '../../src/commands/run/result.ts';
import { ConfigError, readByHand, secretsByHand, type Environment } from '../../src/config.ts';
import { createRedactor } from '../../src/lib/text/redact.ts';
import { HandPlayedModel } from '../../packages/local-github/src/model/hand-played-model.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { TaskGround } from './judge.ts';
import { PEERS, type Peer } from './peers/index.ts';
import { installPeer, runPeer } from './peers/run-peer.ts';
import { PREPARED } from './prepare.ts';
import { isRowOf, Row, tableOf, type Done } from './rows.ts';
import { readTasks, type Task } from './task.ts';
import { codeOf, messageOf, TellPerson } from '../../src/lib/errors.ts';

const OPTIONS = {
  tasks: { type: 'string', default: path.join(import.meta.dirname, 'tasks') },
  hand: { type: 'string' },
  with: { type: 'string', default: 'issuewright' },
  played: { type: 'string' },
  attempts: { type: 'string', default: '1' },
  work: { type: 'string', default: 'data/solve' },
  out: { type: 'string' },
  check: { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
} as const;

const PLAIN_TERMINAL = { columns: undefined, paint: (_style: string, text: string) => text };
const STOPPING = ['Stopping: the unfinished task is dropped. To continue, run the same command.'];

/** Resolves with the table. Words: those of bench/solve/README.md. @throws {TellPerson} */
export async function benchSolve(): Promise<string> {
  try {
    return await solveTasks(process.argv.slice(3));
  } catch (error) {
    if (codeOf(error)?.startsWith('ERR_PARSE_ARGS_') === true)
      throw new TellPerson(messageOf(error));
    if (!(error instanceof ConfigError)) throw error;
    const faults = error.faults.map(({ name, fault }) => `  ${name}  ${fault}`);
    throw new TellPerson(
      `These settings are missing or invalid. Set them in the environment:\n${faults.join('\n')}`,
    );
  }
}

async function solveTasks(args: string[]): Promise<string> {
  const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
  const work = path.resolve(values.work);
  const tasks = readTasks(values.tasks, positionals);
  if (values.list)
    return tasks.map(({ id, language, licence }) => `${id} (${language}, ${licence})`).join('\n');
  mkdirSync(path.join(work, PREPARED), { recursive: true });
  if (values.check) return checkTasks(tasks, work);
  const attempts = Number(values.attempts);
  if (!Number.isInteger(attempts) || attempts < 1)
    throw new TellPerson('--attempts must be a whole number from 1.');
  const peer = peerOf(values.with, values.hand);
  const hand = values.hand === undefined ? undefined : await HandPlay.start(values.hand);
  try {
    const { out = path.join(work, 'results.jsonl') } = values;
    const lines = await ResultLines.open(out, Row);
    try {
      const played = values.played ?? (hand === undefined ? 'the API' : 'by hand');
      await new Solving({ tasks, attempts, work, played, peer, hand, lines }).run();
      return `${tableOf(lines.all)}\n\nThe rows are in ${out}.`;
    } finally {
      await lines.close();
    }
  } finally {
    await hand?.close();
  }
}

function peerOf(name: string, hand: string | undefined): Peer | undefined {
  if (name === 'issuewright') return undefined;
  const peer = PEERS.find((one) => one.name === name);
  if (peer === undefined)
    throw new TellPerson(
      `There is no harness "${name}". These are known: issuewright, ${PEERS.map((one) => one.name).join(', ')}`,
    );
  if (hand === undefined)
    throw new TellPerson('A peer is measured at the model server, so it takes --hand DIR.');
  return peer;
}

/** Without a model: whether the tasks are tasks. */
async function checkTasks(tasks: readonly Task[], work: string): Promise<string> {
  const context = await openContext(work, { MODEL: 'openai:none', OPENAI_API_KEY: 'none' });
  let proven = 0;
  try {
    for (const task of tasks) {
      const ground = await TaskGround.open(task, work, context);
      const { isProven, words } = await proveTask(ground);
      context.stopped.throwIfAborted();
      if (isProven) proven += 1;
      context.progress.say(`${task.id}: ${isProven ? 'proven' : 'NOT PROVEN'}; ${words}`);
    }
    return `${proven} of ${tasks.length} proven`;
  } finally {
    await context.close();
  }
}

async function proveTask(ground: TaskGround): ReturnType<TaskGround['prove']> {
  try {
    return await ground.prove();
  } finally {
    await ground.close();
  }
}

async function openContext(work: string, more: Environment): Promise<HandContext> {
  const { SANDBOX_READ_PATHS = '' } = process.env;
  const config = readByHand({
    ...process.env,
    ALLOW_DANGEROUS_TOOLS: 'true',
    SANDBOX_READ_PATHS: [SANDBOX_READ_PATHS, path.join(work, PREPARED)].filter(Boolean).join(','),
    ...more,
  });
  const redactor = createRedactor(secretsByHand(config));
  const context = await openHandContext(config, redactor, { terminal: PLAIN_TERMINAL }, STOPPING);
  if (context.service.shells !== undefined) return context;
  await context.close();
  throw new TellPerson(
    'The sandbox does not work here, so nothing can be judged (LOG_LEVEL=warn says why).',
  );
}

/** A model server whose replies a person gives. */
class HandPlay {
  readonly model: HandPlayedModel;
  readonly server: ModelServer;

  private constructor(model: HandPlayedModel, server: ModelServer) {
    this.model = model;
    this.server = server;
  }

  static async start(directory: string): Promise<HandPlay> {
    const model = new HandPlayedModel(directory);
    const server = await startModelServer({ scripts: model });
    process.stderr.write(`Requests wait for replies: ./issuewright play ${directory} next\n`);
    return new HandPlay(model, server);
  }

  /** For our agent. */
  get variables(): Environment {
    return {
      MODEL: 'openai:hand',
      OPENAI_API: 'chat',
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: `${this.server.url}/v1`,
    };
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

interface SolvingParts {
  readonly tasks: readonly Task[];
  readonly attempts: number;
  readonly work: string;
  readonly played: string;
  readonly peer: Peer | undefined;
  readonly hand: HandPlay | undefined;
  readonly lines: ResultLines<Row>;
}

/** One task after the other. What has a row already is not done again. */
class Solving {
  readonly #parts: SolvingParts;

  constructor(parts: SolvingParts) {
    this.#parts = parts;
  }

  async run(): Promise<void> {
    const { hand, peer, work } = this.#parts;
    const context = await openContext(work, hand?.variables ?? {});
    try {
      const installed = peer && (await installPeer(peer, work));
      const harness =
        installed === undefined ? 'issuewright' : `${peer?.name} ${installed.version}`;
      for (const task of this.#parts.tasks)
        for (let count = 1; count <= this.#parts.attempts; count += 1)
          await this.#attempt(context, task, count, harness);
    } catch (error) {
      if (!context.stopped.aborted) throw error;
    } finally {
      await context.close();
    }
  }

  async #attempt(context: HandContext, task: Task, count: number, harness: string): Promise<void> {
    const { lines, played, work, peer, hand } = this.#parts;
    const key = { task: task.id, harness, played, attempt: count };
    if (lines.all.some((row) => isRowOf(row, key))) return;
    const { progress, stopped } = context;
    const ground = await TaskGround.open(task, work, context);
    try {
      progress.say(`${task.id} with ${harness}`);
      hand?.model.emptyCache();
      const done =
        peer === undefined || hand === undefined
          ? await attemptOurs(context, ground)
          : await runPeer(peer, {
              ground,
              work,
              stopped,
              model: hand.model,
              server: hand.server,
            });
      stopped.throwIfAborted();
      const solved = await ground.isSolved(done.commit);
      stopped.throwIfAborted();
      const { measures, size, outcome, model, withCommands } = done;
      const facts = { ...key, ...measures, language: task.language, model, solved, outcome, size };
      const at = new Date().toISOString();
      lines.write({ type: 'result', at, ...facts, ...(withCommands ? { withCommands } : {}) });
      progress.say(`${task.id} with ${harness}: ${solved ? 'solved' : 'not solved'}`);
    } finally {
      progress.rest();
      await ground.close();
    }
  }
}

async function attemptOurs(context: HandContext, ground: TaskGround): Promise<Done> {
  const { progress, stopped, service } = context;
  const [model] = service.operator.models;
  progress.begin();
  const { session, ...done } = await attempt(
    {
      ...ground.forAgent,
      repositories: ground.repositories,
      person: { login: 'bench', id: 0 },
      answer: answersFrom({ progress, stopped, isYes: true }),
    },
    {
      base: ground.commits.start,
      branch: `issuewright/${ground.task.id}`,
      request: taskOf(ground.task.issue),
    },
    { model, budget: undefined, heard: (entries) => progress.hear(entries) },
  );
  return { ...done, outcome: outcomeByHand(session, stopped), model };
}
