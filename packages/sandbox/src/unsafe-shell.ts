import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { messageOf, unlessItFails } from '../../../src/lib/errors.ts';
import { endWords } from './contained-program.ts';
import { cleanEnvironment, shellPath } from './inside/environment.ts';
import {
  killUnlessEnded,
  makeOutputPipe,
  openOutputPipe,
  SandboxBroken,
} from './running/running-sandbox.ts';
import { defaultLimits, type SandboxLimits } from './limits.ts';
import { OWN_DIRECTORY, requireSendable, type ShellWorkspace } from './shell.ts';
import type {
  Program,
  ProgramRequest,
  CommandDone,
  CommandRequest,
  Shell,
} from '../../../src/contracts/shell.ts';
import { supervise, type StartedCommand } from './running/supervise.ts';
import { ownToolchain } from './inside/system-mounts.ts';

const GRACE_MS = 500;
/** What a value begins with that is a path in the workspace, or an option with one, such as `--root=/workspace`. */
const IN_WORKSPACE = /(?<=^(?:--?[\w-]+=)?)\/workspace(?=\/|$)/;

interface UnsafeOptions {
  readonly limits?: Partial<SandboxLimits>;
  /** Variables that every command gets. */
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * A shell without containment: its commands can do whatever the service can. Only time and output are
 * limited. The environment is clean, and the process group dies with the command.
 */
export function unsafeShell(
  { directory }: ShellWorkspace,
  { limits, environment = {} }: UnsafeOptions = {},
): Shell {
  const own = join(dirname(directory), OWN_DIRECTORY);
  const { output } = { ...defaultLimits(), ...limits };
  let last: Promise<unknown> = Promise.resolve();
  const runNow = async (request: CommandRequest): Promise<CommandDone> => {
    requireSendable(request);
    request.signal.throwIfAborted();
    const given = { ...request.environment, ...environment };
    const started = await start({ ...request, environment: given }, directory, own);
    return { ...(await supervise(started, request, output)), disallowedHosts: [] };
  };
  return {
    run: (request) => {
      const done = last.then(() => runNow(request));
      last = done.catch(() => {});
      return done;
    },
  };
}

async function start(
  request: CommandRequest,
  workspace: string,
  own: string,
): Promise<StartedCommand> {
  const home = join(own, 'home');
  const temporary = join(own, 'tmp');
  await mkdir(home, { recursive: true });
  await mkdir(temporary, { recursive: true });
  await makeOutputPipe(join(own, 'output'));
  const { output, writeEnd } = openOutputPipe(join(own, 'output'));
  try {
    const child = spawn(shellPath(), ['-c', request.command], {
      cwd: join(workspace, request.directory),
      env: {
        ...request.environment,
        ...cleanEnvironment(home, [], ownToolchain()),
        TMPDIR: temporary,
      },
      // A process group of its own.
      detached: true,
      stdio: ['ignore', writeEnd, writeEnd],
    });
    return uncontained(child, output);
  } catch (error) {
    output.destroy();
    throw new SandboxBroken(messageOf(error), { cause: error });
  } finally {
    closeSync(writeEnd);
  }
}

function uncontained(child: ChildProcess, output: Readable): StartedCommand {
  const { pid } = child;
  let isKilled = false;
  const end = async (): Promise<number | null> => {
    const [code, signal] = (await once(child, 'exit').catch((error: unknown) => {
      throw new SandboxBroken(messageOf(error), { cause: error });
    })) as [number, null] | [null, NodeJS.Signals];
    if (pid !== undefined) killUnlessEnded(-pid);
    // A process that left the group may still hold the pipe open.
    const grace = setTimeout(() => output.destroy(), GRACE_MS);
    output.once('close', () => clearTimeout(grace));
    if (isKilled) return null;
    return code === null ? 128 + constants.signals[signal] : code;
  };
  return {
    output,
    ended: end(),
    kill: () => {
      isKilled = true;
      if (pid === undefined) return;
      for (const process of descendants(pid)) killUnlessEnded(process);
      killUnlessEnded(-pid);
    },
    watch: () => () => Promise.resolve(),
  };
}

/** Processes whose parent has died are not found. */
function descendants(pid: number): number[] {
  const children = childrenOf(pid);
  return [...children, ...children.flatMap(descendants)];
}

function childrenOf(pid: number): number[] {
  const children = unlessItFails(() =>
    readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1').split(' '),
    ),
  );
  return (children ?? []).filter((word) => word !== '').map(Number);
}

/**
 * Starts a program without containment: it can do whatever the service can. Where its arguments and variables name the
 * workspace as in the sandbox, it gets the true path, or that of an empty directory if it is not to see the files.
 */
export async function startUnsafeProgram(
  { directory }: ShellWorkspace,
  { name, command, args, environment, seesWorkspace, onOutput, onErrorOutput }: ProgramRequest,
): Promise<Program> {
  const own = join(dirname(directory), OWN_DIRECTORY, `program-${name}`);
  const home = join(own, 'home');
  const workspace = seesWorkspace ? directory : join(own, 'empty');
  await mkdir(home, { recursive: true });
  await mkdir(workspace, { recursive: true });
  const here = (value: string): string => value.replace(IN_WORKSPACE, () => workspace);
  const variables = Object.entries(environment).map(([key, value]) => [key, here(value)] as const);
  const child = spawn(command, args.map(here), {
    cwd: workspace,
    env: { ...cleanEnvironment(home, [], ownToolchain()), ...Object.fromEntries(variables) },
    detached: true,
  });
  const { stdin, stdout, stderr } = child;
  stdin.on('error', () => {});
  stdout.on('data', onOutput);
  stderr.on('data', onErrorOutput);
  const running = uncontained(child, stdout);
  return {
    write: (text) => {
      if (stdin.writable) stdin.write(text);
    },
    get unread() {
      return stdin.writableLength;
    },
    ended: running.ended.then(endWords, messageOf),
    kill: () => running.kill(),
  };
}
