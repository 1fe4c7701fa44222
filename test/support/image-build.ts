// Carries out a Dockerfile without a container engine: each stage is a copy of a new Debian, which bubblewrap shows to its steps
// as the root of the file system. It knows the instructions that this project uses.
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join, matchesGlob } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/** The image that the stages start from has this user. */
const NODE_USER = 'node:x:1000:1000::/home/node:/bin/sh';
export const DEBOOTSTRAP = '/usr/sbin/debootstrap';
/** Names of machines. An engine shows its own. */
const NETWORK = ['/etc/resolv.conf', '/etc/hosts'];
/** Where a step finds the authorities that this machine trusts. */
const AUTHORITIES = '/run/authorities.pem';
const USERS: Readonly<Record<string, string>> = { root: '0', node: '1000' };

interface Step {
  readonly keyword: string;
  readonly rest: string;
}

export interface Built {
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

/** Where it is made. CI makes one for all that it runs. */
export const baseSystemIn = (directory: string): string =>
  join(process.env['ISSUEWRIGHT_BASE_SYSTEM'] ?? directory, 'base');

/** The release of Debian that the first image of a Dockerfile is made from. */
const releaseOf = ([first]: readonly Step[]): string =>
  / ?node:[\d.]+-([a-z]+)-slim@/.exec(first?.rest ?? '')?.[1] ?? '';

/**
 * Makes a Debian of the release that the Dockerfile names, with these packages besides. Answers why there is none, and nothing
 * if there is one.
 */
export function makeDebian(
  root: string,
  steps: readonly Step[],
  packages: readonly string[] = [],
): string {
  const release = releaseOf(steps);
  const sources = ['indextargets', '--format', '$(SITE) $(RELEASE)', 'Created-By: Packages'];
  const listed = spawnSync('/usr/bin/apt-get', sources, { encoding: 'utf8' }).stdout ?? '';
  const mirror = listed.split('\n').find((line) => line.endsWith(` ${release}`));
  const words = ['--variant=minbase'];
  if (packages.length > 0) words.push(`--include=${packages.join()}`);
  words.push(release, root, ...(mirror?.split(' ').slice(0, 1) ?? []));
  // It mounts /proc there, which nobody else is to see: with another one, a masked /proc hinders no sandbox.
  const alone = ['--mount', '--propagation', 'private', DEBOOTSTRAP, ...words];
  const { status, stdout } = spawnSync('unshare', alone, { encoding: 'utf8' });
  if (status === 0) return '';
  return `debootstrap ended with ${status}: ${stdout.trim().split('\n').slice(-3).join(' ')}`;
}

/**
 * Makes what the base image is made of: a Debian with this Node, npm and their user. Answers why there is none, and nothing if
 * it is there.
 */
export function makeBaseSystem(root: string, steps: readonly Step[]): string {
  // What is made last.
  if (existsSync(join(root, 'home/node'))) return '';
  const why = makeDebian(root, steps);
  if (why !== '') return why;
  const at = (path: string): string => join(root, path);
  copyFileSync(process.execPath, at('usr/local/bin/node'));
  const npm = join(execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim(), 'npm');
  makeDirectory(at('usr/local/lib/node_modules'));
  execFileSync('cp', ['-RP', '--preserve=mode', '--', npm, at('usr/local/lib/node_modules')]);
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', at('usr/local/bin/npm'));
  appendFileSync(at('etc/passwd'), `${NODE_USER}\n`);
  appendFileSync(at('etc/group'), 'node:x:1000:\n');
  makeDirectory(at('home/node'));
  return '';
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
  readonly #base: string;
  readonly #forNpm: Readonly<Record<string, string>>;
  readonly #ignored: readonly string[];
  readonly #stages = new Map<string, Stage>();

  /** `base`: see `makeBaseSystem`. `directory` gets the stages. `forNpm`: how npm reaches its registry here. */
  constructor(
    context: string,
    {
      base,
      directory,
      forNpm,
    }: {
      readonly base: string;
      readonly directory: string;
      readonly forNpm: Readonly<Record<string, string>>;
    },
  ) {
    this.#context = context;
    this.#directory = directory;
    this.#base = base;
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
    execFileSync('cp', ['-a', '--reflink=auto', '--', this.#base, root]);
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
  const authorities = more['NODE_EXTRA_CA_CERTS'] ?? more['npm_config_cafile'];
  const given = Object.entries(more).map(([name, value]) => [
    name,
    value === authorities ? AUTHORITIES : value,
  ]);
  const shown = NETWORK.filter(existsSync).map((path) => [path, path]);
  if (authorities !== undefined) shown.push([authorities, AUTHORITIES]);
  const variables = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: user === 'root' ? '/root' : `/home/${user}`,
    ...environment,
    ...(Object.fromEntries(given) as Record<string, string>),
  };
  const view = [
    isBuilt ? '--ro-bind' : '--bind',
    root,
    '/',
    ...'--tmpfs /run'.split(' '),
    ...shown.flatMap((paths) => ['--ro-bind', ...paths]),
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

/** Resolves once it has ended with success. */
export async function finished({ output: child }: Started, what: string): Promise<void> {
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (code !== 0) throw new Error(`${what} ended with ${code}:\n${said}`);
}
