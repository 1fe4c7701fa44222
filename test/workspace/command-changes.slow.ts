import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { StoredChange } from '../../src/contracts/files.ts';
import type { Workspace } from '../../src/workspace/workspace.ts';
import { startGitServer } from '../support/git-server.ts';
import type { GitServer, TestRepository } from '../support/git-server.ts';
import { openScene } from './command-scene.ts';
import { type open, text } from './support.ts';

let server: GitServer;
let repository: TestRepository;
let base = '';

beforeAll(async () => {
  server = await startGitServer();
  repository = server.createRepository('octo/sample', {
    'README.md': 'Sample\n',
    'src/a.ts': 'a\n',
    'src/b.ts': 'b\n',
    '.gitignore': 'dist/\n',
  });
  base = repository.head();
});
afterAll(async () => server.close());

const scene = (options: Parameters<typeof open>[2] = {}) =>
  openScene(server, repository, { baseCommit: base, ...options });

describe('what a command changed in a workspace', () => {
  it('is what is not as it was, whatever else became of the files', async () => {
    const { workspace, at, command } = await scene();
    expect((await command(() => {})).changed).toEqual([]);
    const touched = await command(() => {
      chmodSync(at('src/a.ts'), 0o600);
      writeFileSync(at('src/b.ts'), 'b\n');
      utimesSync(at('README.md'), new Date(0), new Date(0));
    });
    expect(touched).toMatchObject({ changed: [], drained: [], excess: undefined });
    expect((await command(() => chmodSync(at('src/a.ts'), 0o755))).drained).toEqual(['src/a.ts']);
    await workspace.close();
  });

  it('is noticed even if it keeps size and times', async () => {
    const { workspace, at, command } = await scene();
    await command(() => {});
    const { atime, mtime } = statSync(at('src/a.ts'));
    const { changed } = await command(() => {
      writeFileSync(at('src/a.ts'), 'A\n');
      utimesSync(at('src/a.ts'), atime, mtime);
    });
    expect(changed).toEqual(['src/a.ts']);
    await workspace.close();
  });

  it('is each file once, also beside one whose name is not UTF-8 and reads the same', async () => {
    const { workspace, at, command } = await scene();
    const { changed } = await command(() => {
      writeFileSync(at('caf\ufffd.txt'), 'a');
      writeFileSync(
        Buffer.concat([Buffer.from(at('caf')), Buffer.from([0xe9]), Buffer.from('.txt')]),
        'b',
      );
    });
    await workspace.close();
    expect(changed).toEqual(['caf\ufffd.txt']);
  });

  it('is not what a tool changed before it', async () => {
    const { workspace, at, command, keep } = await scene();
    await workspace.files.write('new.txt', text('new\n'));
    expect(await keep()).toEqual(['new.txt']);
    expect((await command(() => {})).changed).toEqual([]);
    await workspace.files.write('new.txt', text('newer\n'));
    await keep();
    const { drained } = await command(() => writeFileSync(at('README.md'), 'x'));
    expect(drained).toEqual(['README.md']);
    await workspace.close();
  });

  it('is not a deletion if a repository was created around the files', async () => {
    const { workspace, at, command } = await scene();
    expect((await command(() => mkdirSync(at('src/.git')))).changed).toEqual([]);
    await workspace.close();
  });

  it('gives the same files on a fresh clone', async () => {
    const { workspace, at, command, keep } = await scene();
    const all: StoredChange[] = [];
    await command(() => {
      renameSync(at('src'), at('lib'));
      symlinkSync('lib', at('src'));
      rmSync(at('README.md'));
      mkdirSync(at('README.md'));
      writeFileSync(at('README.md/inner.md'), 'inner\n');
    });
    await workspace.files.write('late.txt', text('late\n'));
    await keep();
    const found = await workspace.git.changes();
    for (const { path } of found) all.push(...(await changeAt(workspace, path)));
    await workspace.close();
    const other = await scene({ changes: all });
    expect(await other.workspace.git.changes()).toEqual(found);
    expect(other.text('lib/a.ts')).toBe('a\n');
    expect(other.text('README.md/inner.md')).toBe('inner\n');
    await other.workspace.close();
  });
});

/** As a drain would have it. */
async function changeAt(workspace: Workspace, path: string): Promise<StoredChange[]> {
  workspace.files.changes.noteChanged([path]);
  return workspace.drain();
}

describe('what is taken back', () => {
  it('is all of it, and nothing that was there before', async () => {
    const { workspace, at, text: read, keep, takeBack } = await scene();
    await workspace.files.write('src/a.ts', text('mine\n'));
    await workspace.files.write('own.txt', text('own\n'));
    await workspace.files.delete('src/b.ts');
    await keep();
    mkdirSync(at('dist'));
    writeFileSync(at('dist/built'), '');
    await takeBack(() => {
      writeFileSync(at('.gitignore'), '');
      writeFileSync(at('src/b.ts'), 'back\n');
      rmSync(at('src/a.ts'));
      mkdirSync(at('src/a.ts'));
      writeFileSync(at('own.txt'), 'theirs\n');
      rmSync(at('README.md'));
      symlinkSync('/etc/hostname', at('README.md'));
      mkdirSync(at('deep/er'), { recursive: true });
      writeFileSync(at('deep/er/file'), '');
    });
    expect(read('src/a.ts')).toBe('mine\n');
    expect(read('own.txt')).toBe('own\n');
    expect(read('README.md')).toBe('Sample\n');
    expect(read('.gitignore')).toBe('dist/\n');
    expect(existsSync(at('src/b.ts'))).toBe(false);
    expect(existsSync(at('deep'))).toBe(false);
    expect(existsSync(at('dist/built'))).toBe(true);
    await workspace.close();
  });

  it('is what all commands of a run changed together beyond a limit', async () => {
    const { workspace, at, command } = await scene();
    const fill = (name: string) => () =>
      writeFileSync(at(name), Buffer.alloc(31 * 1024 * 1024, name));
    for (let number = 1; number <= 8; number += 1)
      expect(await command(fill(`f${number}`))).toMatchObject({ excess: undefined });
    const last = await command(fill('f9'));
    expect(last.excess).toMatch(
      /more than 8 MiB \(all that is left for the commands of this run\)/,
    );
    expect(existsSync(at('f9'))).toBe(false);
    expect(existsSync(at('f8'))).toBe(true);
    await workspace.close();
  });
});

const paths = async ({ git }: Workspace) => (await git.changes()).map(({ path }) => path);

describe('what setup changed in a workspace', () => {
  it('is neither stored nor committed, whether it was tracked or not', async () => {
    const { workspace, at, command } = await scene();
    const setup = () => {
      writeFileSync(at('package-lock.json'), '{}');
      writeFileSync(at('src/a.ts'), 'formatted\n');
      rmSync(at('src/b.ts'));
      symlinkSync('/opt/deps/node_modules', at('node_modules'));
    };
    const all = ['node_modules', 'package-lock.json', 'src/a.ts', 'src/b.ts'];
    const done = await command(setup, { isSetup: true });
    expect(done).toMatchObject({ changed: [], drained: [], leftOut: { bySetup: all, links: [] } });
    expect(await paths(workspace)).toEqual([]);
    expect(await workspace.git.diff('')).toEqual([]);
    await workspace.files.write('new.ts', text('new'));
    const commit = await workspace.git.commit({ message: 'x', at: new Date(0) });
    expect(commit?.files.map(({ path }) => path)).toEqual(['new.ts']);
    expect(await paths(workspace)).toEqual([]);
    await workspace.close();
  });

  it('is committed once a tool or a command of the agent changes it again', async () => {
    const { workspace, at, command, keep } = await scene();
    const setup = () => {
      for (const path of ['one', 'two', 'three']) writeFileSync(at(path), 'by setup\n');
    };
    await command(setup, { isSetup: true });
    await workspace.files.write('one', text('by a tool\n'));
    await keep();
    expect((await command(() => writeFileSync(at('two'), 'by a command\n'))).changed).toEqual([
      'two',
    ]);
    expect(await paths(workspace)).toEqual(['one', 'two']);
    await workspace.close();
  });

  it('is committed if the agent had changed the file before, as in a run that is resumed', async () => {
    const { workspace, at, command, keep } = await scene();
    await workspace.files.write('src/a.ts', text('by a tool\n'));
    await keep();
    const setup = () => writeFileSync(at('src/a.ts'), 'by a tool, formatted\n');
    expect(await command(setup, { isSetup: true })).toMatchObject({
      changed: ['src/a.ts'],
      leftOut: { bySetup: [] },
    });
    expect(await paths(workspace)).toEqual(['src/a.ts']);
    await workspace.close();
  });
});

describe('what setup deleted', () => {
  it('is not taken for the work of the next command', async () => {
    const { workspace, at, command } = await scene({ branch: () => 'issuewright/deleted' });
    await command(() => writeFileSync(at('made'), 'by a command\n'));
    await workspace.git.commit({ message: 'Make it', at: new Date(0) });
    await workspace.files.write('src/a.ts', text('by a tool\n'));
    await workspace.drain();
    await command(() => rmSync(at('made')), { isSetup: true });
    expect((await command(() => {})).changed).toEqual([]);
    await workspace.close();
  });
});

describe('a protected file that setup made', () => {
  const made = ['.env', '.github/workflows/x.yml', 'generated.txt', 'src/new.ts'];
  const make = (at: (path: string) => string) => () => {
    mkdirSync(at('.github/workflows'), { recursive: true });
    for (const path of made) writeFileSync(at(path), 'by setup\n');
    writeFileSync(at('README.md'), 'by setup\n');
    rmSync(at('.gitignore'));
  };
  const settings = { allow: ['src/**'], deny: ['.env'] };

  it('stays, is in no commit, and is as closed as before; one that was there is restored', async () => {
    const {
      workspace,
      at,
      text: read,
      command,
    } = await scene({
      paths: settings,
      branch: () => 'issuewright/protected',
    });
    expect(await command(make(at), { isSetup: true })).toMatchObject({
      changed: [],
      reverted: ['.gitignore', 'README.md'],
      leftOut: { bySetup: ['src/new.ts'], protectedBySetup: made.slice(0, 3) },
    });
    expect(made.map(read)).toEqual(made.map(() => 'by setup\n'));
    expect([read('README.md'), read('.gitignore')]).toEqual(['Sample\n', 'dist/\n']);
    await expect(workspace.files.read('.env')).rejects.toThrow('deny access');
    expect(JSON.stringify(await workspace.files.list('.'))).not.toContain('.env');
    await workspace.files.write('src/b.ts', text('mine'));
    const commit = await workspace.git.commit({ message: 'x', at: new Date(0) });
    expect(commit?.files.map(({ path }) => path)).toEqual(['src/b.ts']);
    await workspace.close();
  });

  it('stays out of commits also if a later command changes it, which is told', async () => {
    const { workspace, at, text: read, command } = await scene({ paths: settings });
    await command(make(at), { isSetup: true });
    const done = await command(() => {
      writeFileSync(at('generated.txt'), 'again\n');
      writeFileSync(at('other.txt'), 'not by setup\n');
    });
    expect(done).toMatchObject({
      drained: [],
      reverted: ['other.txt'],
      leftOut: { protectedBySetup: ['generated.txt'] },
    });
    expect(read('generated.txt')).toBe('again\n');
    expect(await paths(workspace)).toEqual([]);
    await workspace.close();
  });
});

describe('what a command made and no commit takes', () => {
  it('is a symbolic link that leads out, in whatever way', async () => {
    const { workspace, at, command } = await scene({ branch: () => 'issuewright/links' });
    const OUT = {
      absolute: '/etc/passwd',
      relative: '../outside',
      'src/up': '../../outside',
      dangling: '../nowhere/x',
      windows: String.raw`..\outside`,
      share: String.raw`\\host\share`,
      drive: 'C:/Windows',
      short: 'git~1/config',
      disguised: '.g\u200dit/config',
      git: '.git/config',
      'src/again': '../absolute',
      through: 'self/../../etc',
      below: 'root/etc/none',
    };
    const IN = { self: '.', sibling: 'src/a.ts', 'src/readme': '../README.md', later: 'src/none' };
    const done = await command(() => {
      symlinkSync('/', at('root'));
      for (const [path, target] of Object.entries({ ...IN, ...OUT })) symlinkSync(target, at(path));
    });
    const out = ['root', ...Object.keys(OUT)].toSorted();
    expect(done.leftOut.links.toSorted()).toEqual(out);
    expect(await paths(workspace)).toEqual(Object.keys(IN).toSorted());
    const commit = await workspace.git.commit({ message: 'x', at: new Date(1) });
    expect(commit?.withheld?.toSorted()).toEqual(out);
    expect(commit?.files.map(({ path }) => path)).toEqual(Object.keys(IN).toSorted());
    await workspace.close();
  });

  it('is a name that is not UTF-8, a pipe or a socket, unless it is ignored', async () => {
    const { workspace, at, command } = await scene({ branch: () => 'issuewright/names' });
    const make = (): void =>
      void execFileSync(
        'bash',
        [
          '-c',
          `printf x > $'caf\\xe9'; mkdir $'src/d\\xe9'; mkfifo pipe src/pipe; echo x > new
           python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("sock")'
           mkdir -p ignored; echo '*' > ignored/.gitignore; mkfifo ignored/pipe; printf x > $'ignored/\\xe9'`,
        ],
        { cwd: at('.') },
      );
    const done = await command(make);
    expect(done).toMatchObject({
      changed: ['new'],
      leftOut: { names: ['caf\udce9', 'src/d\udce9'], special: ['pipe', 'sock', 'src/pipe'] },
    });
    expect((await command(() => {})).leftOut).toMatchObject({ names: [], special: [] });
    const commit = await workspace.git.commit({ message: 'x', at: new Date(1) });
    const left = ['caf\udce9', 'pipe', 'sock', 'src/d\udce9', 'src/pipe'];
    expect(commit?.withheld?.toSorted()).toEqual(left);
    await workspace.close();
  });

  it("is a name that is git's own", async () => {
    const { workspace, at, command } = await scene();
    const { changed, leftOut } = await command(() => {
      mkdirSync(at('src/.GIT'));
      writeFileSync(at('src/.GIT/config'), '');
      writeFileSync(at('.git'), 'gitdir: elsewhere');
    });
    expect([changed, leftOut.gitNames]).toEqual([[], ['.git', 'src/.GIT']]);
    await workspace.close();
  });

  it('is what becomes of names that are not UTF-8', async () => {
    const { workspace, at, command } = await scene();
    const bash = (script: string): void =>
      void execFileSync('bash', ['-c', script], { cwd: at('.') });
    await command(() => bash(String.raw`echo x > $'a\xe9'; echo x > $'b\xe9'; echo x > $'c\xe9'`));
    const { leftOut } = await command(() =>
      bash(String.raw`rm $'a\xe9'; mv $'b\xe9' b; echo more >> $'c\xe9'`),
    );
    expect(leftOut.names.toSorted()).toEqual(['a\udce9', 'b\udce9', 'c\udce9']);
    await workspace.close();
  });
});
