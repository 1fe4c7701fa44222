// Programs that run beside a run and are spoken to through their pipes, such as local MCP servers.

export interface ProgramRequest {
  /** Names its directory: letters, digits, `-` and `_`. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Besides what every command gets, such as `PATH`. */
  readonly environment: Readonly<Record<string, string>>;
  /** Hosts that it may reach, as in `SANDBOX_ALLOW_HOSTS`. */
  readonly egress: readonly string[];
  /** Whether it can read the files of the workspace. It never can change them. */
  readonly seesWorkspace: boolean;
  /** Must not throw. */
  readonly onOutput: (chunk: Uint8Array) => void;
  /** Of the program, and of what contains it. Must not throw. */
  readonly onErrorOutput: (chunk: Uint8Array) => void;
}

export interface Program {
  /** Nothing happens once it has ended. */
  write(text: string): void;
  /** Bytes that it has not read yet. */
  readonly unread: number;
  /** Why it ended, in words. Resolves when none of its processes is left. Never rejects. */
  readonly ended: Promise<string>;
  kill(): void;
}

/** @throws {TellPerson} if the sandbox is broken */
export type StartProgram = (request: ProgramRequest) => Promise<Program>;
