import { spawn, type ChildProcess } from 'node:child_process';
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
  statSync,
} from 'node:fs';
import { messageOf, unlessItFails } from '../../../../src/lib/errors.ts';
import { bubblewrapArguments, type Containment } from '../inside/bubblewrap-arguments.ts';
import type { CommandUser } from '../users/identity.ts';
import type { CommandCgroups } from '../cgroup/command-cgroups.ts';
import { limitProcess } from '../limits.ts';
import type { StartedCommand } from './supervise.ts';
import {
  RunningSandbox,
  killUnlessEnded,
  openOutputPipe,
  SandboxBroken,
} from './running-sandbox.ts';
import { dirname } from 'node:path';
import { INSIDE } from '../inside/environment.ts';
import { startOf } from '../process-stat.ts';

const BUBBLEWRAP = ['/usr/bin/bwrap', '/usr/local/bin/bwrap', '/bin/bwrap'];

export const bubblewrap = (): string | undefined => BUBBLEWRAP.find((path) => existsSync(path));

/**
 * Process 1 of the sandbox. It starts the command and waits for it, so that the command handles signals
 * as it does anywhere else. All other processes die with it. Its own stderr carries only messages of the
 * sandbox.
 */
const FIRST_PROCESS = 'cd -- "./$2" 2>&1 && "$3" -c "$1" 2>&1\nexit $?';

/** What is started in bubblewrap, and as whom. */
export interface EnclosedProcess extends Containment {
  /** Variables besides those of its environment; no name may steer bubblewrap itself. */
  readonly given: Readonly<Record<string, string>>;
  readonly identity: CommandUser | undefined;
  /** The path of the system call filter. */
  readonly filter: string;
}

export interface ContainedCommand extends EnclosedProcess {
  readonly command: string;
  /** Runs before the command, in the first process. */
  readonly preparation: string;
  /** Relative to the workspace. */
  readonly startIn: string;
  readonly outputPipe: string;
  /** Directories besides the workspace and the home that it may write to. */
  readonly watched: readonly string[];
  readonly cgroups: CommandCgroups | undefined;
  /** What reads the command, as it is found inside. */
  readonly shell: string;
}

export function startContained(contained: ContainedCommand): StartedCommand {
  const { command, startIn, outputPipe, preparation, workspace, home, limits, cgroups } = contained;
  const directories = [workspace, home, ...contained.watched] as const;
  const { output, writeEnd } = openOutputPipe(outputPipe);
  const first = [preparation + FIRST_PROCESS, 'sh', command, startIn, contained.shell];
  const isByCgroup = cgroups !== undefined;
  const limit = (pid: number): Promise<void> =>
    limitProcess(pid, limits, { isByCgroup, user: contained.identity });
  try {
    const child = spawnEnclosed(contained, first, ['ignore', writeEnd]);
    return new RunningSandbox(child, output, {
      directories,
      limits,
      cgroups,
      limit: contained.limitedFromOutside ? limit : undefined,
    });
  } catch (error) {
    output.destroy();
    throw error;
  } finally {
    closeSync(writeEnd);
  }
}

/**
 * Starts bubblewrap. The first process is a shell; `script` is what follows its `-c`.
 * @throws {SandboxBroken}
 */
export function spawnEnclosed(
  enclosed: EnclosedProcess,
  script: readonly string[],
  [input, output]: readonly ['ignore' | 'pipe', 'pipe' | number],
): ChildProcess {
  const filter = openSync(enclosed.filter, 'r');
  const nothing = openSync('/dev/null', 'r');
  const first = ['/bin/sh', '-c', ...script];
  const start = enclosed.waits ? (['pipe'] as const) : [];
  try {
    return startFirstVictim(() =>
      spawn(bubblewrap() ?? 'bwrap', [...bubblewrapArguments(enclosed), ...first], {
        ...enclosed.identity,
        cwd: '/',
        // Not as arguments, which every user of this machine can read.
        env: enclosed.given,
        detached: true,
        stdio: covering([input, output, 'pipe', 'pipe', filter, ...start], nothing),
      }),
    );
  } catch (error) {
    throw new SandboxBroken(messageOf(error), { cause: error });
  } finally {
    for (const descriptor of [filter, nothing]) closeSync(descriptor);
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

const SCORE = '/proc/self/oom_score_adj';
const HIGHEST = '1000';

/**
 * Starts a process that the kernel kills first if the machine runs out of memory, with all its descendants. They
 * inherit the score from this process, which takes its own back. If it has CAP_SYS_RESOURCE, they cannot lower
 * theirs. If there is no such score here, it only starts the process.
 */
function startFirstVictim<T>(start: () => T): T {
  const own = unlessItFails(() => readFileSync(SCORE, 'latin1'));
  if (own === undefined) return start();
  unlessItFails(() => writeFileSync(SCORE, HIGHEST));
  try {
    return start();
  } finally {
    unlessItFails(() => writeFileSync(SCORE, own));
  }
}

const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors above 2 that this process inherited and that every child would inherit too. Descriptors
 * that Node opens are closed in children.
 */
function inheritedDescriptors(): readonly number[] {
  known ??= readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => descriptor > 2 && passesOn(descriptor));
  return known;
}

/** Read once: they do not change after the process has started. */
let known: readonly number[] | undefined;

function passesOn(descriptor: number): boolean {
  const info = unlessItFails(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'));
  if (info === undefined) return false; // The descriptor of the directory listing itself.
  const [, flags] = /^flags:\s+([0-7]+)$/m.exec(info) ?? [];
  return (Number.parseInt(flags ?? '0', 8) & CLOSE_ON_EXEC) === 0;
}

const ROOT = 0;

/**
 * Ends what is left of bubblewrap in the workspaces below a directory, whose service is dead: if the service is killed
 * while a sandbox starts, a process of it may wait forever. Only for processes of this user, or of any if it is root.
 */
export function endLeftovers(directory: string): void {
  for (const name of unlessItFails(() => readdirSync('/proc')) ?? []) {
    const start = /^\d+$/.test(name) ? startOf(name) : undefined;
    if (start === undefined || !isLeftover(name, directory)) continue;
    // By now another process may have its id.
    if (startOf(name) === start) killUnlessEnded(Number(name));
  }
}

function isLeftover(pid: string, directory: string): boolean {
  const own = process.getuid?.();
  const uid = unlessItFails(() => statSync(`/proc/${pid}`).uid);
  if (uid === undefined || (own !== ROOT && uid !== own)) return false;
  const line = unlessItFails(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '';
  const [program = '', ...args] = line.split('\0');
  const workspace = args.find(
    (_, at) => args[at - 1] === '--bind' && args[at + 1] === INSIDE.workspace,
  );
  return (
    BUBBLEWRAP.includes(program) && workspace !== undefined && dirname(workspace) === directory
  );
}
