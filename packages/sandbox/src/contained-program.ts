import { chmod, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Program, ProgramRequest, Overrun } from '../../../src/contracts/shell.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import type { Machine } from './contained-shell.ts';
import type { Egress, OpenEgress } from './egress/egress.ts';
import { INSIDE } from './inside/environment.ts';
import { handOver, makeOwned } from './users/identity.ts';
import { RunningSandbox } from './running/running-sandbox.ts';
import { OWN_DIRECTORY, type ShellWorkspace } from './shell.ts';
import { spawnEnclosed } from './running/start-contained.ts';

/** Process 1 of the sandbox. It starts the program and waits for it. */
const FIRST_PROCESS = '"$@"\nexit $?';

/** Names that steer nothing: bubblewrap and process 1 have the values under them. */
const CARRIER = 'SERVER_VALUE_';

/** The program reads the workspace, or does not even see it. */
const READ_ONLY = ['--remount-ro', INSIDE.workspace];
const HIDDEN = ['--tmpfs', INSIDE.workspace, '--remount-ro', INSIDE.workspace];

const OVERRUN: Readonly<Record<Overrun, string>> = {
  memory: 'it used too much memory',
  disk: 'it wrote too much to its disk',
  timeout: 'it ran too long',
  output: 'it wrote too much',
};

/** Starts a program in the sandbox, beside the commands of a workspace. It lives until it is killed. */
export async function startContainedProgram(
  machine: Machine,
  { directory: workspace }: ShellWorkspace,
  request: ProgramRequest,
  openEgress: OpenEgress | undefined,
): Promise<Program> {
  machine.closing.throwIfAborted();
  const shared = join(dirname(workspace), OWN_DIRECTORY);
  const own = join(shared, `program-${request.name}`);
  const home = join(own, 'home');
  const identity = await machine.identities.of(workspace);
  if (identity !== undefined) await handOver(workspace, shared, identity);
  await mkdir(own, { recursive: true });
  for (const directory of [shared, own]) await chmod(directory, 0o711);
  await makeOwned(home, identity);
  const egress = await openEgress?.(join(own, 'egress'), identity);
  const { environment, system, limits, files } = machine;
  const names = Object.keys(request.environment);
  const values = Object.values(request.environment);
  const enclosed = {
    workspace,
    home,
    environment: { ...environment, ...egress?.environment },
    given: Object.fromEntries(values.map((value, at) => [`${CARRIER}${at}`, value])),
    system,
    limits,
    waits: machine.cgroups !== undefined,
    limitedFromOutside: false,
    extra: [...(egress?.mounts ?? []), ...(request.seesWorkspace ? READ_ONLY : HIDDEN)],
    identity,
    ...files.paths(),
  };
  const first = (egress?.script ?? '') + renaming(names) + FIRST_PROCESS;
  const script = [first, 'sh', request.command, ...request.args];
  try {
    const child = spawnEnclosed(enclosed, script, ['pipe', 'pipe']);
    return follow(child, request, { machine, home, egress });
  } catch (error) {
    await egress?.close();
    throw error;
  }
}

/**
 * Gives the program its variables by their own names, which could steer bubblewrap. Not as arguments, which every user
 * of this machine can read. A name that the shell keeps for itself, as some do with `UID`, is left out.
 */
function renaming(names: readonly string[]): string {
  const lines = names.map((name, at) => {
    const carrier = `${CARRIER}${at}`;
    return `command export ${name}="$${carrier}" || :\nunset ${carrier}\n`;
  });
  return lines.join('');
}

interface ProgramSurroundings {
  readonly machine: Machine;
  readonly home: string;
  readonly egress: Egress | undefined;
}

function follow(
  child: ReturnType<typeof spawnEnclosed>,
  { onOutput, onErrorOutput }: ProgramRequest,
  { machine, home, egress }: ProgramSurroundings,
): Program {
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null) throw new Error('the program has no pipes');
  const running = new RunningSandbox(child, stdout, {
    directories: [home],
    limits: machine.limits,
    cgroups: machine.cgroups,
  });
  let overrun: Overrun | undefined;
  const stopWatching = running.watch((why) => {
    overrun ??= why;
    running.kill();
  });
  const kill = (): void => running.kill();
  machine.closing.addEventListener('abort', kill, { once: true });
  stdin.on('error', () => {});
  stdout.on('error', () => {}).on('data', onOutput);
  stderr?.on('data', onErrorOutput);
  const cleanUp = async (): Promise<void> => {
    machine.closing.removeEventListener('abort', kill);
    await stopWatching();
    await egress?.close();
  };
  const why = running.ended.then(
    (code) => (overrun === undefined ? endWords(code) : OVERRUN[overrun]),
    messageOf,
  );
  return {
    write: (text) => {
      if (stdin.writable) stdin.write(text);
    },
    get unread() {
      return stdin.writableLength;
    },
    ended: why.then(async (words) => {
      await cleanUp();
      return words;
    }),
    kill,
  };
}

const NOT_FOUND = 127;

export function endWords(code: number | null): string {
  if (code === null) return 'it was ended';
  const why = code === NOT_FOUND ? ': its program was not found where it runs' : '';
  return `it ended with exit code ${code}${why}`;
}
