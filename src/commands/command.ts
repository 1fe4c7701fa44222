import type { Config, Environment } from '../config.ts';

/** A service that listens: the address it answers at, and how to end it. */
export interface Service {
  readonly url: string;
  /** Stops intake, puts the running sessions aside and resolves when nothing is open any more. */
  stop(): Promise<void>;
  /** Resolves with the reason when the service cannot go on. */
  readonly failed: Promise<Error>;
}

/** What main.ts hands to every command. */
export interface CommandContext {
  readonly arguments: readonly string[];
  readonly environment: Environment;
  readonly startService: (config: Config) => Promise<Service>;
  /** For people: the words of the command line, not the log. */
  readonly print: (text: string) => void;
}

/** One word of the command line. `run` resolves with the exit code. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  run(context: CommandContext): Promise<number>;
}
