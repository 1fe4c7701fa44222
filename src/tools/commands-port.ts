// Commands in a workspace that is set up, as the tools need them.
import type { CommandDone, CommandRequest } from './shell-port.ts';

/** What a repository settles about its commands. */
export interface CommandSettings {
  /** The only ones that may be run, `*` for anything in one simple command; all where not given. */
  readonly allow: readonly string[] | undefined;
  /** What runs its tests. */
  readonly test: string | undefined;
  /** What prepares a workspace, in this order. */
  readonly setup: readonly string[];
}

/** A command that prepared the workspace, with the end of its output. */
export interface SetupRun {
  readonly command: string;
  readonly done: CommandDone;
}

export interface CommandReport {
  readonly done: CommandDone;
  /** What was run before it to prepare the workspace; mostly nothing. */
  readonly setup: readonly SetupRun[];
  /** Sentences about the files that were changed, for the model. */
  readonly notes: readonly string[];
}

export interface Commands {
  readonly settings: CommandSettings;
  /**
   * Prepares the workspace where it has to be, and runs a command. What is changed is part of the call.
   * @throws {TellPerson} where the sandbox has broken
   */
  run(request: CommandRequest): Promise<CommandReport>;
}
