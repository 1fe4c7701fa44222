import { setTimeout as after } from 'node:timers/promises';
import { ConfigError, readConfig, type Config } from '../config.ts';
import { messageOf } from '../lib/errors.ts';
import {
  ALLOW_DANGEROUS_TOOLS,
  firstSignal,
  shellOptions,
  type Command,
  type CommandContext,
} from './command.ts';
import { isForPeople } from './log.ts';

/** Even if something hangs, the process exits before a container runtime kills it. */
const STOP_DEADLINE_MS = 25_000;

function explain({ faults }: ConfigError): string {
  const widest = Math.max(...faults.map(({ name }) => name.length));
  return [
    'Issuewright cannot start: these settings are missing or invalid. Set them in the environment,',
    'or in a file `.env` in this directory (`cp .env.example .env`):',
    '',
    ...faults.map(({ name, fault }) => `  ${name.padEnd(widest)}  ${fault}`),
    '',
    'How to create the GitHub App: README.md, "On your GitHub". To try it first: npm run demo',
  ].join('\n');
}

export const start: Command = {
  name: 'start',
  summary: `run the service (${ALLOW_DANGEROUS_TOOLS}: the agent may run commands)`,
  run: async (context) => {
    const options = shellOptions(context);
    if ('fault' in options) {
      context.print(options.fault);
      return 1;
    }
    let config: Config;
    try {
      config = readConfig(options.environment);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      context.print(explain(error));
      return 1;
    }
    return serve(context, config);
  },
};

/** Not a line of the log, which redacts the token, but in its form. */
const announcement = (config: Config, link: string): string =>
  isForPeople(config)
    ? `Session pages: ${link}`
    : JSON.stringify({ level: 30, time: Date.now(), link, msg: 'session pages are ready' });

async function serve({ startService, print }: CommandContext, config: Config): Promise<number> {
  const signalled = firstSignal();
  const service = await startService(config);
  print(announcement(config, service.pagesLink));
  const end = await Promise.race([signalled, service.failed]);
  if (end instanceof Error) print(`Issuewright cannot continue: ${messageOf(end)}`);
  const stopped = service.stop().then(() => true);
  const inTime = await Promise.race([stopped, after(STOP_DEADLINE_MS, false, { ref: false })]);
  return inTime && !(end instanceof Error) ? 0 : 1;
}
