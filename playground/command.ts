import type { CommandContext } from '../src/commands/command.ts';

export type PlaygroundContext = Pick<CommandContext, 'arguments' | 'environment' | 'print'>;

/** A command of `bin/playground.js`. `run` resolves with the exit code. */
export interface PlaygroundCommand {
  readonly name: string;
  readonly summary: string;
  run(context: PlaygroundContext): Promise<number>;
}
