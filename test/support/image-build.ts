// Carries out a Dockerfile without a container engine: each stage is a directory that bubblewrap shows to its steps as the root
// of the file system, with the programs of this machine below it. It knows the instructions that this project uses.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, matchesGlob } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** The image that the stages start from has this user. */
const NODE_USER = 'node:x:1000:1000::/home/node:/bin/sh';
const SYSTEM = ['/usr', ...globSync('/{bin,sbin,lib,lib32,lib64,libx32}')];
/** Names of machines and their certificates, for npm. */
const NETWORK = ['/etc/resolv.conf', '/etc/hosts', '/etc/nsswitch.conf', '/etc/ssl'];
const USERS: Readonly<Record<string, string>> = { root: '0', node: '1000' };

interface Step {
  readonly keyword: string;
  readonly rest: string;
}

export interface Built {
  /** `RUN` steps that are for the package manager of the system. */
  readonly leftOut: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly user: string;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
  /** Starts a program in the image as its user. Only its volumes can be written to, by their owners. */
  start(words: readonly string[], more?: Readonly<Record<string, string>>): Started;
}

/** A program that is the first process of its own system, as in a container. */
export interface Started {
  readonly output: ChildProcess;
  /** Sends it a signal. */
  signal(name: NodeJS.Signals): Promise<void>;
}

interface Stage {
  readonly root: string;
  readonly environment: Record<string, string>;
  readonly volumes: string[];
  workDirectory: string;
  user: string;
  command: readonly string[];
  healthCheck: readonly string[];
}

/** The instructions of a Dockerfile, in order. */
export const stepsOf = (dockerfile: string): readonly Step[] =>
  dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, keyword = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
      return { keyword, rest: rest.trim() };
    });

const wordsOf = (rest: string): string[] => rest.split(/\s+/);

/** Whether the build never sees this path of the checkout. */
function isIgnored(path: string, patterns: readonly string[]): boolean {
  const ways = path.split('/').map((_, index, parts) => parts.slice(0, index + 1).join('/'));
  return ways.some((way) => patterns.some((pattern) => matchesGlob(way, pattern)));
}

export class ImageBuild {
  readonly #context: string;
  readonly #directory: string;
  readonly #forNpm: Readonly<Record<string, string>>;
  readonly #ignored: readonly string[];
  readonly #stages = new Map<string, Stage>();
  readonly #leftOut: string[] = [];

  /** `directory` gets the stages. `forNpm`: how npm reaches its registry here. */
  constructor(context: string, directory: string, forNpm: Readonly<Record<string, string>>) {
    this.#context = context;
    this.#directory = directory;
    this.#forNpm = forNpm;
    this.#ignored = readFileSync(join(context, '.dockerignore'), 'utf8').trim().split('\n');
  }

  async run(steps: readonly Step[]): Promise<Built> {
    let stage: Stage | undefined;
    for (const step of steps) {
      if (step.keyword === 'FROM') stage = this.#begin(step.rest);
      else if (stage === undefined) throw new Error(`${step.keyword} before FROM`);
      else await this.#apply(stage, step);
    }
    if (stage === undefined) throw new Error('no stage');
    const { environment, user, command, healthCheck } = stage;
    return {
      leftOut: this.#leftOut,
      environment,
      user,
      command,
      healthCheck,
      start: (words, more) => start(stage, words, { isBuilt: true, more }),
    };
  }

  #begin(rest: string): Stage {
    const [, name = `stage ${this.#stages.size}`] = / AS (\S+)$/.exec(rest) ?? [];
    const root = join(this.#directory, name);
    for (const path of ['etc/ssl', 'tmp', 'opt/node', 'proc', 'dev', 'home/node'])
      makeDirectory(join(root, path));
    for (const path of NETWORK.slice(0, -1)) writeFileSync(join(root, path), '');
    for (const path of SYSTEM)
      if (isLink(path)) symlinkSync(realpathSync(path).slice(1), join(root, path));
      else makeDirectory(join(root, path));
    writeFileSync(join(root, 'etc/passwd'), `root:x:0:0::/root:/bin/sh\n${NODE_USER}\n`);
    writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
    for (const name of ['passwd', 'group']) chmodSync(join(root, 'etc', name), 0o644);
    const none = { volumes: [], workDirectory: '/', user: 'root', command: [], healthCheck: [] };
    const stage: Stage = { root, environment: {}, ...none };
    this.#stages.set(name, stage);
    return stage;
  }

  async #apply(stage: Stage, { keyword, rest }: Step): Promise<void> {
    switch (keyword) {
      case 'WORKDIR':
        stage.workDirectory = rest;
        makeDirectory(join(stage.root, rest));
        return;
      case 'ENV':
        for (const pair of wordsOf(rest)) {
          const [name = '', value = ''] = pair.split('=');
          stage.environment[name] = value;
        }
        return;
      case 'COPY':
        return this.#copy(stage, wordsOf(rest));
      case 'RUN':
        if (rest.startsWith('apt-get ')) return void this.#leftOut.push(rest);
        return finished(start(stage, ['sh', '-ec', rest], { more: this.#forNpm }), rest);
      case 'USER':
        stage.user = rest;
        return;
      case 'VOLUME':
        stage.volumes.push(...wordsOf(rest));
        return;
      case 'HEALTHCHECK':
        stage.healthCheck = JSON.parse(rest.replace(/^.*?CMD /, '')) as string[];
        return;
      case 'CMD':
        stage.command = JSON.parse(rest) as string[];
        return;
      case 'LABEL':
      case 'EXPOSE':
      case 'STOPSIGNAL':
        return;
      default:
        throw new Error(`${keyword} is not known here`);
    }
  }

  #copy(stage: Stage, words: readonly string[]): void {
    const [, from] = /^--from=(.*)$/.exec(words[0] ?? '') ?? [];
    const paths = words.slice(from === undefined ? 0 : 1);
    const to = join(stage.root, stage.workDirectory, paths.at(-1) ?? '');
    const isDirectory = paths.at(-1)?.endsWith('/') ?? false;
    for (const path of paths.slice(0, -1)) {
      const origin = from === undefined ? this.#context : this.#stages.get(from)?.root;
      if (origin === undefined) throw new Error(`there is no stage ${from}`);
      if (from === undefined && isIgnored(path, this.#ignored))
        throw new Error(`.dockerignore leaves out ${path}, which is copied`);
      const target = isDirectory ? join(to, basename(path)) : to;
      makeDirectory(dirname(target));
      // Like an engine it keeps the modes, whatever the umask is.
      execFileSync('cp', ['-RP', '--preserve=mode', '--', join(origin, path), target]);
    }
  }
}

interface HowToStart {
  readonly isBuilt?: boolean;
  readonly more?: Readonly<Record<string, string>> | undefined;
}

/** In a stage as `USER` and `WORKDIR` say. What is built is read-only, but for its volumes. */
function start(stage: Stage, words: readonly string[], how: HowToStart): Started {
  const { root, environment, volumes, workDirectory, user } = stage;
  const { isBuilt = false, more = {} } = how;
  const id = USERS[user];
  if (id === undefined) throw new Error(`the user ${user} is not known here`);
  const writable = isBuilt ? volumes.flatMap((path) => ['--bind', join(root, path), path]) : [];
  const shown = [...SYSTEM.filter((path) => !isLink(path)), ...NETWORK.filter(existsSync)];
  const variables = {
    PATH: '/opt/node:/usr/local/bin:/usr/bin:/bin',
    HOME: user === 'root' ? '/root' : `/home/${user}`,
    ...environment,
    ...more,
  };
  const view = [
    isBuilt ? '--ro-bind' : '--bind',
    root,
    '/',
    ...shown.flatMap((path) => ['--ro-bind', path, path]),
    '--ro-bind',
    dirname(realpathSync(process.execPath)),
    '/opt/node',
    ...'--proc /proc --dev /dev --perms 1777 --tmpfs /tmp'.split(' '),
    ...writable,
    ...'--unshare-pid --as-pid-1 --die-with-parent --info-fd 3'.split(' '),
    ...'--cap-add ALL --clearenv --chdir'.split(' '),
    workDirectory,
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
  ];
  const asUser = ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--no-new-privs'];
  const as = [...asUser, 'sh', '-c', 'umask 022; exec "$@"', 'sh'];
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'] as const;
  const output = spawn('/usr/bin/bwrap', [...view, ...as, ...words], { stdio: [...stdio] });
  const told = text(output.stdio[3] as Readable);
  return {
    output,
    signal: async (name) => {
      const { 'child-pid': pid } = JSON.parse(await told) as { readonly 'child-pid': number };
      process.kill(pid, name);
    },
  };
}

/** With the modes that an engine gives it, whatever the umask is. */
function makeDirectory(path: string): void {
  const first = mkdirSync(path, { recursive: true });
  if (first === undefined) return;
  for (let at = path; at.length >= first.length; at = dirname(at)) chmodSync(at, 0o755);
}

const isLink = (path: string): boolean => realpathSync(path) !== path;

/** Resolves once it has ended with success. */
export async function finished({ output: child }: Started, what: string): Promise<void> {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${what} ended with ${code}:\n${said}`);
}
