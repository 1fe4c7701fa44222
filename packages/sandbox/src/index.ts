// Runs commands that a model wrote. They reach the workspace and nothing else.
import { canary, whatIsMissing } from './proof/canary.ts';
import { startContainedProgram } from './contained-program.ts';
import { ContainedShell, type Machine } from './contained-shell.ts';
import { cleanEnvironment, INSIDE, digestOfSurroundings, shellPath } from './inside/environment.ts';
import { egressTo, portableProgram } from './egress/egress.ts';
import { AllowList, publicNetwork, type Network } from './egress/allow-list.ts';
import { SandboxBroken } from './running/running-sandbox.ts';
import { Identities } from './users/identity.ts';
import {
  CommandCgroups,
  removeLeftCgroups,
  delegatedCgroup,
  type DelegatedCgroup,
} from './cgroup/command-cgroups.ts';
import { defaultLimits, type SandboxLimits } from './limits.ts';
import type { ShellWorkspace } from './shell.ts';
import type {
  ContainedPaths,
  Program,
  ProgramRequest,
  Shell,
  UnpackedImage,
  Unpacker,
} from '../../../src/contracts/shell.ts';
import { hasGit } from './inside/repository.ts';
import { measured } from '../../../src/lib/measurements.ts';
import { TellPerson } from '../../../src/lib/errors.ts';
import { examineImage, unpackImage } from './images/unpack-image.ts';
import { digestOfImage, machineWith, pathsIn, type ImageShell } from './images/image-machine.ts';
import { findPrograms } from './programs.ts';
import { PreparedFiles } from './inside/prepared-files.ts';
import { seccompFilter } from './seccomp/filter.ts';
import {
  ownNode,
  mountsInTemporary,
  ownToolchain,
  systemMounts,
  unreadablePaths,
  visibleNode,
} from './inside/system-mounts.ts';
import type { Logger } from 'pino';

export interface SandboxOptions {
  /**
   * Hosts that commands may reach: `registry.example.com` or `*.example.com`, on ports 80 and 443 or on
   * a given port, such as `registry.example.com:8443`.
   */
  readonly allowHosts: readonly string[];
  /** Hosts in the same form that commands may reach at addresses of private networks too. */
  readonly privateHosts?: readonly string[] | undefined;
  /** Directories that commands can read besides the system's own, such as toolchains. */
  readonly readOnlyPaths?: readonly string[] | undefined;
  /** Paths to hide even if they are inside a readable directory: the data directory, keys. */
  readonly hiddenPaths?: readonly string[] | undefined;
  /** Variables that every command gets, by names that `session/settings/commands.ts` allows. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  readonly limits?: Partial<SandboxLimits> | undefined;
  readonly log: Logger;
}

type SandboxOpened =
  | { readonly state: 'ready'; readonly sandbox: Sandbox }
  /** `why` says what is missing and what to do. */
  | { readonly state: 'absent'; readonly why: string };

/** Only its type: whoever needs one opens it, with the attacks. */
export type { Sandbox };
export type { SandboxLimits } from './limits.ts';
export { homeOf } from './shell.ts';
export { shellProgram } from './inside/environment.ts';
export { startUnsafeProgram, unsafeShell } from './unsafe-shell.ts';

/** Opens the sandbox and attacks it from inside. It is `ready` only if every attack fails. */
export async function openSandbox(
  given: SandboxOptions,
  network: Network = publicNetwork,
): Promise<SandboxOpened> {
  const { allowHosts, privateHosts = [], log } = given;
  // Before anything else: a wrong setting is reported on every machine.
  const allowList = new AllowList(allowHosts, 'SANDBOX_ALLOW_HOSTS', privateHosts);
  const skipped = unreadablePaths(given.readOnlyPaths ?? []);
  if (skipped.length > 0)
    log.warn({ paths: skipped }, 'SANDBOX_READ_PATHS: skipped paths that commands cannot read');
  const readOnlyPaths = (given.readOnlyPaths ?? []).filter((path) => !skipped.includes(path));
  const options = { ...given, readOnlyPaths };
  // Without hosts it answers programs at once, which otherwise wait for a network.
  const node = visibleNode(readOnlyPaths);
  const openEgress = node === undefined ? undefined : egressTo(allowList, network, node);
  const openEgressInImage = egressInImage(allowList, network, node);
  const missing = whatIsMissing() ?? missingForEgress(allowList, node);
  if (missing !== undefined) return { state: 'absent', why: missing };
  const delegated = delegatedCgroup();
  if ('parent' in delegated) await removeLeftCgroups(delegated.parent);
  const sandbox = new Sandbox(options, {
    openEgress,
    openEgressInImage,
    network,
    delegated,
  });
  const why = await canary((workspace) => sandbox.shell(workspace));
  if (why === undefined) {
    sandbox.lookForPrograms();
    return { state: 'ready', sandbox };
  }
  await sandbox.close();
  return { state: 'absent', why };
}

/** The egress relay inside the sandbox runs on Node, so Node must be visible there. */
const missingForEgress = (allowList: AllowList, node: string | undefined): string | undefined =>
  allowList.isEmpty || node !== undefined
    ? undefined
    : `${allowList.setting} needs Node inside the sandbox, but ${ownNode()} is in a directory that only its owner can enter. Install Node below /usr.`;

/** The setting that lists the hosts of a program. */
const EGRESS_OF_PROGRAMS = 'MCP_SERVERS';

/** `undefined`: commands in an image reach no host, because Node does not work without the rest of the machine. */
function egressInImage(
  allowList: AllowList,
  network: Network,
  node: string | undefined,
): Machine['openEgressInImage'] {
  const portable = node === undefined ? undefined : portableProgram(node);
  return portable && egressTo(allowList, network, portable);
}

interface ProbedMachine {
  readonly openEgress: Machine['openEgress'];
  readonly openEgressInImage: Machine['openEgressInImage'];
  readonly network: Network;
  readonly delegated: DelegatedCgroup;
}

const memoryLimitBy = (delegated: DelegatedCgroup): string =>
  'parent' in delegated
    ? `The kernel limits the memory of each command, by cgroup v2 below ${delegated.parent}.`
    : `The memory of commands is watched and not limited by the kernel, because ${delegated.why}.`;

const shellOf = (image: UnpackedImage): ImageShell => ({
  ...image,
  shell: image.facts.program === 'bash' ? 'bash' : '/bin/sh',
  hasGit: image.facts.hasGit,
});

class Sandbox {
  /** What limits the memory of commands, as a sentence. */
  readonly memoryLimit: string;
  /** What commands reach. */
  readonly paths: ContainedPaths;
  /** The programs that commands find, with their versions, as a list in words. Found once. */
  programs = Promise.resolve('');
  readonly unpacker: Unpacker;
  private readonly closing = new AbortController();
  private readonly running = new Set<Promise<unknown>>();
  private readonly machine: Machine;
  private readonly network: Network;
  private readonly readOnlyPaths: readonly string[];
  /** The last command could not be started. */
  private isBroken = false;
  private proving: Promise<string | undefined> | undefined;

  constructor(options: SandboxOptions, found: ProbedMachine) {
    const { openEgress, openEgressInImage, network, delegated } = found;
    this.network = network;
    this.memoryLimit = memoryLimitBy(delegated);
    const limits = { ...defaultLimits(), ...options.limits };
    const { readOnlyPaths = [], hiddenPaths = [], environment = {} } = options;
    this.readOnlyPaths = readOnlyPaths;
    const toolchains = [...readOnlyPaths, ...ownToolchain()];
    const system = systemMounts({ readOnly: toolchains, hidden: hiddenPaths });
    const keepsTemporary = !mountsInTemporary(system);
    this.paths = {
      workspace: INSIDE.workspace,
      home: INSIDE.home,
      readable: toolchains,
      hasGit: hasGit(toolchains),
      keepsTemporary,
    };
    this.machine = {
      files: new PreparedFiles(seccompFilter(process.arch === 'arm64' ? 'arm64' : 'x64')),
      identities: new Identities(),
      environment: cleanEnvironment(INSIDE.home, readOnlyPaths, ownToolchain()),
      given: environment,
      system,
      keepsTemporary,
      readable: toolchains,
      limits,
      hasGit: this.paths.hasGit,
      cgroups:
        'parent' in delegated
          ? new CommandCgroups(delegated.parent, limits, options.log)
          : undefined,
      openEgress,
      openEgressInImage,
      shell: shellPath(),
      isImage: false,
      closing: this.closing.signal,
    };
    this.unpacker = {
      unpack: (...request) => this.follow(unpackImage(this.machine, ...request)),
      examine: (image) => {
        const inside = { ...image, shell: '/bin/sh' as const, hasGit: false };
        const machine = machineWith(this.machine, inside);
        return examineImage((directory) => new ContainedShell(machine, { directory }));
      },
    };
  }

  /** What commands in an image reach. */
  readonly pathsIn = pathsIn;

  /** The shell of one workspace; `image`: its commands see that in place of the machine's programs and files. */
  shell(workspace: ShellWorkspace, image?: UnpackedImage): Shell {
    const machine = image === undefined ? this.machine : machineWith(this.machine, shellOf(image));
    const shell = new ContainedShell(machine, workspace);
    return { run: (request) => this.follow(shell.run(request)) };
  }

  /** Starts a program that runs beside the commands of a workspace. */
  async start(workspace: ShellWorkspace, request: ProgramRequest): Promise<Program> {
    const allowList = new AllowList(request.egress, EGRESS_OF_PROGRAMS);
    const node = visibleNode(this.readOnlyPaths);
    const missing = missingForEgress(allowList, node);
    if (missing !== undefined) throw new TellPerson(missing);
    const open =
      allowList.isEmpty || node === undefined ? undefined : egressTo(allowList, this.network, node);
    const program = await startContainedProgram(this.machine, workspace, request, open);
    void this.follow(program.ended);
    return program;
  }

  /** Nobody waits for it while the service starts. */
  lookForPrograms(): void {
    this.programs = findPrograms((workspace) => this.shell(workspace));
  }

  /** A digest of what all commands have besides their workspace: variables and the programs of the machine. */
  surroundings(image?: UnpackedImage): string {
    const { environment, given } = this.machine;
    if (image !== undefined) return digestOfImage(image.digest, given);
    return digestOfSurroundings({ environment, given, readOnlyPaths: this.readOnlyPaths });
  }

  /** Rejects with what is wrong if it does not start commands any more. */
  async ready(): Promise<void> {
    const why = whatIsMissing() ?? (this.isBroken ? await this.proveAgain() : undefined);
    if (why !== undefined) throw new Error(why);
  }

  /** What was wrong may be right again, and no command may come that shows it. */
  private proveAgain(): Promise<string | undefined> {
    this.proving ??= canary((workspace) => this.shell(workspace)).finally(() => {
      this.proving = undefined;
    });
    return this.proving;
  }

  /** Kills all commands and programs and waits until none of their processes is left. */
  async close(): Promise<void> {
    this.closing.abort(new Error('The service is stopping.'));
    await Promise.allSettled(this.running);
    this.machine.files.remove();
    this.machine.identities.close();
  }

  private async follow<T>(done: Promise<T>): Promise<T> {
    this.running.add(done);
    try {
      const result = await done;
      this.isBroken = false;
      return result;
    } catch (error) {
      if (error instanceof SandboxBroken) {
        this.isBroken = true;
        measured('sandbox_refusal', { reason: 'start' });
      }
      throw error;
    } finally {
      this.running.delete(done);
    }
  }
}
