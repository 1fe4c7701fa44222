import type { CommandRequest } from '../contracts/shell.ts';
import { TellModel } from '../lib/errors.ts';

/** Where commands run. */
export interface ShellWorkspace {
  /**
   * The work tree, by its absolute path. It lies in a directory of mode 0700 that is the workspace's
   * alone and is removed with it: the shell keeps its own things there, in `shell/`, with the `HOME` of
   * the workspace's commands. All that commands can write is these two.
   */
  readonly directory: string;
}

const MAX_COMMAND_BYTES = 100_000;

/** @throws {TellModel} */
export function requireSendable({ command, directory }: CommandRequest): void {
  if (command.includes('\0') || directory.includes('\0'))
    throw new TellModel('A command cannot hold a NUL character.');
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES)
    throw new TellModel(
      `A command has at most ${MAX_COMMAND_BYTES} bytes. Write a script to a file, and run that.`,
    );
}
