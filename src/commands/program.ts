// All commands, as the parser of the command line knows them.
import { Command as Parser } from 'commander';
import { packageVersion, type Command, type CommandContext } from './command.ts';
import { adopt, backup, migrateCommand, pause, resume } from './operate.ts';
import { completionOf } from './completion.ts';
import { demo, hasPlayground } from './demo.ts';
import { doctor } from './doctor/doctor.ts';
import { evaluate } from './evaluate/evaluate.ts';
import { plan } from './plan/plan.ts';
import { prove } from './prove/prove.ts';
import { run } from './run/run.ts';
import { audit, replayCommand, retry, sessions, show, stop } from './sessions/sessions.ts';
import { setup } from './setup/setup.ts';
import { serve, startCommand, work } from './start.ts';
import { spellCommand } from '../lib/program-name.ts';

/** A new command is a file in this folder and an item here. */
const COMMANDS: readonly Command[] = [
  run,
  plan,
  evaluate,
  startCommand,
  serve,
  work,
  setup,
  doctor,
  prove,
  sessions,
  show,
  stop,
  retry,
  replayCommand,
  audit,
  pause,
  resume,
  backup,
  adopt,
  migrateCommand,
  demo,
];

/** What is given to a command. */
export type CommandInput = Pick<CommandContext, 'arguments' | 'options'>;

const ON_THIS_MACHINE = hasPlayground
  ? `
To try an App on this machine, without an account: \`${spellCommand('github')}\` starts a GitHub, and
\`${spellCommand('model')}\` a model that follows a script.
`
  : '';

const AFTER_HELP = `${ON_THIS_MACHINE}
Settings come from the environment, or from the file .env in the current directory (run and evaluate do not read it).
Exit codes: 0 done, 1 failed, 2 wrong usage.`;

/** Throws a `CommanderError` for what it does not understand, and after help. `act` carries out a command. */
export function defineProgram(
  act: (command: Command, given: CommandInput) => Promise<void>,
): Parser {
  const program = new Parser(spellCommand())
    .usage('COMMAND [options]')
    .description('Label an issue, get a pull request: a GitHub App that you host yourself.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .commandsGroup('More:')
    .helpCommand('help [command]', 'explain a command')
    .addHelpText('after', AFTER_HELP)
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, `${spellCommand()}: `)),
    })
    .showHelpAfterError(`Nothing was done. \`${spellCommand('--help')}\` explains the commands.`)
    .exitOverride();
  for (const command of [...COMMANDS, completionOf(program)])
    add(program, command, (given) => act(command, given));
  return program;
}

function add(program: Parser, command: Command, act: (given: CommandInput) => Promise<void>): void {
  const { name, summary, group, isHidden = false } = command;
  const parser = program
    .command(name, { hidden: isHidden })
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .helpGroup(`${group}:`)
    .showHelpAfterError(`Nothing was done. \`${spellCommand(name)} --help\` explains the command.`);
  command.define?.(parser);
  parser.action(() => act({ arguments: parser.args, options: parser.opts() }));
}
