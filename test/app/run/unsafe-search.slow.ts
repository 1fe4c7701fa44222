// Questions where programs without a sandbox may write to the work tree: real git, with a cache.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as nextLook } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { ShellKind } from '../../../src/session/entry.ts';
import { json } from '../../agent/support.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { entriesOf, openService, SHELLS, type Service } from '../support.ts';

const MAX_BYTES = 2 ** 28;
const directory = join(temporaryDirectory(), 'cache');
/** Enough for an index. */
const files = Object.fromEntries(
  Array.from({ length: 300 }, (_, at) => [`fruit/f${at}.ts`, `export const apple${at} = ${at};\n`]),
);

let kind: ShellKind = 'contained';
let tree = '';
let service: Service;
beforeAll(async () => {
  const shells = {
    ...SHELLS,
    get kind() {
      return kind;
    },
    open: (place: { readonly directory: string }) => {
      tree = place.directory;
      return SHELLS.open(place);
    },
  };
  const cache = { directory, maxBytes: MAX_BYTES };
  service = await openService(files, {
    shells,
    git: { engine: 'native', maxBytes: MAX_BYTES, cache },
  });
});
afterAll(() => service.close());

/** Other directories of the cache come and go meanwhile. */
const hasIndex = (): boolean =>
  existsSync(directory) &&
  readdirSync(directory)
    .filter((name) => name.endsWith('.git'))
    .map((name) => join(directory, name, 'issuewright-words'))
    .some(
      (words) => existsSync(words) && readdirSync(words).some((name) => name.endsWith('.words')),
    );

/** What a question finds in a file that something wrote to after the look at a command. */
async function askAfterwards(): Promise<string | undefined> {
  kind = 'unsafe';
  const session = await service.start('Work with commands');
  service.model.says(
    json(['run_shell_command', { command: 'true' }]),
    async () => {
      writeFileSync(join(tree, 'fruit/f7.ts'), 'export const zebra = 1;\n');
      return json(['search_codebase', { query: 'zebra' }]);
    },
    json(['finish', { summary: 'Done.' }]),
  );
  await session.advance();
  return entriesOf(await session.journal(), 'call_finished')[1]?.output;
}

it('reads all files if commands have no sandbox, though there is an index', async () => {
  const first = await service.start('Make an index');
  service.model.says(json(['search_codebase', { query: 'apple' }]), async () => {
    while (!hasIndex()) await nextLook(10);
    return json(['finish', { summary: 'Done.' }]);
  });
  await first.advance();
  expect(hasIndex()).toBe(true);
  expect(await askAfterwards()).toContain('fruit/f7.ts');
});
