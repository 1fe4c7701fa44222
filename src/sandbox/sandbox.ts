import type { Logger } from 'pino';
import type { Limits } from './limits.ts';
import type { ShellWorkspace } from './shell.ts';
import type { Program, ProgramRequest } from '../contracts/program.ts';
import type { Shell } from '../contracts/shell.ts';

export interface SandboxOptions {
  /**
   * Hosts that commands may reach: `registry.example.com` or `*.example.com`, on ports 80 and 443 or on
   * a given port, such as `registry.example.com:8443`.
   */
  readonly allowHosts: readonly string[];
  /** Directories that commands can read besides the system's own, such as toolchains. */
  readonly readOnlyPaths?: readonly string[] | undefined;
  /** Paths to hide even if they are inside a readable directory: the data directory, keys. */
  readonly hiddenPaths?: readonly string[] | undefined;
  /** Variables that every command gets, by names that `lib/command-variables.ts` allows. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly log: Logger;
}

export interface Sandbox {
  /** The shell of one workspace. */
  shell(workspace: ShellWorkspace): Shell;
  /** Starts a program that runs beside the commands of a workspace. */
  start(workspace: ShellWorkspace, request: ProgramRequest): Promise<Program>;
  /** Kills all commands and programs and waits until none of their processes is left. */
  close(): Promise<void>;
}

export type SandboxOpened =
  | { readonly state: 'ready'; readonly sandbox: Sandbox }
  /** `why` says what is missing and what to do. */
  | { readonly state: 'absent'; readonly why: string };
