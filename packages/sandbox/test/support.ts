import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import type { SandboxLimits } from '../src/index.ts';
import { lockFile, type FileLock } from '../../../src/workspace/git/engines/native/file-lock.ts';
import type {
  CommandDone,
  CommandRepository,
  UnpackedImage,
} from '../../../src/contracts/shell.ts';
import { isRoot, whyNoOtherUser } from '../../../test/support/other-user.ts';
import { temporaryDirectory } from '../../../test/support/temporary-directory.ts';

const PROGRAMS = ['/usr/bin/bwrap', '/usr/bin/prlimit', '/usr/bin/python3'];
const missing = PROGRAMS.filter((path) => !existsSync(path));
if (missing.length > 0 && process.env['CI'] !== undefined)
  throw new Error(`CI has to run these tests, and misses ${missing.join(', ')}`);

/** Why the tests of the sandbox cannot run here; empty: they can. */
export const whyNot =
  process.platform === 'linux'
    ? missing.map((path) => `${path} is missing: run test/support/install-packages`).join('; ')
    : 'there is no sandbox outside of Linux';

/** Each test file has its own, which distinguishes its processes from those of others. */
const OTHER_USER = 60_400 + (process.pid % 199);

/** Users that a service may run as; only root can start one of another. */
export const USERS: readonly (readonly [string, number | undefined])[] = [
  [isRoot ? 'as root' : 'as the user of the tests', undefined],
  ...(whyNoOtherUser === '' ? [['as a user of its own', OTHER_USER] as const] : []),
];

const Line = z.object({
  opened: z.string().optional(),
  memoryLimit: z.string().optional(),
  id: z.number().optional(),
  output: z.string().optional(),
  error: z.string().optional(),
  done: z.custom<CommandDone>().optional(),
});

/** What ends by itself, or has to be ended, takes a tenth of it on a quiet machine. */
const COMMAND_MS = 100_000;

const LOCK_DIRECTORY = 'node_modules/.cache';
export const LOCK_MS = 600_000;

/**
 * For tests with a low limit of memory, one file at a time: each service sees what the kernel holds for the commands of all of
 * them, and ends its own for it.
 */
export async function alone(): Promise<FileLock> {
  mkdirSync(LOCK_DIRECTORY, { recursive: true });
  const { signal } = new AbortController();
  const wait = { signal, seconds: LOCK_MS / 1_000 };
  const lock = await lockFile(join(LOCK_DIRECTORY, 'memory-limit-tests.lock'), wait);
  if (lock === undefined) throw new Error('other tests of memory limits do not end');
  return lock;
}

export interface ServiceOptions {
  readonly limits?: Partial<SandboxLimits>;
  readonly hiddenPaths?: readonly string[];
  readonly readOnlyPaths?: readonly string[];
  /** What its commands run in; the files of this machine if omitted. */
  readonly image?: UnpackedImage;
}

interface Waiting {
  output: string;
  readonly onOutput: (all: string) => void;
  readonly resolve: (done: CommandDone) => void;
  readonly reject: (error: Error) => void;
}

/** A child process that runs commands in its sandbox. */
export class Service {
  readonly child: ChildProcess;
  /** `TMPDIR` of the service, and a place for the test's own files. */
  readonly directory: string;
  opened = '';
  memoryLimit = '';
  private readonly user: number | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private lastId = 0;

  private constructor(child: ChildProcess, directory: string, user: number | undefined) {
    this.child = child;
    this.directory = directory;
    this.user = user;
  }

  static async start(user: number | undefined, options: ServiceOptions = {}): Promise<Service> {
    const directory = temporaryDirectory();
    chmodSync(directory, 0o711);
    if (user !== undefined) chownSync(directory, user, user);
    const script = join(import.meta.dirname, 'service.ts');
    const child = spawn(process.execPath, [script, JSON.stringify(options)], {
      ...(user === undefined ? {} : { uid: user, gid: user }),
      env: {
        TMPDIR: directory,
        PATH: process.env['PATH'],
        SECRET_OF_THE_SERVICE: 'in its environ',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const service = new Service(child, directory, user);
    await service.listen();
    return service;
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** A work tree in a directory of its own, with a trusted git directory beside it. */
  workspace(files: Readonly<Record<string, string>> = {}): string {
    const around = mkdtempSync(join(this.directory, 'workspace-'));
    const tree = join(around, 'tree');
    mkdirSync(tree);
    mkdirSync(join(around, 'git'));
    for (const [name, text] of Object.entries({ ...files, '../git/HEAD': 'ref: trusted\n' }))
      this.write(join(tree, name), text);
    for (const path of [around, tree, join(around, 'git')]) this.own(path);
    return tree;
  }

  /** A file of the service's user. */
  write(path: string, text: string): string {
    writeFileSync(path, text);
    this.own(path);
    return path;
  }

  own(path: string): void {
    if (this.user !== undefined) chownSync(path, this.user, this.user);
  }

  run(
    directory: string,
    command: string,
    {
      timeoutMs = COMMAND_MS,
      onOutput = () => {},
      repository,
    }: {
      timeoutMs?: number;
      onOutput?: (all: string) => void;
      repository?: CommandRepository;
    } = {},
  ): Promise<CommandDone> {
    const id = (this.lastId += 1);
    const line = { id, directory, command, timeoutMs, repository };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { output: '', onOutput, resolve, reject });
      this.child.stdin?.write(`${JSON.stringify(line)}\n`);
    });
  }

  /** stdout and stderr of a command that ended by itself. */
  async output(directory: string, command: string): Promise<string> {
    const { ended, output } = await this.run(directory, command);
    if (ended !== 'exited') throw new Error(`It was ended: ${ended}`);
    return output.head + output.tail;
  }

  async stop(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode === null && this.child.signalCode === null)
      await once(this.child, 'exit');
  }

  /** As a crash would end it. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    this.child.stdin?.destroy();
    await once(this.child, 'close');
  }

  private async listen(): Promise<void> {
    const { stdout } = this.child;
    if (stdout === null) throw new Error('The service has no output.');
    await new Promise<void>((resolve, reject) => {
      this.child.once('exit', () => reject(new Error('The service ended.')));
      createInterface({ input: stdout }).on('line', (text) => {
        const line = Line.parse(JSON.parse(text));
        if (line.opened !== undefined) {
          this.opened = line.opened;
          this.memoryLimit = line.memoryLimit ?? '';
          resolve();
        } else this.take(line);
      });
    });
  }

  private take({ id = 0, output, error, done }: z.infer<typeof Line>): void {
    const one = this.waiting.get(id);
    if (one === undefined) return;
    if (output !== undefined) one.onOutput((one.output += output));
    if (done !== undefined) one.resolve(done);
    if (error !== undefined) one.reject(new Error(error));
  }
}

/** Command lines of all processes that hold the text. */
export const processesWith = (text: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine)
    .filter((line) => line.includes(text));

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Where Node is below /tmp, it is mounted there, and commands get an empty /tmp each time. */
export const hasLastingTmp = (): boolean => !realpathSync(process.execPath).startsWith('/tmp/');
