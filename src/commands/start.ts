import { setTimeout as after } from 'node:timers/promises';
import { ConfigError, readConfig, type Config } from '../config.ts';
import { messageOf } from '../lib/errors.ts';
import {
  firstSignal,
  type Command,
  type CommandContext,
  type Role,
  type RunningService,
} from './command.ts';
import { isReadByPeople } from './log.ts';
import { spellCommand } from '../lib/program-name.ts';

/**
 * Beyond the grace of running sessions. Even if something hangs, the process exits before a container runtime kills it.
 */
const STOP_MS = 7_000;

function explain({ faults }: ConfigError): string {
  const widest = Math.max(...faults.map(({ name }) => name.length));
  return [
    'Issuewright cannot start: these settings are missing or invalid. Set them in the environment,',
    'or in a file `.env` in this directory (`cp .env.example .env`):',
    '',
    ...faults.map(({ name, fault }) => `  ${name.padEnd(widest)}  ${fault}`),
    '',
    `To create the GitHub App: ${spellCommand('setup')}. To try it first: ${spellCommand('demo')}`,
  ].join('\n');
}

/** The operator allows commands for this process, whatever the setting of that name says. */
const ALLOW_DANGEROUS_TOOLS = '--allow-dangerous-tools';

const command = (role: Role, summary: string): Command => ({
  name: role,
  summary,
  group: 'Run the service',
  define: (parser) => {
    parser.option(ALLOW_DANGEROUS_TOOLS, 'let the agent run commands, such as the tests');
    if (role !== 'work')
      parser.option(
        '--tunnel <proxy or command>',
        'how GitHub reaches this machine (see setup --help)',
      );
  },
  run: async (context) => {
    const { environment, options } = context;
    const allowed = options['allowDangerousTools'] === true && { ALLOW_DANGEROUS_TOOLS: 'true' };
    let config: Config;
    try {
      config = readConfig({ ...environment, ...allowed });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      context.print(explain(error));
      return 1;
    }
    if (role !== 'start' && config.store.databaseUrl === undefined) {
      // Processes share nothing but the database.
      context.print(
        `Issuewright cannot start: \`${spellCommand(role)}\` needs DATABASE_URL, a PostgreSQL server that all processes share. The embedded database belongs to one process. To run everything in one process, use \`${spellCommand('start')}\`.`,
      );
      return 1;
    }
    return runService(context, config, role);
  },
});

export const startCommand = command('start', 'run everything in one process');
export const serve = command('serve', 'run webhooks, session pages and publishing only');
export const work = command('work', 'run sessions only');

/** Not a line of the log, which redacts the token, but in its form. */
const announcement = (config: Config, link: string): string =>
  isReadByPeople(config)
    ? `Session pages: ${link}`
    : JSON.stringify({ level: 30, time: Date.now(), link, msg: 'session pages are ready' });

async function runService(
  { startService, print, options }: CommandContext,
  config: Config,
  role: Role,
): Promise<number> {
  const signalled = firstSignal();
  const leaving = new AbortController();
  void signalled.then(() => leaving.abort());
  const service = await startService(config, role, leaving.signal).catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
    print(`Issuewright was stopped before it was ready: ${messageOf(error)}`);
    return undefined;
  });
  if (service === undefined) return 0;
  if (service.front !== undefined) print(announcement(config, service.front.link));
  const { tunnel } = options;
  const ends: Promise<NodeJS.Signals | Error>[] = [signalled, service.failed];
  if (typeof tunnel === 'string') ends.push(endOfTunnel(tunnel, config, service, leaving.signal));
  const end = await Promise.race(ends);
  leaving.abort();
  if (end instanceof Error) print(`Issuewright cannot continue: ${messageOf(end)}`);
  // SIGINT is a person at a terminal, who resumes later; SIGTERM is how services are replaced.
  const stopped = service.stop({ patient: end === 'SIGTERM' }).then(() => true);
  const deadlineMs = config.stopGraceSeconds * 1000 + STOP_MS;
  const inTime = await Promise.race([stopped, after(deadlineMs, false, { ref: false })]);
  return inTime && !(end instanceof Error) ? 0 : 1;
}

/** Opens a tunnel, and has the App send its webhooks there. Resolves with the reason when there is none, or none any more. */
async function endOfTunnel(
  given: string,
  config: Config,
  { log, front }: RunningService,
  signal: AbortSignal,
): Promise<Error> {
  const { moveWebhooks, openTunnel } = await import('./tunnel.ts');
  const watcher = {
    retrying: (reason: string) => log.warn({ reason }, 'failed to open the tunnel; trying again'),
    lost: (reason: string) => log.warn({ reason }, 'the tunnel broke; reconnecting'),
    restored: () => log.info('the tunnel is open'),
    missed: () => front?.lookForMissed(),
  };
  try {
    const target = `http://127.0.0.1:${config.http.port}`;
    const tunnel = await openTunnel(given, { target, signal, watcher });
    const failed = tunnel.ended.then((why) => new Error(`the tunnel failed: ${why}`));
    const retrying = (reason: string): void =>
      log.warn({ reason }, 'failed to have webhooks sent through the tunnel; trying again');
    const moved = moveWebhooks(config, tunnel, { signal, retrying });
    return await Promise.race([failed, moved.then(() => failed)]);
  } catch (error) {
    return error instanceof Error ? error : new Error(messageOf(error));
  }
}
