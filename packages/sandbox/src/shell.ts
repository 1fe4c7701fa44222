import { dirname, join } from 'node:path';
import type { BorrowedDirectories, CommandRequest } from '../../../src/contracts/shell.ts';
import { TellModel } from '../../../src/lib/errors.ts';

/** Where commands run. */
export interface ShellWorkspace {
  /**
   * The absolute path of the work tree. Its parent directory has mode 0700, belongs to the workspace alone
   * and is removed with it. The shell keeps its files in `shell/` there, including the commands' `HOME`.
   * Commands can write to these two directories only.
   */
  readonly directory: string;
  readonly borrowed?: BorrowedDirectories | undefined;
}

/** Next to the workspace: the commands' home, their output pipe and the egress socket; programs' too. */
export const OWN_DIRECTORY = 'shell';

/** The `HOME` of the commands of a workspace, as we see it. It is there once a command has run. */
export const homeOf = ({ directory }: ShellWorkspace): string =>
  join(dirname(directory), OWN_DIRECTORY, 'home');

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

/** One word of a shell's script. */
export const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
