import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGitServer } from '../support/git-server.ts';
import type { GitServer } from '../support/git-server.ts';
import { openScene } from './command-scene.ts';
import { text } from './support.ts';

let server: GitServer;
let scene: Awaited<ReturnType<typeof openScene>>;

/** A run that changed a file, wrote others, one of them where .gitignore ignores it, and deleted one. */
beforeAll(async () => {
  server = await startGitServer();
  const files = {
    'README.md': 'Sample\n',
    'src/a.ts': 'a\n',
    'src/b.ts': 'b\n',
    'old/c.ts': 'c\n',
  };
  const repository = server.createRepository('octo/sample', { ...files, '.gitignore': 'dist/\n' });
  scene = await openScene(server, repository);
  const { workspace, keep } = scene;
  const written = { 'own.txt': 'own\n', 'new/deep/own.ts': 'deep\n', 'src/a.ts': 'mine\n' };
  for (const [path, content] of Object.entries({ ...written, 'dist/out': 'out\n' }))
    await workspace.files.write(path, text(content));
  await workspace.files.delete('old/c.ts');
  await keep();
});
afterAll(async () => {
  await scene.workspace.close();
  await server.close();
});

const sh = (script: string): void =>
  void execFileSync('bash', ['-ec', script], { cwd: scene.at('.'), stdio: 'pipe' });

/** Every file and its content; another word for what is no file. */
const all = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(scene.at('.'), { recursive: true, encoding: 'utf8' })
      .filter((path) => !lstatSync(scene.at(path)).isDirectory())
      .toSorted()
      .map((path) => [
        path,
        lstatSync(scene.at(path)).isFile() ? readFileSync(scene.at(path), 'utf8') : 'no file',
      ]),
  );

const found = async (): Promise<string[]> =>
  (await scene.workspace.git.changes()).map(({ path, status }) => `${status} ${path}`);

const socketAt = (path: string): string =>
  `python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("${path}")'`;

describe('a file that only the run made comes back', () => {
  it.each([
    'rm own.txt; mkdir own.txt',
    'rm own.txt; mkdir -p own.txt/dist; echo > own.txt/dist/x; chmod 0 own.txt/dist own.txt',
    'rm own.txt; mkfifo own.txt',
    `rm own.txt; ${socketAt('own.txt')}`,
    'rm own.txt; ln -s /etc/hostname own.txt',
    'rm -r new; mkfifo new',
    `rm -r new; ${socketAt('new')}`,
    'rm -r new; ln -s /etc new',
    'rm -r dist; mkfifo dist',
    'rm dist/out; mkdir dist/out; chmod 0 dist',
  ])('after: %s', async (script) => {
    const before = [all(), await found()];
    await scene.takeBack(() => sh(script));
    expect([all(), await found()]).toEqual(before);
  });

  it('beside an ignored link in place of a directory where the run deleted a file', async () => {
    const { workspace, keep, at, takeBack } = scene;
    await workspace.files.write('dist/sub/x', text('x'));
    await keep();
    await workspace.files.delete('dist/sub/x');
    await keep();
    await takeBack(() => sh('rm own.txt; ln -s /etc dist/sub'));
    expect(all()).toMatchObject({ 'own.txt': 'own\n', 'dist/sub': 'no file' });
    rmSync(at('dist/sub'));
  });
});

describe('a git repository that a command made is gone, and the work around it is not', () => {
  it.each([
    'git init -q new; echo x > own.txt',
    'git init -q --bare new/deep',
    'git init -q src; echo z > src/a.ts; rm src/b.ts',
    'git init -q --bare src; echo z > src/a.ts; rm src/b.ts',
    'git init -q --bare .; echo z > own.txt; rm src/b.ts',
    'rm own.txt; git init -q own.txt',
    'rm README.md; git init -q --bare README.md',
    'git init -q new; git init -q new/deep; git init -q --bare new/deep/er; echo deep > new/.gitignore',
    'git init -q more; chmod 0 more/.git/objects more/.git',
    'mkdir new/objects; ln -s objects new/refs; mkfifo new/HEAD',
    'git init -q --separate-git-dir=more src',
    'echo > src/commondir; echo > src/head',
  ])('after: %s', async (script) => {
    const before = [all(), await found()];
    await scene.takeBack(() => sh(script));
    expect([all(), await found()]).toEqual(before);
  });

  it('but one that was there before stays, and so do files of its names', async () => {
    const { workspace, keep, at, command, takeBack } = scene;
    await command(() => sh('git init -q kept'));
    await workspace.files.write('new/HEAD', text('mine\n'));
    await workspace.files.write('new/refs/x', text('mine\n'));
    await keep();
    const before = [all(), await found()];
    await takeBack(() => sh('mkdir new/objects; echo > new/objects/x; rm own.txt'));
    expect([all(), await found()]).toEqual(before);
    expect(existsSync(at('kept/.git'))).toBe(true);
  });
});

describe('what a command made and no commit takes is gone too', () => {
  const visible = (): string[] =>
    readdirSync(scene.at('.'), { recursive: true, encoding: 'latin1' }).toSorted();

  it.each([
    'echo "*" > .gitignore; echo x > extra; mkdir extra.d; echo x > extra.d/x',
    'echo "*" > src/.gitignore; echo x > src/extra; echo mine > src/a.ts',
    'mkdir -p new/extra/deep; echo "extra/" > new/.gitignore; echo "*" | tee new/extra/.gitignore new/extra/deep/.gitignore',
    'mkdir extra; ln -s /etc/hosts extra/.gitignore; echo .gitignore > extra/x',
    'git init -q .; echo x > own.txt',
    'mkdir src/.GIT; echo x > src/.GIT/config',
    'mkfifo pipe src/pipe',
    socketAt('socket'),
    "printf x > $'caf\\xe9'; mkdir $'d\\xe9'; printf x > $'d\\xe9/x'; chmod 0 $'d\\xe9'",
  ])('after: %s', async (script) => {
    const before = [visible(), await found()];
    await scene.takeBack(() => sh(script));
    expect([visible(), await found()]).toEqual(before);
  });

  it('but what earlier commands made stays as it was, and what they ignored', async () => {
    const { command, takeBack, at } = scene;
    await command(() =>
      sh('mkdir env; echo "*" > env/.gitignore; echo lib > env/lib; mkfifo old-pipe'),
    );
    const before = [visible(), all()];
    await takeBack(() => sh('echo "#" > env/.gitignore; rm own.txt; mkfifo extra'));
    expect([visible(), all()]).toEqual(before);
    rmSync(at('env'), { recursive: true });
    rmSync(at('old-pipe'));
  });
});
