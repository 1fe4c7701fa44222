import { z } from 'zod';
import type { Files } from '../../contracts/files.ts';
import { trimEnd } from '../../lib/text/text.ts';
import { defineTool, type Commands, type Needs } from '../define-tool.ts';
import { brief, repositoryPath, seconds, untold } from '../arguments.ts';
import { assertRunnable, requireAllowed } from './disallowed-commands.ts';
import { programWords, readCommand } from './read-command.ts';
import {
  effectsOfCommand,
  exitLine,
  keptRemark,
  ran,
  remarks,
  timeoutRemark,
} from './command-report.ts';
import { gitRemarks, readsHistory } from './git-commands.ts';
import { missingInScript } from './missing-runner.ts';
import { boundedText, HeardOutput, isLongerThan } from './plain-output.ts';
import { beside, readTestOutput, type TestResults } from './test-results.ts';

const MAX_COMMAND = 8_000;
const MAX_OUTPUT = 16_000;
const DEFAULT_SECONDS = 60;
const MOST_SECONDS = 300;

const schema = z.object({
  command: z.string().trim().min(1).max(MAX_COMMAND),
  directory: untold(repositoryPath()),
  timeout: seconds(MOST_SECONDS).optional().describe(`In seconds, at most ${MOST_SECONDS}`),
});

export const runShellCommand = defineTool({
  name: 'run_shell_command',
  aliases: ['run_command', 'bash', 'execute_command'],
  description: 'Runs a shell command in the repository.',
  adds: ({ commands }: Needs<'commands'>) => factsOf(commands),
  arguments: schema,
  argumentAliases: {
    cmd: 'command',
    cwd: 'directory',
    workdir: 'directory',
    timeout_seconds: 'timeout',
  },
  safety: 'dangerous',
  example: { command: 'npm run build', timeout: 120 },
  rendering: { arguments: { command: 'code', directory: 'path' }, output: 'plain' },
  title: ({ command }) => `Run: ${brief(command)}`,
  run: async (
    { command, directory = '', timeout },
    ports: Needs<'commands' | 'files'>,
    { signal, tools = new Set<string>(), progress },
  ) => {
    const { commands, files } = ports;
    requireAllowed(command, commands.settings.allow);
    const start = await startDirectory(files, directory);
    const { contained, hasRepository } = commands;
    assertRunnable(command, { directory: start, contained, hasRepository, tools });
    const most = timeout ?? commands.settings.timeout ?? DEFAULT_SECONDS;
    const heard = new HeardOutput(progress);
    const report = await commands.run(
      { command, directory: start, timeoutMs: 1000 * most, signal, onOutput: heard.hear },
      { readsHistory: hasRepository && readsHistory(command) },
    );
    const { done, historyDepth } = report;
    const text = heard.plain();
    const results = readTestOutput(text);
    const missing = results === undefined ? await missingInScript(ports, command, done, text) : [];
    const isCut = isLongerThan(done.output, MAX_OUTPUT);
    const found = isCut ? beside(boundedText(done.output, MAX_OUTPUT), results) : [];
    const room = MAX_OUTPUT - found.join('\n').length;
    const output = boundedText(done.output, room, results === undefined ? text : '');
    const ofGit = hasRepository
      ? gitRemarks(command, output || '(no output)', { tools, historyDepth })
      : [];
    return {
      output: [
        exitLine(done),
        ...missing,
        ...timeoutRemark(done, most, MOST_SECONDS),
        ...remarks(report),
        ...ofGit,
        ...found,
        output || '(no output)',
        ...(isCut ? keptRemark(report, tools) : []),
      ].join('\n'),
      ok: done.exitCode === 0 || (done.exitCode === 1 && answersWithOne(command)),
      effects: effectsOfCommand(report, {
        type: 'command',
        ...ran(command, done),
        ...countsIn(results),
      }),
    };
  },
});

/** For the journal. */
const countsIn = (results: TestResults | undefined) =>
  results === undefined ? {} : { failed: results.failed, passed: results.passed };

const MOST_NAMED = 8;

/** What a command is, by the facts of this run. */
function factsOf({
  program,
  contained,
  hosts,
  programs,
  hasRepository,
  settings,
}: Commands): string {
  const where = contained === undefined ? '' : ` in ${contained.workspace}`;
  const named = (hosts ?? []).slice(0, MOST_NAMED).join(', ');
  const more = (hosts?.length ?? 0) > MOST_NAMED ? ' and others' : '';
  const facts = [
    `Each runs in a new ${program} -c${where}, for ${settings.timeout ?? DEFAULT_SECONDS} s by default.`,
    contained?.keepsTemporary === false ? `Only files in ${contained.workspace} last.` : '',
    hosts === undefined ? '' : `Network: ${named === '' ? 'none' : `${named}${more}`}.`,
    programs === '' ? '' : `Programs: ${programs}.`,
    hasRepository ? 'Git cannot commit.' : 'Git commands on the repository fail.',
    `Output is cut in the middle beyond ${MAX_OUTPUT / 1000} kB.`,
  ];
  return facts.filter(Boolean).join(' ');
}

/** Programs whose exit code 1 is an answer: nothing was found, or something differs. Greater ones are errors. */
const ANSWERING = new Set(['grep', 'egrep', 'fgrep', 'rg', 'diff', 'cmp', 'test', '[']);

/** By the last command, whose exit code a pipeline or list has. */
function answersWithOne(command: string): boolean {
  const [program = ''] = programWords(readCommand(command)?.commands.at(-1)?.words ?? []);
  return ANSWERING.has(program);
}

/**
 * The directory that a command starts in, relative to the root; empty for the root.
 * @throws {TellModel} if the path is not a directory of the repository
 */
async function startDirectory(files: Files, directory: string): Promise<string> {
  const path = trimEnd(directory.trim().replace(/^\.\//, ''), '/');
  if (path === '' || path === '.') return '';
  await files.list(path);
  return path;
}
