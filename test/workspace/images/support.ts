import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import { z } from 'zod';
import { whyNot as whyNoSandbox } from '../../../packages/sandbox/test/support.ts';
import type { UnpackedImage } from '../../../src/contracts/shell.ts';
import { missingImagePrograms } from '../../../src/workspace/images/skopeo.ts';
import { imageOf, ImageRegistry, programsLayer } from '../../support/oci-image.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const missing = missingImagePrograms();
if (missing.length > 0 && process.env['CI'] !== undefined)
  throw new Error(`CI has to run these tests, and misses ${missing.join(', ')}`);

/** Why tests with images cannot run here; empty: they can. */
export const whyNoImages =
  whyNoSandbox === '' && missing.length > 0
    ? `${missing.join(', ')} missing: run test/support/install-packages`
    : whyNoSandbox;

/** In this machine. */
export function pathOfProgram(name: string): string {
  const paths = ['/bin', '/usr/bin'].map((each) => join(each, name));
  return paths.find((path) => existsSync(path)) ?? name;
}

/** Those of this machine that the layers of images are made from. */
export const PROGRAMS: readonly string[] = ['sh', 'cat', 'ls', 'id', 'touch'].map(pathOfProgram);

/** Python of this machine: its programs, and what they need besides libraries. */
const PYTHON = {
  programs: ['/usr/bin/python3', ...globSync('/usr/lib/python3.*/lib-dynload/*.so')],
  paths: globSync('/usr/lib/python3.*'),
};

/** Files and directories of this machine, as a layer. */
const archiveOf = (paths: readonly string[]): { readonly tar: Buffer } => ({
  tar: execFileSync('tar', ['-C', '/', '-cf', '-', ...paths.map((path) => path.slice(1))], {
    maxBuffer: 2 ** 30,
  }),
});

const TOOLS =
  'bash chmod cp cut env grep hostname ln mkdir mount mv readlink rm sed setsid sleep sort su tee tr wc';

/** An image with Python and what scripts use, unpacked by a service of this user. */
export async function pythonImage(user: number | undefined): Promise<UnpackedImage> {
  const registry = await ImageRegistry.start();
  const allowed = [`http://${registry.host}/team/*`];
  const service = await ImageService.start({ user, allowed, maxBytes: 2 ** 30 });
  try {
    const tools = TOOLS.split(' ').map(pathOfProgram);
    const programs = programsLayer([...PROGRAMS, ...tools, ...PYTHON.programs]);
    const image = imageOf([programs, archiveOf(PYTHON.paths)]);
    const { done, error } = await service.take(registry.add('team/python', image));
    if (done === undefined) throw new Error(error);
    return { ...done, environment: {}, name: 'team/python', digest: image.digest };
  } finally {
    await service.stop();
    await registry.close();
  }
}

const Line = z.object({
  opened: z.boolean().optional(),
  logged: z.string().optional(),
  error: z.string().optional(),
  done: z
    .object({
      root: z.string(),
      facts: z.object({
        programs: z.string(),
        program: z.enum(['bash', 'sh']),
        hasGit: z.boolean(),
      }),
      outputs: z.array(z.string()),
    })
    .optional(),
});
type Line = z.infer<typeof Line>;

interface Options {
  readonly user: number | undefined;
  readonly allowed: readonly string[];
  readonly maxBytes?: number;
  readonly maxFiles?: number;
  readonly allowHosts?: readonly string[];
  /** Where the names of hosts lead. */
  readonly addresses?: Readonly<Record<string, readonly string[]>>;
  /** Of another one before it. */
  readonly directory?: string;
}

/** A process that takes images, and runs commands in them. */
export class ImageService {
  readonly directory: string;
  readonly #child: ChildProcess;
  readonly #lines: Interface;
  readonly #logged: string[] = [];
  readonly #user: number | undefined;

  private constructor(
    child: ChildProcess,
    lines: Interface,
    { user, directory }: Options & { readonly directory: string },
  ) {
    this.#child = child;
    this.#lines = lines;
    this.#user = user;
    this.directory = directory;
    lines.on('line', (text) => {
      const { logged } = Line.parse(JSON.parse(text));
      if (logged !== undefined) this.#logged.push(logged);
    });
  }

  static async start(given: Options): Promise<ImageService> {
    const { user, maxBytes = 2 ** 28, maxFiles = 20_000, allowed } = given;
    const { allowHosts = [], addresses = {} } = given;
    const directory = given.directory ?? temporaryDirectory();
    const data = join(directory, 'data');
    mkdirSync(data, { recursive: true });
    for (const path of [directory, data]) {
      chmodSync(path, 0o711);
      if (user !== undefined) chownSync(path, user, user);
    }
    const hosts = { allowHosts, addresses };
    const options = { images: join(data, 'images'), allowed, maxBytes, maxFiles, ...hosts };
    const script = join(import.meta.dirname, 'image-service.ts');
    const child = spawn(process.execPath, [script, JSON.stringify(options)], {
      ...(user === undefined ? {} : { uid: user, gid: user }),
      env: {
        TMPDIR: directory,
        PATH: process.env['PATH'],
        SECRET_OF_THE_SERVICE: 'in its environ',
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout });
    const service = new ImageService(child, lines, { ...given, directory });
    await service.#next(({ opened }) => opened === true);
    return service;
  }

  /** The names of what it keeps, without locks. */
  kept(): string[] {
    const names = readdirSync(join(this.directory, 'data/images'));
    return names.filter((name) => !name.endsWith('.lock'));
  }

  async take(reference: string, commands: readonly string[] = []): Promise<Line> {
    const around = mkdtempSync(join(this.directory, 'workspace-'));
    const workspace = join(around, 'tree');
    mkdirSync(workspace);
    if (this.#user !== undefined)
      for (const path of [around, workspace]) chownSync(path, this.#user, this.#user);
    const answer = this.#next(({ done, error }) => done !== undefined || error !== undefined);
    this.#child.stdin?.write(`${JSON.stringify({ take: reference, workspace, commands })}\n`);
    return answer;
  }

  /** Waits until it has logged this. */
  async logs(event: string): Promise<void> {
    if (!this.#logged.includes(event)) await this.#next(({ logged }) => logged === event);
  }

  async stop(): Promise<void> {
    this.#child.stdin?.end();
    if (this.#child.exitCode === null && this.#child.signalCode === null)
      await once(this.#child, 'exit');
  }

  /** As a crash would end it. */
  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    this.#child.stdin?.destroy();
    await once(this.#child, 'close');
  }

  #next(isIt: (line: Line) => boolean): Promise<Line> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error('The service ended.'));
      const look = (text: string): void => {
        const line = Line.parse(JSON.parse(text));
        if (!isIt(line)) return;
        this.#lines.off('line', look);
        this.#child.off('close', ended);
        resolve(line);
      };
      this.#lines.on('line', look);
      this.#child.once('close', ended);
    });
  }
}
