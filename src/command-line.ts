import { styleText } from 'node:util';
import { CommanderError } from 'commander';
import { WrongUsage, type Command, type CommandContext } from './commands/command.ts';
import { defineProgram, type CommandInput } from './commands/program.ts';
import { ConfigError, processEnvironment, useNetworkSettings, type Environment } from './config.ts';
import { TryLater } from './lib/errors.ts';
import { spellCommand } from './lib/program-name.ts';
import { reasonOf } from './lib/reason.ts';

// The command line.

/** The command line was not understood, and nothing was done. */
const WRONG_USAGE = 2;

// Whoever reads the output may have seen enough: `issuewright doctor | head`.
process.stdout.on('error', () => {});

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

const { stdout } = process;

const terminal: CommandContext['terminal'] = {
  columns: stdout.isTTY ? stdout.columns : undefined,
  // Also heeds NO_COLOR and FORCE_COLOR.
  paint: (style, text) => styleText(style, text, { stream: stdout }),
};

async function main(): Promise<number> {
  let exitCode = 0;
  const program = defineProgram(async (command, given) => {
    exitCode = await runCommand(command, given);
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

async function runCommand(command: Command, given: CommandInput): Promise<number> {
  try {
    const environment = processEnvironment(command);
    followNetworkSettings(command, environment);
    return await command.run({ ...given, environment, startService, print, terminal });
  } catch (error) {
    process.stderr.write(`${spellCommand(command.name)}: ${explained(error, command)}\n`);
    return error instanceof WrongUsage ? WRONG_USAGE : 1;
  }
}

function followNetworkSettings({ namesFaults }: Command, environment: Environment): void {
  try {
    useNetworkSettings(environment);
  } catch (error) {
    if (namesFaults !== true) throw error;
  }
}

/** Why it failed, and when it may be repeated if the error says so. */
function explained(error: unknown, command: Command): string {
  if (error instanceof ConfigError) return explainedFaults(error, command);
  const reason = reasonOf(error);
  if (!(error instanceof TryLater) || error.retryAfterMs === undefined) return reason;
  const at = new Date(Date.now() + error.retryAfterMs);
  return `${reason.replace(/\.$/, '')}. Try again after ${at.toLocaleTimeString()}.`;
}

function explainedFaults({ faults }: ConfigError, { hasEnvFile = true }: Command): string {
  const more = hasEnvFile
    ? ` or in .env, where \`${spellCommand('setup')}\` writes those of the App`
    : '';
  const lines = faults.map(({ name, fault }) => `  ${name}  ${fault}`);
  return `these settings are missing or invalid. Set them in the environment${more}:\n${lines.join('\n')}`;
}

/** Loaded only now: most of what the service is made of takes no part in the other commands. */
const startService: CommandContext['startService'] = async (...given) =>
  (await import('./main.ts')).startService(...given);

// Whatever is still open must not keep a stopped service alive.
process.exit(await main());
