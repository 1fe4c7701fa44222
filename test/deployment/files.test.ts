import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { z } from 'zod';
import { PERMISSIONS } from '../../src/github/permissions.ts';

const exec = promisify(execFile);
const read = (name: string) => readFile(name, 'utf8');

describe('the Dockerfile', () => {
  it('passes its linter', async () => {
    const problems = validate(await read('Dockerfile'));
    expect(problems.map(({ message }) => message)).toEqual([]);
  });

  it('does not run as root, and runs the Node that package.json pins', async () => {
    const dockerfile = await read('Dockerfile');
    const { optionalDependencies } = z
      .object({ optionalDependencies: z.object({ node: z.string() }) })
      .parse(JSON.parse(await read('package.json')));
    expect(dockerfile).toMatch(/^USER node$/m);
    const images = [...dockerfile.matchAll(/^FROM node:([\d.]+)/gm)].map(([, version]) => version);
    expect(images).toEqual([optionalDependencies.node, optionalDependencies.node]);
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

describe('docker-compose.yml', () => {
  it('passes its schema and its linter with no warning', async () => {
    const linter = [
      'node_modules/dclint/bin/dclint.cjs',
      '--max-warnings',
      '0',
      'docker-compose.yml',
    ];
    await expect(exec(process.execPath, linter)).resolves.toBeDefined();
  });

  it('gives the service longer to stop than it takes', async () => {
    const compose = z
      .object({ services: z.object({ issuewright: z.object({ stop_grace_period: z.string() }) }) })
      .parse(parse(await read('docker-compose.yml')));
    expect(Number.parseInt(compose.services.issuewright.stop_grace_period, 10)).toBeGreaterThan(25);
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
    expect(manifest.default_permissions).toEqual(PERMISSIONS);
  });
});
