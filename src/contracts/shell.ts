// Commands in a workspace, programs that run beside a run, and the images in which commands run.

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

// A container image whose file system commands see in place of the machine's.

/** What commands find in an image. Found once, by a command. */
export interface ImageInventory {
  /** As a list in words; empty if that is not known. */
  readonly programs: string;
  readonly program: ShellProgram;
  readonly hasGit: boolean;
}

/** The file system of an image, unpacked. Nothing writes to it. */
export interface ImageRoot {
  /** The absolute path of its root directory, in which are only files, directories and links. */
  readonly root: string;
  /** The variables that it gives its programs. */
  readonly environment: Readonly<Record<string, string>>;
}

/** An image that commands can run in. */
export interface UnpackedImage extends ImageRoot {
  /** As people name it, such as `docker.io/library/python:3.12`. */
  readonly name: string;
  readonly digest: string;
  readonly facts: ImageInventory;
  /** How long it took to fetch and unpack it; missing if it was here already. */
  readonly seconds?: number;
}

/** An image as people hear of it. */
export type ImageOfCommands = Pick<UnpackedImage, 'name' | 'digest' | 'seconds'>;

export interface ImageLimits {
  /** Of the packed and the unpacked files, each. */
  readonly bytes: number;
  readonly files: number;
}

/** What unpacks an image, contained. */
export interface Unpacker {
  /**
   * Unpacks the image in `tree/layout` of a directory, which is for this alone, to `rootfs` there.
   * @throws {TellPerson} if that is not possible
   */
  unpack(directory: string, limits: ImageLimits, signal: AbortSignal): Promise<void>;
  /** @throws {TellPerson} if no command runs in it */
  examine(image: ImageRoot): Promise<ImageInventory>;
}
