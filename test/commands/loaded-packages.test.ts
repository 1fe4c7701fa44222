// How much a command has to load before it begins.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';

const LISTED = `
  import module from 'node:module';
  const packages = new Set();
  module.registerHooks({
    load(url, context, next) {
      const [, name] = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name !== undefined) packages.add(name);
      return next(url, context);
    },
  });
  await import(process.argv[1]);
  console.log(JSON.stringify([...packages]));
`;

/** The packages that a module of ours loads at once. */
async function packagesOf(path: string): Promise<string[]> {
  const url = new URL(`../../src/${path}`, import.meta.url).href;
  const words = ['--input-type=module', '--eval', LISTED, url];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  return JSON.parse(stdout) as string[];
}

it.each([['commands/program.ts'], ['commands/run/work-in-folder.ts']])(
  '%s loads no database, model client, dictionary, page or telemetry',
  async (path) => {
    const loaded = await packagesOf(path);
    expect(loaded).toContain('zod');
    const late =
      /^(?:kysely|pg|pg-boss|openai|@anthropic-ai|@google|@zxcvbn-ts|fastify|probot|parse5|pino-pretty|@opentelemetry|@vscode|@modelcontextprotocol)/;
    expect(loaded.filter((name) => late.test(name))).toEqual([]);
  },
);
