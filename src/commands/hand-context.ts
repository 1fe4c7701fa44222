// The parts of the service that a run by hand needs, and no others.
import { homedir } from 'node:os';
import { join } from 'node:path';
import { openRunTools, PauseWatch, type RunService } from '../app/service/service.ts';
import type { HandConfig } from '../config.ts';
import type { Redactor } from '../lib/text/redact.ts';
import { FULL_WRITE_BUDGET } from '../lib/write-budget.ts';
import { offered } from '../models/index.ts';
import type { SettingsLayer } from '../session/settings/read.ts';
import { endLeftovers } from '../../packages/sandbox/src/running/start-contained.ts';
import { requireTemporaryDirectory, sweepWorkspaces } from '../workspace/work-directory.ts';
import type { Terminal } from './command.ts';
import { openLog } from './log.ts';
import { sendTelemetry } from './send-telemetry.ts';
import { ProgressPrinter } from './progress.ts';

/** How a run by hand was asked for. */
export interface HandOptions {
  readonly isYes: boolean;
  readonly isJson: boolean;
  readonly isContinuous: boolean;
  /** Settings of the repository that were given to this run. */
  readonly settingsLayer?: SettingsLayer | undefined;
  readonly print: (text: string) => void;
  readonly terminal: Terminal;
}

export const AUTHOR = { name: 'Issuewright', email: 'issuewright@localhost' } as const;

export interface HandContext {
  readonly service: Omit<RunService, 'store'>;
  readonly progress: ProgressPrinter;
  /** Raised when the person stops the work. */
  readonly stopped: AbortSignal;
  close(): Promise<void>;
}

/** Says that the work was stopped, unless this error has another reason. @throws the error then */
export function requireStopped(error: unknown, { stopped, progress, service }: HandContext): void {
  if (!stopped.aborted) throw error;
  service.log.info({ err: error }, 'stopped');
  progress.say('Stopped.');
}

/** A process that does one task fetches once: nothing is gained by keeping that. */
const WITHOUT_CACHE = { cacheMaxBytes: 0, cacheDirectory: '', workDirectory: '' };

/** A person's runs share their images. */
const imageRoomOf = ({ git }: HandConfig) => ({
  directory: join(homedir(), '.cache/issuewright/images'),
  maxBytes: git.cacheMaxBytes,
});

const STANDARD_ERROR = {
  write: (line: string) => process.stderr.write(line),
  isTTY: process.stderr.isTTY,
  hasColors: () => false,
};

export async function openHandContext(
  config: HandConfig,
  redactor: Redactor,
  { terminal }: Pick<HandOptions, 'terminal'>,
  stopping: readonly string[] = STOPPING,
): Promise<HandContext> {
  const progress = new ProgressPrinter(process.stderr, terminal.paint);
  await requireTemporaryDirectory();
  await sweepWorkspaces(endLeftovers);
  const { logLevel } = config;
  const log = await openLog({ logLevel, logFormat: 'pretty' }, redactor, STANDARD_ERROR);
  const closeTelemetry = await sendTelemetry(config.openTelemetry, { log });
  const { tools, close: closeTools } = await openRunTools({
    ...config,
    providers: () => config.models.settings,
    git: { ...config.git, ...WITHOUT_CACHE },
    dataDir: 'data',
    imageRoom: imageRoomOf(config),
    log,
  });
  if (config.shell.isAllowed && tools.shells === undefined)
    progress.say(
      'The sandbox does not work on this machine, so the agent runs no commands (LOG_LEVEL=warn says why).',
    );
  // What speaks to the usual model is loaded while git works.
  tools.openModel(config.models.offered[0]).catch(() => {});
  const service: Omit<RunService, 'store'> = {
    ...tools,
    operator: { ...config.agent, ...offered(config.models) },
    allowedBots: [],
    author: () => Promise.resolve(AUTHOR),
    writeBudget: () => Promise.resolve(FULL_WRITE_BUDGET),
    pause: new PauseWatch({ servicePause: () => Promise.resolve(undefined) }),
    pageUrl: () => undefined,
    redact: redactor.redact,
    hide: redactor.hide,
    log,
  };
  const close = async (): Promise<void> => {
    progress.rest();
    await closeTools();
    await closeTelemetry();
  };
  return { service, progress, stopped: stoppedBySignals(progress, stopping), close };
}

const STOPPING = [
  'Stopping: committing changes to the branch.',
  'Committing changes. Press Ctrl-C again to end at once and lose what is not committed yet.',
];

/** The first signal stops the work, the second one changes nothing, and the third one ends the process. */
function stoppedBySignals(progress: ProgressPrinter, said: readonly string[]): AbortSignal {
  const stopping = new AbortController();
  let heard = 0;
  const onSignal = (signal: NodeJS.Signals): void => {
    const words = said[heard];
    heard += 1;
    if (words === undefined) {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      process.kill(process.pid, signal);
      return;
    }
    progress.say(words);
    stopping.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return stopping.signal;
}
