// Commands in a workspace.

export interface CommandRequest {
  /** For `bash -c`, or `sh -c`. */
  readonly command: string;
  /** Where it starts, relative to the repository's root; empty: there. */
  readonly directory: string;
  /** At most `longestMs`; longer is cut to that. */
  readonly timeoutMs: number;
  /** 300,000 if omitted. */
  readonly longestMs?: number;
  readonly signal: AbortSignal;
  /** Output as it comes, stdout and stderr as one. Must not throw. */
  readonly onOutput?: (text: string) => void;
  /** Variables besides those that every command has, and that win. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Git then works in the command, if it is contained. */
  readonly repository?: CommandRepository | undefined;
}

/**
 * A directory of the service that contained commands see read-only: `objects`, and `template`, from which a git directory
 * of their own is made. Nothing else of the repository reaches them.
 */
export interface CommandRepository {
  /** An absolute path. */
  readonly directory: string;
  /** The tree that the files of the workspace are compared with. */
  readonly tree: string;
  /** How many commits of each line of history it has; all if omitted. */
  readonly historyDepth?: number | undefined;
  /** Another one if anything in the directory has changed. A line without blanks. */
  readonly version: string;
}

/** Directories of a person's folder that its commands see in the workspace, at the same paths, and cannot change. */
export interface BorrowedDirectories {
  /** The folder; an absolute path without links. */
  readonly root: string;
  /** Relative to it. */
  readonly paths: readonly string[];
}

/** What reads a command. */
export type ShellProgram = 'bash' | 'sh';

/** What contained commands reach, as they see it. */
export interface ContainedPaths {
  readonly workspace: string;
  /** They can write there too. */
  readonly home: string;
  /** Directories to read besides the system's own. */
  readonly readable: readonly string[];
  /** Whether they have the program git. */
  readonly hasGit: boolean;
  /** Whether files in /tmp last as long as the workspace. */
  readonly keepsTemporary: boolean;
}

/** Why a command ended before it was done. */
export type Overrun = 'timeout' | 'memory' | 'disk' | 'output';

export interface CommandDone {
  /**
   * `exited`: by itself. Otherwise its whole tree was killed: it took too long, too much memory, too
   * much disk, or it put out too much.
   */
  readonly ended: 'exited' | Overrun;
  /** 128 + the signal's number if a signal ended it; `null` if it was killed. */
  readonly exitCode: number | null;
  readonly output: CommandOutput;
  readonly durationMs: number;
  /** Hosts that it wanted to reach and was not allowed to, each once, `host:port`. */
  readonly disallowedHosts: readonly string[];
  /** Those that it was allowed to reach, if their addresses were public. */
  readonly notPublicHosts?: readonly string[];
}

/** What a command did to the files of its workspace. */
export interface CommandChanges {
  /** Files that the command changed. The next drain includes them. */
  readonly changed: readonly string[];
  /** Those of them that only commands made, and no call named: commits leave them out. */
  readonly made?: readonly string[];
  /** Protected files that the command changed. They were restored. */
  readonly reverted: readonly string[];
  /** What it changed and no commit takes. It stays in the workspace. */
  readonly leftOut: FilesLeftOut;
  /** A sentence that says which earlier changes no commit takes any more, and why. */
  readonly uncommitted?: string;
  /** Why all of its changes were discarded; the text follows "it changed". */
  readonly excess: string | undefined;
}

export interface FilesLeftOut {
  /** Files that a setup command changed, as long as nothing else changes them. */
  readonly bySetup: readonly string[];
  /** Protected files that a setup command made, now or before. */
  readonly protectedBySetup: readonly string[];
  /** Symbolic links that lead out of the repository. */
  readonly links: readonly string[];
  /** Directories of git repositories that it made. */
  readonly repositories: readonly string[];
  /** What it made, changed or deleted under names that are not UTF-8. */
  readonly names: readonly string[];
  /** Pipes, sockets and devices that it made. */
  readonly special: readonly string[];
  /** What it changed below submodules. */
  readonly submodules: readonly string[];
  /** What it made under names that are git's own. */
  readonly gitNames: readonly string[];
  /** What was there before, hidden from commits: by .gitignore, or as part of another repository. */
  readonly uncovered: readonly string[];
}

/** stdout and stderr in the order in which they came, as UTF-8. */
export interface CommandOutput {
  readonly head: string;
  /** The last part; empty if `head` is everything. */
  readonly tail: string;
  /** Bytes between the two that were not kept. */
  readonly left: number;
}

export interface Shell {
  /**
   * Runs a command. When it resolves, its changes to the workspace are in place and none of its processes runs
   * any more. Commands of one shell run one after the other.
   * @throws {TellModel} if the command cannot be passed to a shell: too long, or with a NUL
   * @throws {TellPerson} if the sandbox is broken
   * @throws the signal's reason, once the command is dead
   */
  run(request: CommandRequest): Promise<CommandDone>;
}
