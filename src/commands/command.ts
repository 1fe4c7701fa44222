import type { Config, Environment } from '../config.ts';

/** A running service: its address, and how to stop it. */
export interface Service {
  readonly url: string;
  /** Stops accepting deliveries, defers the running sessions, and resolves when everything is closed. */
  stop(): Promise<void>;
  /** Resolves with the reason when the service cannot continue. */
  readonly failed: Promise<Error>;
}

/** What main.ts hands to every command. */
export interface CommandContext {
  readonly arguments: readonly string[];
  readonly environment: Environment;
  readonly startService: (config: Config) => Promise<Service>;
  /** Output for people, not for the log. */
  readonly print: (text: string) => void;
}

/** A command of the command line. `run` resolves with the exit code. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  run(context: CommandContext): Promise<number>;
}
