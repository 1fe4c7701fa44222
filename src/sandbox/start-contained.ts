import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { messageOf } from '../lib/errors.ts';
import { DESCRIPTORS, bubblewrapArguments, type Containment } from './bubblewrap-arguments.ts';
import { startFirstVictim } from './first-victim.ts';
import type { Identity } from './identity.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';
import { killQuietly } from './kill-quietly.ts';
import type { Limits } from './limits.ts';
import { openOutputPipe } from './output-pipe.ts';
import { SandboxBroken } from './sandbox-broken.ts';
import type { Started } from './supervise.ts';
import { Watch } from './watch/watch.ts';

const PROGRAMS = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

export const bubblewrap = (): string | undefined => PROGRAMS.find((path) => existsSync(path));

/**
 * Process 1 of the sandbox. It starts the command and waits for it, so that the command handles signals
 * as it does anywhere else. All other processes die with it. Its own stderr carries only messages of the
 * sandbox.
 */
const FIRST_PROCESS = 'cd -- "./$2" 2>&1 && /bin/sh -c "$1" 2>&1\nexit $?';

export interface Contained extends Containment {
  readonly command: string;
  /** Runs before the command, in the first process. */
  readonly preparation: string;
  /** Relative to the workspace. */
  readonly startIn: string;
  readonly outputPipe: string;
  readonly identity: Identity | undefined;
  /** The path of the system call filter. */
  readonly filter: string;
}

export function startContained(contained: Contained): Started {
  const { command, startIn, outputPipe, identity } = contained;
  const { output, writeEnd } = openOutputPipe(outputPipe);
  const filter = openSync(contained.filter, 'r');
  const nothing = openSync('/dev/null', 'r');
  const script = contained.preparation + FIRST_PROCESS;
  const first = ['/bin/sh', '-c', script, 'sh', command, startIn];
  try {
    const child = startFirstVictim(() =>
      spawn(bubblewrap() ?? 'bwrap', [...bubblewrapArguments(contained), ...first], {
        ...identity,
        cwd: '/',
        env: {},
        detached: true,
        stdio: covering(['ignore', writeEnd, 'pipe', 'pipe', filter], nothing),
      }),
    );
    return new RunningSandbox(child, output, contained);
  } catch (error) {
    output.destroy();
    throw new SandboxBroken(messageOf(error), { cause: error });
  } finally {
    for (const descriptor of [writeEnd, filter, nothing]) closeSync(descriptor);
  }
}

type Stdio = ('ignore' | 'pipe' | number)[];

/** Replaces every descriptor that the service inherited, and would pass on, with `nothing`. */
function covering(stdio: Stdio, nothing: number): Stdio {
  const covered = [...stdio];
  for (const descriptor of inheritedDescriptors()) {
    if (descriptor < stdio.length) continue;
    while (covered.length < descriptor) covered.push('ignore');
    covered[descriptor] = nothing;
  }
  return covered;
}

class RunningSandbox implements Started {
  readonly output: Readable;
  readonly ended: Promise<number | null>;
  private readonly child: ChildProcess;
  private readonly contained: {
    readonly workspace: string;
    readonly home: string;
    readonly limits: Limits;
  };
  private readonly begun: Promise<number | undefined>;
  private firstProcess: number | undefined;
  private status = '';
  private complaint = '';
  private killed = false;

  constructor(child: ChildProcess, output: Readable, contained: Contained) {
    this.child = child;
    this.output = output;
    this.contained = contained;
    this.begun = this.readStatus();
    child.stderr?.on('data', (chunk: Buffer) => {
      this.complaint = (this.complaint + chunk.toString()).slice(0, 2000);
    });
    this.ended = this.waitForEnd();
  }

  /** Killing process 1 kills all others. bubblewrap itself waits for that. */
  kill(): void {
    this.killed = true;
    const { exitCode, signalCode } = this.child;
    if (exitCode !== null || signalCode !== null) return;
    if (this.firstProcess === undefined) this.child.kill('SIGKILL');
    else killQuietly(this.firstProcess);
  }

  watch(onOverrun: Parameters<Started['watch']>[0]): () => Promise<void> {
    const { workspace, home, limits } = this.contained;
    const watching = this.begun.then((pid) =>
      pid === undefined
        ? undefined
        : new Watch({ pid, directories: [workspace, home], limits, onOverrun }),
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
        if (this.killed) killQuietly(pid);
        resolve(pid);
      });
      this.child.once('close', () => resolve(undefined));
      this.child.once('error', () => resolve(undefined));
    });
  }

  private async waitForEnd(): Promise<number | null> {
    try {
      await once(this.child, 'close');
    } catch (error) {
      throw new SandboxBroken(String(error), { cause: error });
    }
    if (this.killed) return null;
    const exitCode = numberIn(this.status, 'exit-code');
    if (exitCode !== undefined && !(exitCode !== 0 && /^prlimit: /m.test(this.complaint)))
      return exitCode;
    throw new SandboxBroken(this.complaint.trim() || 'bubblewrap gave no reason');
  }
}

function numberIn(status: string, name: string): number | undefined {
  const [, digits] = new RegExp(`"${name}": (\\d+)`).exec(status) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
