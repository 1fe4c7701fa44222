import type { Config, Environment } from '../config.ts';

/** What a process does: webhooks, pages and publishing (`serve`), sessions (`work`), or all of it (`start`). */
export type Role = 'start' | 'serve' | 'work';

/** A running service, and how to stop it. */
export interface Service {
  /** Opens the session pages, if they are served. It contains their token if the service made that itself. */
  readonly pagesLink: string | undefined;
  /**
   * Stops accepting deliveries, hands over the running sessions, and resolves when everything is closed. `patient`: each
   * session may finish its step, such as a reply of the model that is paid for, within 18 s.
   */
  stop(options: { readonly patient: boolean }): Promise<void>;
  /** Resolves with the reason when the service cannot continue. */
  readonly failed: Promise<Error>;
}

/** What command-line.ts hands to every command. */
export interface CommandContext {
  readonly arguments: readonly string[];
  readonly environment: Environment;
  readonly startService: (config: Config, role: Role) => Promise<Service>;
  /** Output for people, not for the log. */
  readonly print: (text: string) => void;
}

/** A command of the command line. `run` resolves with the exit code. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  run(context: CommandContext): Promise<number>;
}

export const ALLOW_DANGEROUS_TOOLS = '--allow-dangerous-tools';

type Options = { readonly environment: Environment } | { readonly fault: string };

/** The options of a command that starts the service, as changes to its environment. */
export function shellOptions(
  { arguments: given, environment }: Pick<CommandContext, 'arguments' | 'environment'>,
  others: readonly string[] = [],
): Options {
  const known = [...others, ALLOW_DANGEROUS_TOOLS];
  const unknown = given.find((option) => !known.includes(option));
  if (unknown !== undefined)
    return { fault: `Unknown option "${unknown}". Options: ${known.join(', ')}.` };
  if (!given.includes(ALLOW_DANGEROUS_TOOLS)) return { environment };
  return { environment: { ...environment, ALLOW_DANGEROUS_TOOLS: 'true' } };
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
