import type { Environment } from '../../config.ts';
import { WrongUsage, type Command, type CommandContext } from '../command.ts';
import { issueAddress, type IssueAddress } from './issue-address.ts';
import { open } from 'node:fs/promises';
import { readLayer, type SettingsLayer } from '../../session/settings/read.ts';
import { codeOf } from '../../lib/errors.ts';
import { spellCommand } from '../../lib/program-name.ts';

const HELP = `
With a task in words, the agent works in a clone of the last commit of the git repository that you are in, with the tools
and the sandbox of the service. Your files stay as they are: uncommitted changes are neither read nor touched. The result
is a new branch issuewright/… in your repository, and its diff on standard output. Nothing is pushed.

With the address of an issue, GITHUB_TOKEN takes the place of the App. The agent works on that issue, and the result is a
pull request in your name, with its address on standard output. A second run on the issue continues that pull request.

It needs a model and its key, and no GitHub App. It does not read .env: whoever wrote the folder could have written
that, too.

Examples:
  MODEL=anthropic:claude-sonnet-5 ANTHROPIC_API_KEY=… ${spellCommand('run')} "Add a --quiet option"
  ${spellCommand('run')} --model ollama:qwen3:32b --allow-dangerous-tools "Make the tests pass"
  ${spellCommand('run')} --allow-dangerous-tools --setup "npm ci" "Fix the date parser"
  ${spellCommand('run')} --yes --json "Update the copyright year" > result.json
  GITHUB_TOKEN=… ${spellCommand('run')} https://github.com/OWNER/REPOSITORY/issues/12
  ${spellCommand('run')} --continuous "Do the next open item of TODO.md, and tick it"

The agent asks its questions in the terminal; Enter accepts the answer it proposes. Ctrl-C stops the work and commits
the changes so far, even if you press it twice; a third Ctrl-C quits at once.

--continuous: in a folder, each run starts from the result of the one before, until a run finds nothing to do or commits
nothing. On GitHub, it continues with the next open issue with the label. A failure, a limit or an unanswered question ends
it.

Exit codes: 0 done, or there was nothing to do; 1 failed; 2 wrong usage; 3 a question has no answer, because there is no
terminal and no --yes; 4 a limit was reached; 130 stopped.`;

export const run: Command = {
  name: 'run',
  summary: 'do a task in a folder, or work on one issue, without an App',
  group: 'Work by hand',
  hasEnvFile: false,
  define: (parser) =>
    parser
      .argument('<task>', 'what to do in this folder, in your words; or the address of an issue')
      .option('--model <provider:name>', 'the model, in place of MODEL')
      .option('--allow-dangerous-tools', 'let the agent run commands, such as the tests')
      .option(
        '--setup <command>',
        'a command that prepares the workspace, such as "npm ci"; may be repeated',
        (command: string, before: readonly string[] | undefined) => [...(before ?? []), command],
      )
      .option(
        '--settings <file>',
        "settings of the repository for this run, over the repository's own",
      )
      .option('--continuous', 'continue after a task is done, until nothing is left to do')
      .option('--yes', "take the agent's proposed answers, and approve its plan")
      .option('--json', 'print a JSON object, for scripts')
      .addHelpText('after', HELP),
  run: async ({ arguments: [words = ''], options, environment, print, terminal }) => {
    const task = words.trim();
    const isContinuous = options['continuous'] === true;
    const address = issueAddress(task);
    requireTask(task, address, isContinuous);
    const changed = changedBy(options, environment);
    const layer = await readGiven({
      setup: Array.isArray(options['setup']) ? (options['setup'] as readonly string[]) : [],
      file: typeof options['settings'] === 'string' ? options['settings'] : undefined,
      allowsCommands: /^(?:true|1|yes|on|y|enabled)$/i.test(changed['ALLOW_DANGEROUS_TOOLS'] ?? ''),
    });
    const how = {
      environment: changed,
      settingsLayer: layer,
      isYes: options['yes'] === true,
      isJson: options['json'] === true,
      isContinuous,
      print,
      terminal,
    };
    // Most of what works takes no part in the other commands.
    if (address === undefined)
      return (await import('./work-in-folder.ts')).workInFolder({ ...how, task });
    return (await import('./work-on-issue.ts')).workOnIssues({ ...how, address });
  },
};

const changedBy = (
  { model, allowDangerousTools }: CommandContext['options'],
  environment: Environment,
): Environment => ({
  ...environment,
  ...(typeof model === 'string' ? { MODEL: model } : {}),
  ...(allowDangerousTools === true ? { ALLOW_DANGEROUS_TOOLS: 'true' } : {}),
});

/** @throws {WrongUsage} */
function requireTask(task: string, address: IssueAddress | undefined, isContinuous: boolean): void {
  if (task === '') throw new WrongUsage('the task is empty. Say what is to be done.');
  if (address === undefined && /^https?:\/\/\S+$/.test(task))
    throw new WrongUsage(
      'not the address of an issue. Give one such as https://github.com/OWNER/REPOSITORY/issues/12, or a task in words.',
    );
  if (address !== undefined && address.number === undefined && !isContinuous)
    throw new WrongUsage(
      'this is the address of a repository. Name one of its issues, or add --continuous to work on all with the label.',
    );
}

// Settings of the repository that a person gives to one run, in place of writing them into it.

const MAX_BYTES = 100_000;

interface GivenOptions {
  /** Commands that prepare the workspace. */
  readonly setup: readonly string[];
  /** A file like the repository's own. */
  readonly file: string | undefined;
  /** Whether the run may have commands. */
  readonly allowsCommands: boolean;
}

/** @throws {WrongUsage} */
async function readGiven({
  setup,
  file,
  allowsCommands,
}: GivenOptions): Promise<SettingsLayer | undefined> {
  if (setup.length > 0 && !allowsCommands)
    throw new WrongUsage('--setup runs a command, so it needs --allow-dangerous-tools too.');
  if (setup.length === 0 && file === undefined) return undefined;
  const text = file === undefined ? '' : await readTaskFile(file);
  const read = readLayer(text, setup);
  if ('fault' in read)
    throw new WrongUsage(
      `${file === undefined ? '--setup' : `--settings ${file}`} is invalid: ${read.fault}.`,
    );
  return { ...read, source: file === undefined ? '`--setup`' : '`--settings`' };
}

async function readTaskFile(path: string): Promise<string> {
  const start = await readStart(path).catch((error: unknown) => {
    throw new WrongUsage(
      `--settings ${path} cannot be read (${codeOf(error) ?? 'no reason given'}).`,
    );
  });
  if (start.length > MAX_BYTES)
    throw new WrongUsage(`--settings ${path} is longer than ${MAX_BYTES / 1000} kB.`);
  return start.toString();
}

async function readStart(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}
