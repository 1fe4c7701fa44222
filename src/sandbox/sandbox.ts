import type { Logger } from 'pino';
import type { Limits } from './limits.ts';
import type { Shell, ShellWorkspace } from './shell.ts';

export interface SandboxOptions {
  /**
   * Hosts that commands may reach: `registry.example.com`, `*.example.com`, on the ports 80 and 443 or on
   * one that is named, as `registry.example.com:8443`.
   */
  readonly allowHosts: readonly string[];
  /** What commands can read beside the system's own directories: toolchains, say. */
  readonly readOnlyPaths?: readonly string[] | undefined;
  /** Never to be seen, should they lie in what can be read: data directory, keys. */
  readonly hiddenPaths?: readonly string[] | undefined;
  readonly limits?: Partial<Limits> | undefined;
  readonly log: Logger;
}

export interface Sandbox {
  /** For one workspace. */
  shell(workspace: ShellWorkspace): Shell;
  /** Ends all commands, and waits until nothing of them runs. */
  close(): Promise<void>;
}

export type SandboxOpened =
  | { readonly state: 'ready'; readonly sandbox: Sandbox }
  /** In words: what is missing, and what to do. */
  | { readonly state: 'absent'; readonly why: string };
