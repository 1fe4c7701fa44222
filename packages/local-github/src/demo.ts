import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { PERMISSIONS } from './github/local-github.ts';
import { SAMPLE } from './sample/index.ts';
import { SCRIPT_PRICES } from './serve-model.ts';
import { openStage, type Stage } from './stage.ts';
import { playStory, type Story } from './story.ts';
import type { Environment } from '../../../src/config.ts';
import { AgentVariables } from '../../../src/config/agent.ts';
import { ModelVariables } from '../../../src/config/models.ts';
import { ShellVariables } from '../../../src/config/shell.ts';
import { isOfNetwork } from '../../../src/config/network.ts';
import { shownSettingPath } from '../../../src/lib/directories.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import { reasonOf } from '../../../src/lib/reason.ts';
import { PROVIDERS } from '../../../src/models/index.ts';
import type { Provider } from '../../../src/models/provider.ts';
import type { PlaygroundCommand, PlaygroundContext } from './command.ts';
import { firstSignal } from '../../../src/commands/command.ts';
import { clearLeftovers } from '../../../src/store/embedded/leftovers.ts';
import { CLUSTER } from '../../../src/store/embedded/postgres-server.ts';

const SCRIPTED_PATIENCE_MS = 60_000;
const MODEL_PATIENCE_MS = 15 * 60_000;
const HUMAN_PATIENCE_MS = 24 * 60 * 60_000;
const SCRIPTED =
  'a script behind the OpenAI API (set MODEL and a key in the environment to use a real one)';

export const demo: PlaygroundCommand = {
  name: 'demo',
  summary:
    'the whole workflow on this machine: no account, no key (--interactive: you play the human)',
  run: async (context) => {
    const { values } = parseArgs({
      args: [...context.arguments],
      options: {
        interactive: { type: 'boolean', default: false },
        'allow-dangerous-tools': { type: 'boolean', default: false },
      },
    });
    const allowed = values['allow-dangerous-tools'] && { ALLOW_DANGEROUS_TOOLS: 'true' };
    const interrupted = firstSignal();
    context.print('Starting a GitHub, a model and the service on this machine …');
    const fault = modelFault(context.environment);
    if (fault !== undefined) context.print(fault);
    const directory = await makeDirectory();
    const stage = await openStage({
      directory,
      cwd: directory,
      owner: SAMPLE.owner,
      people: [SAMPLE.maintainer],
      scripts: [SAMPLE.script],
      permissions: { ...PERMISSIONS, checks: 'read', statuses: 'read', actions: 'read' },
      events: ['check_suite', 'status'],
      environment: environmentOf({ ...context.environment, ...allowed }),
    });
    try {
      const played = perform(context, { stage, directory, interactive: values.interactive });
      const signal = await Promise.race([played, interrupted]);
      if (signal === undefined && staysUp()) {
        context.print('\nThe pages stay up until Ctrl-C.');
        await interrupted;
      }
      if (staysUp()) context.print('\nStopping…');
      return 0;
    } catch (error) {
      const logFile = path.join(directory, 'service.log');
      await writeFile(logFile, `${stage.log()}\n`);
      context.print(failure(logFile, error));
      return 1;
    } finally {
      await stage.close();
      await removeData(path.join(directory, 'data'));
    }
  },
};

/** Without a terminal, no one could press Ctrl-C. */
const staysUp = (): boolean => process.stdout.isTTY;

async function makeDirectory(): Promise<string> {
  try {
    return await realpath(await mkdtemp(path.join(tmpdir(), 'issuewright-demo-')));
  } catch (error) {
    const shown = shownSettingPath(tmpdir()) ?? 'that TMPDIR names';
    throw new Error(
      `The directory for temporary files ${shown} cannot be used: ${reasonOf(error)}. Set TMPDIR to a directory in which you may create files.`,
      { cause: error },
    );
  }
}

/**
 * A signal to the whole process group, such as Ctrl-C, reaches the service too, so `close` sends it a second one, which ends it
 * at once. Its PostgreSQL then stops by itself, and writes until it has.
 */
async function removeData(directory: string): Promise<void> {
  await clearLeftovers(path.join(directory, CLUSTER), pino({ level: 'silent' }));
  // A server that was still being made has no process id yet.
  await rm(directory, { recursive: true, force: true, maxRetries: 10 });
}

/** Those that the caller's `MODEL` names; `undefined` in place of one that does not exist. */
function namedProviders(environment: Environment): readonly (Provider | undefined)[] {
  const words = (environment['MODEL'] ?? '').split(',').map((name) => name.trim().split(':')[0]);
  return words.map((word) => PROVIDERS.find(({ name }) => name === word));
}

/** Why the caller's `MODEL` is not used, for people. It is not shown: people paste keys into it. */
function modelFault(environment: Environment): string | undefined {
  if ((environment['MODEL'] ?? '').trim() === '' || usesRealModel(environment)) return undefined;
  const issues = namedProviders(environment).flatMap(
    (one) => one?.variables.safeParse(environment).error?.issues ?? [],
  );
  const names = [...new Set(issues.map(({ path: [name] }) => String(name)))];
  const why =
    names.length === 0
      ? 'names a provider that does not exist'
      : `needs ${names.join(' and ')}, missing or invalid here`;
  return `MODEL is set, but ${why}: a script plays the model.`;
}

/** The providers in the caller's `MODEL` if all of them are configured; otherwise none. */
function providersOf(environment: Environment): readonly Provider[] {
  const named = namedProviders(environment);
  const ready = named.filter((one) => one?.variables.safeParse(environment).success === true);
  return ready.length === named.length ? ready.filter((one) => one !== undefined) : [];
}

const usesRealModel = (environment: Environment): boolean => providersOf(environment).length > 0;

/** The part of the caller's environment that the service gets, including the model if it is configured. */
function environmentOf(environment: Environment): Record<string, string> {
  const shapes = { ...AgentVariables.shape, ...ShellVariables.shape };
  const names = ['PATH', 'TMPDIR', 'LOG_LEVEL', ...Object.keys(shapes)];
  const providers = providersOf(environment);
  if (providers.length > 0)
    names.push(
      ...Object.keys(ModelVariables.shape),
      ...Object.keys(environment).filter(isOfNetwork),
    );
  for (const { variables } of providers) names.push(...Object.keys(variables.shape));
  return {
    ...(providers.length === 0 && { MODEL_CATALOG: SCRIPT_PRICES }),
    ...Object.fromEntries(names.flatMap((name) => pairOf(name, environment[name]))),
  };
}

const pairOf = (name: string, value: string | undefined): [string, string][] =>
  value === undefined ? [] : [[name, value]];

interface Demo {
  readonly stage: Stage;
  readonly directory: string;
  readonly interactive: boolean;
}

async function perform({ environment, print }: PlaygroundContext, demo: Demo): Promise<undefined> {
  const { stage, interactive } = demo;
  const real = usesRealModel(environment);
  const repository = await stage.github.createRepository({
    owner: SAMPLE.owner,
    name: SAMPLE.name,
    files: SAMPLE.files,
    collaborators: { [SAMPLE.maintainer]: 'admin' },
  });
  await stage.startService();
  print(opening(demo, real ? environment['MODEL'] : undefined));
  const begun = performance.now();
  const patienceMs = real ? MODEL_PATIENCE_MS : SCRIPTED_PATIENCE_MS;
  const story = await playStory({
    github: stage.github,
    repository,
    tale: SAMPLE,
    maintainer: SAMPLE.maintainer,
    interactive,
    patienceMs: interactive ? HUMAN_PATIENCE_MS : patienceMs,
    tell: (words, address) => print(moment(performance.now() - begun, words, address)),
  });
  print(summary(demo, story, performance.now() - begun));
  return undefined;
}

const pageOf = ({ stage }: Demo): string => `${stage.github.url}/${SAMPLE.owner}/${SAMPLE.name}`;

/** An error of the service has its whole log below its first line. */
const failure = (logFile: string, error: unknown): string =>
  `\nThe demo stopped: ${messageOf(error).split('\n')[0] ?? ''}\nThe log of the service: ${logFile}`;

/** From here, in a clone or in the package, whose modules are one folder deeper. */
function shippedPath(name: string): string {
  const places = ['../../../', '../../../../'].map((up) =>
    fileURLToPath(new URL(up + name, import.meta.url)),
  );
  const place = places.find((one) => existsSync(one)) ?? name;
  const here = path.relative('.', place);
  return here.startsWith('..') ? place : here;
}

const AT_ITS_PRICE = ' (from your settings, at its price)';
const ONE_STORY = `
The script plays one story, whatever you write: answer "the two largest units", and in the review
ask for "2d" in place of "2d 0h".
`;

const WITHOUT_TERMINAL = `

The output is not a terminal, so the demo ends here, and the links above no longer open. In a terminal, the pages stay up until Ctrl-C.`;

const opening = (demo: Demo, model: string | undefined): string => `
Issuewright on this machine: a local GitHub, real git, the real service.

  Watch     ${pageOf(demo)}
  Sessions  ${demo.stage.pagesLink}
  Model     ${model === undefined ? SCRIPTED : model + AT_ITS_PRICE}
${demo.interactive && model === undefined ? ONE_STORY : ''}`;

function moment(ms: number, words: string, address: string | undefined): string {
  const seconds = (ms / 1000).toFixed(1).padStart(6);
  return `${seconds} s  ${words}${address === undefined ? '' : `\n          ${address}`}`;
}

const short = (sha: string): string => sha.slice(0, 7);

function summary(demo: Demo, story: Story, ms: number): string {
  const bare = path.join(demo.directory, 'repositories', SAMPLE.owner, `${SAMPLE.name}.git`);
  return `
An issue became a merged pull request in ${(ms / 1000).toFixed(1)} s.

  Label → status comment  ${(story.untilStatus / 1000).toFixed(2)} s
  Pull request            ${staysUp() ? `${pageOf(demo)}/pull/${story.pull.number}` : `#${story.pull.number}`}
  Commits                 ${story.commits.map(short).join(', ')}, merged as ${short(story.mergeCommit)}
  With native git         git -C ${bare} log --graph --oneline main
                          git -C ${bare} diff main~1 main

You can inspect and delete that directory. Next, on your GitHub: ${shippedPath('docs/setup.md')}${staysUp() ? '' : WITHOUT_TERMINAL}`;
}
