import type { Command as Parser } from 'commander';
import type { Logger } from 'pino';
import type { Config, Environment } from '../config.ts';
import { escapeUnseen } from '../lib/text/invisible.ts';
import { readFileSync } from 'node:fs';

/** What a process does: webhooks, pages and publishing (`serve`), sessions (`work`), or all of it (`start`). */
export type Role = 'start' | 'serve' | 'work';

/** A running service, and how to stop it. */
export interface RunningService {
  /** What people and GitHub reach; a process that only runs sessions has none. */
  readonly front:
    | {
        /** Where webhooks arrive. */
        readonly addresses: { readonly url: string };
        /** Opens the session pages. It contains their token if the service made that itself. */
        readonly link: string;
        /** Compares with GitHub soon, because webhooks may have been lost. */
        readonly lookForMissed: () => void;
      }
    | undefined;
  readonly log: Logger;
  /**
   * Stops accepting deliveries, hands over the running sessions, and resolves when everything is closed. `patient`: each
   * session may finish its step, such as a reply of the model that is paid for, within `STOP_GRACE_SECONDS`.
   */
  stop(options: { readonly patient: boolean }): Promise<void>;
  /** Resolves with the reason when the service cannot continue. */
  readonly failed: Promise<Error>;
}

/** What command-line.ts hands to every command. */
export interface CommandContext {
  /** The words that are no options, as `define` names them. */
  readonly arguments: readonly string[];
  /** By their names in camel case. What was not given is missing. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  /** Rejects soon if `leaving` is aborted while it waits for something. */
  readonly startService: (
    config: Config,
    role: Role,
    leaving: AbortSignal,
  ) => Promise<RunningService>;
  /** Output for people, not for the log. */
  readonly print: (text: string) => void;
  readonly terminal: Terminal;
}

/** What shows the output. */
export interface Terminal {
  /** How wide it is; `undefined` if it is no terminal. */
  readonly columns: number | undefined;
  /** Gives a text its style, if it shows styles. */
  readonly paint: (style: Style, text: string) => string;
}

type Style = 'bold' | 'dim' | 'red' | 'green';

/** A command of the command line. */
export interface Command {
  readonly name: string;
  /** In the list of all commands. */
  readonly summary: string;
  /** The heading below which that list has it. */
  readonly group:
    | 'Work by hand'
    | 'Run the service'
    | 'Set it up'
    | 'Sessions'
    | 'Operate it'
    | 'More';
  /** Left out of that list and of completion: not part of this installation. */
  readonly isHidden?: boolean;
  /** Whether settings come from `.env` too; `false` for a command that works in directories of others. */
  readonly hasEnvFile?: boolean;
  /** It names faults of settings as what it finds, and starts in spite of them. */
  readonly namesFaults?: boolean;
  /** Adds its arguments, options and help. A command without this takes none. */
  readonly define?: (parser: Parser) => unknown;
  /** Resolves with the exit code: 0 if it was done, 1 if not. Errors are for the operator. */
  run(context: CommandContext): Promise<number>;
}

/** The words of the command line are not understood, and nothing was done. The message says what is wrong with them. */
export class WrongUsage extends Error {
  override readonly name = 'WrongUsage';
}

/** Resolves with the first SIGINT or SIGTERM; a second one ends the process immediately. */
export function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
      resolve(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}

// What a command has done, as a text for people or as JSON for scripts.

/** The option that asks for JSON. */
export const JSON_OPTION = ['--json', 'print a JSON object, for scripts'] as const;

/** `text` for people, or with `--json` the facts, without what would act on a terminal. */
export function printOutcome(
  { options, print }: CommandContext,
  text: string,
  facts: object,
): void {
  print(options['json'] === true ? escapeUnseen(JSON.stringify(facts, undefined, 2)) : text);
}

export function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return version;
}
