import { execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Writable, type Readable } from 'node:stream';
import { DESCRIPTORS } from '../inside/bubblewrap-arguments.ts';
import { messageOf, unlessItFails, TellPerson } from '../../../../src/lib/errors.ts';
import type { CommandCgroup, CommandCgroups } from '../cgroup/command-cgroups.ts';
import type { SandboxLimits } from '../limits.ts';
import type { StartedCommand } from './supervise.ts';
import { Watch } from '../watch/watch.ts';
import { constants, existsSync, openSync } from 'node:fs';
import { chown } from 'node:fs/promises';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import type { CommandUser } from '../users/identity.ts';

/** A command could not be started, or not contained as required. */
export class SandboxBroken extends TellPerson {
  /** The message of bubblewrap or of the system. */
  readonly complaint: string;

  constructor(complaint: string, options?: ErrorOptions) {
    super(
      `The sandbox could not start a command: ${complaint}. It worked when the service started, so something changed on this machine. docs/security.md lists what the sandbox needs.`,
      options,
    );
    this.complaint = complaint;
  }
}

const run = promisify(execFile);

/**
 * A named pipe. Node gives its children sockets, and a script that opens /dev/stderr fails on a socket.
 */
export async function makeOutputPipe(path: string, owner?: CommandUser): Promise<void> {
  if (!existsSync(path)) await run('mkfifo', ['-m', '600', path]);
  if (owner !== undefined) await chown(path, owner.uid, owner.gid);
}

export interface OutputPipe {
  /** Ends when the last writer has closed it. */
  readonly output: Socket;
  /** For the child. The caller closes it after the child was started. */
  readonly writeEnd: number;
}

export function openOutputPipe(path: string): OutputPipe {
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const output = new Socket({ fd: readEnd, readable: true, writable: false });
  return { output, writeEnd: openSync(path, constants.O_WRONLY) };
}

interface WatchOptions {
  /** Which may grow only so much. */
  readonly directories: readonly [string, ...string[]];
  readonly limits: SandboxLimits;
  /** Set if each command gets a cgroup. It then waits until it is in there. */
  readonly cgroups: CommandCgroups | undefined;
  /** Limits process 1, which waits until that is done; set if no program of ours does it inside. */
  readonly limit?: ((pid: number) => Promise<void>) | undefined;
}

/** bubblewrap and what runs in it. */
export class RunningSandbox implements StartedCommand {
  readonly output: Readable;
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  private readonly watched: WatchOptions;
  private readonly begun: Promise<number | undefined>;
  private firstProcess: number | undefined;
  private cgroup: CommandCgroup | undefined;
  private onOverrun: Parameters<StartedCommand['watch']>[0] = () => {};
  private status = '';
  private complaint = '';
  private killed = false;
  private notLimited: string | undefined;

  constructor(child: ChildProcess, output: Readable, watched: WatchOptions) {
    this.child = child;
    this.output = output;
    this.watched = watched;
    this.begun = this.readStatus();
    child.stderr?.on('data', (chunk: Buffer) => {
      this.complaint = (this.complaint + chunk.toString()).slice(0, 2000);
    });
    this.ended = this.waitForEnd();
  }

  /**
   * Killing process 1 kills all others. bubblewrap itself waits for that. Until bubblewrap has said which one it is,
   * nothing can be killed: without bubblewrap, a process 1 that is just starting would wait for it forever.
   */
  kill(): void {
    this.killed = true;
    const { exitCode, signalCode } = this.child;
    if (exitCode !== null || signalCode !== null) return;
    if (this.firstProcess !== undefined) killUnlessEnded(this.firstProcess);
  }

  watch(onOverrun: Parameters<StartedCommand['watch']>[0]): () => Promise<void> {
    const { directories, limits } = this.watched;
    this.onOverrun = onOverrun;
    const watching = this.begun.then((pid) =>
      pid === undefined
        ? undefined
        : new Watch({ pid, directories, limits, cgroup: this.cgroup, onOverrun }),
    );
    return async () => (await watching)?.stop();
  }

  /** The host's pid of process 1, or `undefined` if bubblewrap ended without one. */
  private readStatus(): Promise<number | undefined> {
    return new Promise((resolve) => {
      const stream = this.child.stdio[DESCRIPTORS.status];
      stream?.on('data', (chunk: Buffer) => {
        this.status += chunk.toString();
        const pid = numberIn(this.status, 'child-pid');
        if (pid === undefined || this.firstProcess !== undefined) return;
        this.firstProcess = pid;
        if (this.killed) killUnlessEnded(pid);
        this.letStart(pid);
        resolve(pid);
      });
      this.child.once('close', () => resolve(undefined));
      this.child.once('error', () => resolve(undefined));
    });
  }

  private letStart(pid: number): void {
    const { cgroups, limit } = this.watched;
    this.cgroup = cgroups?.enter(pid);
    const start: unknown = this.child.stdio.at(DESCRIPTORS.start);
    if (!(start instanceof Writable)) return;
    const go = (): void => void start.on('error', () => {}).end('.');
    if (limit === undefined) return go();
    limit(pid).then(go, (error: unknown) => {
      this.notLimited = `its limits could not be set: ${messageOf(error)}`;
      this.kill();
    });
  }

  private async leaveCgroup(): Promise<void> {
    // The kernel may have killed it between two looks of the watch.
    if (this.cgroup?.ranOutOfMemory() === true) this.onOverrun('memory');
    await this.cgroup?.remove();
  }

  private async waitForEnd(): Promise<number | null> {
    try {
      await once(this.child, 'close');
    } catch (error) {
      throw new SandboxBroken(String(error), { cause: error });
    }
    await this.leaveCgroup();
    if (this.notLimited !== undefined) throw new SandboxBroken(this.notLimited);
    if (this.killed) return null;
    const exitCode = numberIn(this.status, 'exit-code');
    const isOurs = this.watched.limit === undefined;
    const hasFailed = isOurs && exitCode !== 0 && /^prlimit: /m.test(this.complaint);
    if (exitCode !== undefined && !hasFailed) return exitCode;
    throw new SandboxBroken(this.complaint.trim() || 'bubblewrap gave no reason');
  }
}

/** Kills a process, or a process group if `pid` is negative. */
export const killUnlessEnded = (pid: number): void =>
  void unlessItFails(() => process.kill(pid, 'SIGKILL'));

function numberIn(status: string, name: string): number | undefined {
  const [, digits] = new RegExp(`"${name}": (\\d+)`).exec(status) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
