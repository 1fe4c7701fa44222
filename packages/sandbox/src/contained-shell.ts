import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Egress, OpenEgress } from './egress/egress.ts';
import {
  handOver,
  makeOwned,
  takeBack,
  type CommandUser,
  type Identities,
} from './users/identity.ts';
import type { CommandCgroups } from './cgroup/command-cgroups.ts';
import type { SandboxLimits } from './limits.ts';
import { makeOutputPipe } from './running/running-sandbox.ts';
import type { PreparedFiles } from './inside/prepared-files.ts';
import { homeOf, OWN_DIRECTORY, requireSendable, type ShellWorkspace } from './shell.ts';
import type {
  BorrowedDirectories,
  CommandDone,
  CommandRepository,
  CommandRequest,
  Shell,
} from '../../../src/contracts/shell.ts';
import { borrowedMounts, mountable, removeMountPoints } from './inside/environment.ts';
import {
  giveRepository,
  hasRoom,
  prepareRepository,
  removeMountPoint,
  repositoryMounts,
} from './inside/repository.ts';
import { mountsInTemporary } from './inside/system-mounts.ts';
import { startContained } from './running/start-contained.ts';
import { supervise, type StartedCommand } from './running/supervise.ts';

/** What all shells of one sandbox share. */
export interface Machine {
  readonly files: PreparedFiles;
  readonly identities: Identities;
  readonly environment: Readonly<Record<string, string>>;
  /** What the operator adds. */
  readonly given: Readonly<Record<string, string>>;
  readonly system: readonly string[];
  /** Arguments that mount /etc; a copy of what of the machine's is no secret if omitted. */
  readonly etc?: readonly string[];
  /** What reads commands, as they find it. */
  readonly shell: string;
  /** The programs are those of an image, and not ours. */
  readonly isImage: boolean;
  /** Whether /tmp may last: nothing of the system is mounted there. */
  readonly keepsTemporary: boolean;
  /** Directories that commands can read besides the system's own. */
  readonly readable: readonly string[];
  readonly limits: SandboxLimits;
  /** Whether commands find the program git. */
  readonly hasGit: boolean;
  /** Set if the kernel limits the memory of commands. */
  readonly cgroups: CommandCgroups | undefined;
  /** Set if commands may reach some hosts. */
  readonly openEgress: OpenEgress | undefined;
  /** The same for commands in an image, which has no Node that is ours. */
  readonly openEgressInImage: OpenEgress | undefined;
  /** Ends all commands. */
  readonly closing: AbortSignal;
}

export class ContainedShell implements Shell {
  private readonly machine: Machine;
  private readonly workspace: string;
  private readonly own: string;
  /** The git directory of commands. Nothing of the service reads it. */
  private readonly gitDirectory: string;
  private readonly temporary: string;
  private readonly borrowed: BorrowedDirectories | undefined;
  private last: Promise<unknown> = Promise.resolve();

  constructor(machine: Machine, { directory, borrowed }: ShellWorkspace) {
    this.machine = machine;
    this.borrowed = borrowed;
    this.workspace = directory;
    this.own = join(dirname(directory), OWN_DIRECTORY);
    this.gitDirectory = join(this.own, 'git');
    this.temporary = join(this.own, 'tmp');
  }

  run(request: CommandRequest): Promise<CommandDone> {
    const done = this.last.then(() => this.runNow(request));
    this.last = done.catch(() => {});
    return done;
  }

  private async runNow(request: CommandRequest): Promise<CommandDone> {
    requireSendable(request);
    const { machine, workspace } = this;
    const signal = AbortSignal.any([request.signal, machine.closing]);
    signal.throwIfAborted();
    const identity = await machine.identities.of(workspace);
    await this.prepare(identity);
    signal.throwIfAborted();
    const repository = await this.repositoryFor(request, identity);
    const { borrowed } = this;
    const paths = borrowed === undefined ? [] : mountable(workspace, borrowed);
    const mounts = borrowed && borrowedMounts(borrowed, paths, machine);
    const egress = await machine.openEgress?.(join(this.own, 'egress'), identity);
    try {
      const started = this.start({ ...request, repository, mounts }, identity, egress);
      const done = await supervise(started, { ...request, signal }, machine.limits.output);
      return { ...done, ...((await egress?.close()) ?? { disallowedHosts: [] }) };
    } finally {
      await egress?.close();
      if (repository !== undefined) removeMountPoint(workspace);
      removeMountPoints(workspace, paths);
      if (identity === undefined) await takeBack(workspace);
    }
  }

  private async repositoryFor(
    { repository }: CommandRequest,
    identity: CommandUser | undefined,
  ): Promise<CommandRepository | undefined> {
    if (repository === undefined || !this.machine.hasGit || !hasRoom(this.workspace))
      return undefined;
    await giveRepository(repository, identity);
    if (!existsSync(this.gitDirectory)) await makeOwned(this.gitDirectory, identity);
    return repository;
  }

  private start(
    {
      command,
      directory,
      environment: asked,
      repository,
      mounts = [],
    }: CommandRequest & { readonly mounts: readonly string[] | undefined },
    identity: CommandUser | undefined,
    egress: Egress | undefined,
  ): StartedCommand {
    const { environment, given, system, limits, cgroups, files, keepsTemporary } = this.machine;
    const { shell, isImage } = this.machine;
    const { etc, filter } = files.paths();
    const isKept = keepsTemporary && !mountsInTemporary(mounts);
    return startContained({
      workspace: this.workspace,
      home: homeOf({ directory: this.workspace }),
      environment: { ...environment, ...egress?.environment },
      given: { ...asked, ...given },
      system,
      limits,
      cgroups,
      waits: cgroups !== undefined || isImage,
      limitedFromOutside: isImage,
      shell,
      temporary: isKept ? this.temporary : undefined,
      extra: [
        ...(egress?.mounts ?? []),
        ...mounts,
        ...(repository === undefined ? [] : repositoryMounts(repository, this.gitDirectory)),
      ],
      preparation:
        (egress?.script ?? '') + (repository === undefined ? '' : prepareRepository(repository)),
      watched: [
        ...(isKept ? [this.temporary] : []),
        ...(repository === undefined ? [] : [this.gitDirectory]),
      ],
      command,
      startIn: directory,
      outputPipe: join(this.own, 'output'),
      identity,
      filter,
      etc: this.machine.etc ?? etc,
    });
  }

  private async prepare(identity: CommandUser | undefined): Promise<void> {
    if (identity !== undefined) await handOver(this.workspace, this.own, identity);
    const outputPipe = join(this.own, 'output');
    // A command may have closed it.
    if (existsSync(outputPipe)) return chmod(this.temporary, 0o700);
    await mkdir(this.own, { recursive: true });
    await chmod(this.own, 0o711);
    for (const path of [homeOf({ directory: this.workspace }), this.temporary])
      await makeOwned(path, identity);
    await makeOutputPipe(outputPipe, identity);
  }
}
