import { readFileSync } from 'node:fs';
import { Command as Parser, CommanderError } from 'commander';
import type { Command, CommandContext } from './commands/command.ts';
import { doctor } from './commands/doctor/doctor.ts';
import { migrate } from './commands/migrate.ts';
import { pause, resume } from './commands/pause-and-resume.ts';
import { setup } from './commands/setup/setup.ts';
import { serve, start, work } from './commands/start.ts';
import { processEnvironment } from './config.ts';
import { reasonOf } from './lib/reason.ts';

// The command line.

/** A new command is a file in `commands/` and an item here. */
const COMMANDS: readonly Command[] = [start, serve, work, setup, doctor, pause, resume, migrate];

/** The command line was not understood, and nothing was done. */
const WRONG_USAGE = 2;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const AFTER_HELP = `
Settings come from the environment, or from the file .env of the directory in which the command starts.
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

async function main(): Promise<number> {
  let exitCode = 0;
  const program = new Parser('issuewright')
    .usage('COMMAND [options]')
    .description('Label an issue, get a pull request: a GitHub App that you host yourself.')
    .version(versionOfPackage(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand('help [command]', 'explain a command')
    .commandsGroup('More:')
    .addHelpText('after', AFTER_HELP)
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'issuewright: ')),
    })
    .showHelpAfterError('Nothing was done. `issuewright --help` explains the commands.')
    .exitOverride();
  for (const command of COMMANDS)
    add(program, command, async (given) => {
      exitCode = await run(command, given);
    });
  if (process.argv.length <= 2) process.argv.push('--help');
  try {
    await program.parseAsync();
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return error.exitCode === 0 ? 0 : WRONG_USAGE;
  }
}

type Given = Pick<CommandContext, 'arguments' | 'options'>;

function add(program: Parser, command: Command, act: (given: Given) => Promise<void>): void {
  const { name, summary, group } = command;
  const parser = program
    .command(name)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .helpGroup(`${group}:`)
    .showHelpAfterError(`Nothing was done. \`issuewright ${name} --help\` explains the command.`);
  command.define?.(parser);
  parser.action(() => act({ arguments: parser.args, options: parser.opts() }));
}

async function run(command: Command, given: Given): Promise<number> {
  try {
    const environment = processEnvironment();
    return await command.run({ ...given, environment, startService, print });
  } catch (error) {
    process.stderr.write(`issuewright ${command.name}: ${reasonOf(error)}\n`);
    return 1;
  }
}

function versionOfPackage(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return version;
}

/** Loaded only now: most of what the service is made of takes no part in the other commands. */
const startService: CommandContext['startService'] = async (...given) =>
  (await import('./main.ts')).startService(...given);

// Whatever is still open must not keep a stopped service alive.
process.exit(await main());
