import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { TellModel } from '../../src/lib/errors.ts';
import type { StoredChange } from '../../src/contracts/files.ts';
import { startGitServer } from '../support/git-server.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';
import { cases } from '../support/cases.ts';
import { openScene } from './command-scene.ts';
import { text } from './support.ts';

let server: GitServer;
let repository: TestRepository;

beforeAll(async () => {
  server = await startGitServer();
  repository = server.createRepository('octo/sample', {
    'README.md': 'Sample\n',
    'src/a.ts': 'a\n',
    'tracked.log': 'log\n',
    '.gitignore': 'dist/\n*.log\n',
  });
});
afterAll(async () => server.close());

type Scene = Awaited<ReturnType<typeof openScene>>;
type Step = (scene: Scene) => Promise<unknown>;

const path = fc.constantFrom(
  'dist/a',
  'dist/deep/b',
  'x.log',
  'src/a.ts',
  'src/y.log',
  'new',
  'tracked.log',
);
const rules = fc
  .subarray(['dist/', '*.log', 'new', 'src/', '!x.log', 'deep'])
  .map((lines) => lines.map((line) => `${line}\n`).join(''));
const content = fc.constantFrom('one\n', 'two\n', 'three\n');

const put = ({ at }: Scene, to: string, what: string): void => {
  mkdirSync(dirname(at(to)), { recursive: true });
  writeFileSync(at(to), what);
};
/** By a tool; what it refuses changes nothing. */
const tool = async ({ keep }: Scene, act: () => Promise<unknown>): Promise<void> => {
  await act().catch((error: unknown) => {
    if (!(error instanceof TellModel)) throw error;
  });
  await keep();
};
const write = fc.tuple(path, content).map(
  ([to, what]): Step =>
    (scene) =>
      tool(scene, () => scene.workspace.files.write(to, text(what))),
);
const rename = fc.tuple(path, path).map(
  ([from, to]): Step =>
    (scene) =>
      tool(scene, () => scene.workspace.files.rename([{ from, to }])),
);
const remove = path.map(
  (from): Step =>
    (scene) =>
      tool(scene, () => scene.workspace.files.delete(from)),
);
const ignore = rules.map(
  (lines): Step =>
    (scene) =>
      tool(scene, () => scene.workspace.files.write('.gitignore', text(lines))),
);
const make = fc.tuple(path, content, fc.boolean()).map(
  ([to, what, isSetup]): Step =>
    (scene) =>
      scene.command(() => put(scene, to, what), { isSetup }),
);
const ignoreByCommand = rules.map(
  (lines): Step =>
    (scene) =>
      scene.command(() => put(scene, '.gitignore', lines)),
);
const move = fc.tuple(path, path).map(
  ([from, to]): Step =>
    (scene) =>
      scene.command(() => {
        put(scene, from, 'moved\n');
        put(scene, to, '');
        renameSync(scene.at(from), scene.at(to));
      }),
);
const moveDirectory: Step = (scene) =>
  scene.command(() => {
    put(scene, 'dist/a', 'moved\n');
    rmSync(scene.at('docs'), { recursive: true, force: true });
    renameSync(scene.at('dist'), scene.at('docs'));
  });

const unmake = path.map(
  (from): Step =>
    (scene) =>
      scene.command(() => rmSync(scene.at(from), { recursive: true, force: true })),
);
const hide = fc.constantFrom('src', 'dist').map(
  (directory): Step =>
    (scene) =>
      scene.command(() => void mkdirSync(scene.at(`${directory}/.git`), { recursive: true })),
);
const DIRECTORIES = ['src', 'dist', 'docs'];
/** Repositories inside are not stored, so a workspace that is opened again hides nothing by them. */
const unhide: Step = (scene) =>
  scene.command(() => {
    for (const directory of DIRECTORIES)
      rmSync(scene.at(`${directory}/.git`), { recursive: true, force: true });
  });

const step = fc.oneof(
  write,
  rename,
  remove,
  ignore,
  make,
  ignoreByCommand,
  move,
  unmake,
  hide,
  fc.constant(unhide),
  fc.constant(moveDirectory),
);

it('what would be committed is what a workspace holds that is opened again, whatever was uncovered', async () => {
  const steps = fc.array(step, { minLength: 3, maxLength: 10 });
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const stored: StoredChange[] = [];
      const scene = await openScene(server, repository);
      const { workspace } = scene;
      const drain = workspace.drain.bind(workspace);
      workspace.drain = async () => {
        const changes = await drain();
        stored.push(...changes);
        return changes;
      };
      for (const act of [...all, unhide]) await act(scene);
      const found = await workspace.git.diff('');
      await workspace.close();
      const again = await openScene(server, repository, { changes: stored });
      expect(await again.workspace.git.diff('')).toEqual(found);
      await again.workspace.close();
    }),
    { numRuns: cases(40, 1_000), endOnFailure: true },
  );
}, 900_000);

it('refuses what would store more than 256 MiB of uncommitted changes, until a commit takes them', async () => {
  const MIB = 1024 * 1024;
  const large = { path: 'large', mode: '100644', content: Buffer.alloc(256 * MIB - 100) } as const;
  // As after a restart: what was stored before counts too.
  const scene = await openScene(server, repository, { changes: [large] });
  const { workspace, at, command, keep } = scene;
  const { files } = workspace;
  const hundred = text('x'.repeat(100));
  await files.write('small', hundred);
  await keep();
  await expect(files.write('other', text('x'))).rejects.toThrow(/more than 256 MiB. Commit what/);
  expect(existsSync(at('other'))).toBe(false);
  await files.write('small', hundred);
  await keep();
  const { excess } = await command(() => writeFileSync(at('built'), 'x'));
  expect(excess).toMatch(/more than 0 MiB \(all that is left for what is not committed yet\)/);
  expect(existsSync(at('built'))).toBe(false);
  await files.delete('large');
  await keep();
  await files.write('other', hundred);
  await keep();
  await workspace.close();
});
