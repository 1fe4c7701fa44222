import type { Command, CommandContext } from './commands/command.ts';
import { migrate } from './commands/migrate.ts';
import { pause, resume } from './commands/pause-and-resume.ts';
import { serve, start, work } from './commands/start.ts';
import { processEnvironment } from './config.ts';
import { reasonOf } from './lib/reason.ts';

// The command line.

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

/** A new command is a file in `commands/` and an item here. */
const COMMANDS: readonly Command[] = [start, serve, work, pause, resume, migrate];

function usage(): string {
  const lines = COMMANDS.map(({ name, summary }) => `  ${name.padEnd(8)} ${summary}`);
  return ['Usage: issuewright COMMAND', '', ...lines].join('\n');
}

async function main(): Promise<number> {
  const [name, ...rest] = process.argv.slice(2);
  const command = COMMANDS.find((one) => one.name === name);
  if (
    name === undefined ||
    name === 'help' ||
    ['-h', '--help'].some((option) => process.argv.includes(option))
  ) {
    print(usage());
    return 0;
  }
  if (command === undefined) {
    process.stderr.write(`issuewright: unknown command "${name}"\n\n${usage()}\n`);
    return 1;
  }
  try {
    const environment = processEnvironment();
    return await command.run({ arguments: rest, environment, startService, print });
  } catch (error) {
    process.stderr.write(`issuewright ${command.name}: ${reasonOf(error)}\n`);
    return 1;
  }
}

/** Loaded only now: most of what the service is made of takes no part in the other commands. */
const startService: CommandContext['startService'] = async (config, role) =>
  (await import('./main.ts')).startService(config, role);

// Whatever is still open must not keep a stopped service alive.
process.exit(await main());
