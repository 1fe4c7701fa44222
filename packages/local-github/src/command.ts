import type { CommandContext } from '../../../src/commands/command.ts';

export interface PlaygroundContext extends Pick<CommandContext, 'environment' | 'print'> {
  /** All words after the command's name, options too. */
  readonly arguments: readonly string[];
}

/** A command that is not the service's own. `run` resolves with the exit code. */
export interface PlaygroundCommand {
  readonly name: string;
  readonly summary: string;
  run(context: PlaygroundContext): Promise<number>;
}
