import { processEnvironment } from '../../../src/config.ts';
import { codeOf, messageOf } from '../../../src/lib/errors.ts';
import { spellCommand } from '../../../src/lib/program-name.ts';
import type { PlaygroundCommand, PlaygroundContext } from './command.ts';
import { demo } from './demo.ts';
import { play } from './play.ts';
import { github } from './serve-github.ts';
import { model } from './serve-model.ts';

const COMMANDS: readonly PlaygroundCommand[] = [demo, github, model, play];

/** As in the commands of the service. */
const WRONG_USAGE = 2;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

function usage(): string {
  const lines = COMMANDS.map(({ name, summary }) => `  ${spellCommand(name.padEnd(8))} ${summary}`);
  return ['What runs beside the service on your machine:', '', ...lines].join('\n');
}

async function main(): Promise<number> {
  const [name, ...rest] = process.argv.slice(2);
  const command = COMMANDS.find((one) => one.name === name);
  const asksForHelp = name === undefined || name === 'help' || process.argv.includes('--help');
  if (command === undefined || asksForHelp) {
    print(usage());
    return asksForHelp ? 0 : WRONG_USAGE;
  }
  const context: PlaygroundContext = {
    arguments: rest,
    // A person's file of settings is made for their service.
    environment: processEnvironment({ hasEnvFile: false }),
    print,
  };
  try {
    return await command.run(context);
  } catch (error) {
    const isOfClone = codeOf(error) === 'ERR_MODULE_NOT_FOUND';
    const why = isOfClone ? 'Only a clone of the repository has this.' : messageOf(error);
    process.stderr.write(`${command.name}: ${why}\n`);
    return isWrongUsage(error) ? WRONG_USAGE : 1;
  }
}

/** `parseArgs` says so. */
const isWrongUsage = (error: unknown): boolean =>
  codeOf(error)?.startsWith('ERR_PARSE_ARGS_') === true;

// Open handles must not keep the process alive.
process.exit(await main());
