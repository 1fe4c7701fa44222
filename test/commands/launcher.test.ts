// How `./issuewright` finds a Node.js that can run it, with machines and installations that consist of small scripts.
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';

/** A `node` of that version. It tells its name, its process and what it was given. */
function installNode(path: string, version: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const says = `[ "$1" = --version ] && echo v${version} && exit\necho "${version} $$ $*"`;
  writeFileSync(path, `#!/bin/sh\n${says}\n`);
  chmodSync(path, 0o755);
}

/** A machine with the launcher in `at`, a Node.js on PATH, and others by their places beside the launcher. */
function machine(
  onPath: string | undefined,
  others: Record<string, string> = {},
  at = 'clone/bin',
) {
  const root = temporaryDirectory();
  const launcher = join(root, at, 'issuewright');
  mkdirSync(dirname(launcher), { recursive: true });
  copyFileSync('bin/issuewright', launcher);
  chmodSync(launcher, 0o755);
  const programs = join(root, 'programs');
  mkdirSync(programs);
  if (onPath !== undefined) installNode(join(programs, 'node'), onPath);
  const { stdout } = spawnSync('sh', ['-c', 'command -v readlink'], { encoding: 'utf8' });
  symlinkSync(stdout.trim(), join(programs, 'readlink'));
  for (const [place, version] of Object.entries(others)) installNode(join(root, place), version);
  return {
    root,
    launcher,
    start: (by = launcher, options: { cwd?: string } = {}) => {
      const env = { PATH: `${programs}:${dirname(by)}` };
      const child = spawnSync(by, ['say', 'two words'], { encoding: 'utf8', env, ...options });
      return { pid: child.pid, status: child.status, said: `${child.stdout}${child.stderr}` };
    },
  };
}

const OWN = { 'clone/node_modules/.bin/node': '24.21.0' };

describe('the launcher', () => {
  it.each(['24.0.0', '25.1.0', '31.0.0'])('takes Node %s of the machine', (version) => {
    expect(machine(version, OWN).start().said).toMatch(new RegExp(`^${version} `));
  });

  it.each(['18.20.1', '20.20.2', '23.11.0', undefined])(
    'takes its own if the machine has %s',
    (version) => {
      expect(machine(version, OWN).start().said).toMatch(/^24\.21\.0 /);
    },
  );

  it.each([
    ['of its own', 'packages/issuewright/node_modules/.bin/node'],
    ['that it shares', 'packages/.bin/node'],
  ])('finds the one in a folder for packages %s', (_whose, place) => {
    const installed = machine('20.0.0', { [place]: '24.1.0' }, 'packages/issuewright/compiled/bin');
    expect(installed.start().said).toMatch(/^24\.1\.0 /);
  });

  it('becomes it, so that it gets every signal itself, and passes the words on', () => {
    const { root, start } = machine('20.0.0', OWN);
    const { pid, said } = start();
    expect(said).toBe(`24.21.0 ${pid} ${root}/clone/bin/issuewright.js say two words\n`);
  });

  it('follows links to itself, relative and absolute', () => {
    const { root, launcher, start } = machine('20.0.0', OWN);
    symlinkSync('bin/issuewright', join(root, 'clone/issuewright'));
    const linked = join(root, 'clone/linked');
    symlinkSync(join(root, 'clone/issuewright'), linked);
    for (const by of [linked, join(root, 'clone/issuewright')])
      expect(start(by).said).toContain(' say two words');
    const cwd = dirname(launcher);
    expect(start(`./${relative(cwd, launcher)}`, { cwd }).said).toContain(' say two words');
    expect(start('issuewright', { cwd }).said).toContain(' say two words');
  });

  it.each(['MINGW64_NT-10.0-26100', 'MSYS_NT-10.0-22631', 'CYGWIN_NT-10.0'])(
    'says what to use instead in a shell of Windows, which calls itself %s',
    (system) => {
      const { root, start } = machine('24.1.0', OWN);
      const uname = join(root, 'programs/uname');
      writeFileSync(uname, `#!/bin/sh\necho ${system}\n`);
      chmodSync(uname, 0o755);
      const said = 'Issuewright does not run on Windows itself. Use WSL 2, or the container';
      expect(start()).toMatchObject({ status: 1, said: expect.stringContaining(said) });
    },
  );

  it.each([
    ['20.20.2', 'Run'],
    ['24.1.0', 'Run'],
    [undefined, 'Install Node.js 24 or later, and run'],
  ])('asks for npm install in a clone without packages if the machine has %s', (version, what) => {
    const { root, start } = machine(version);
    if (version !== undefined) installNode(join(root, 'programs/npm'), '11.0.0');
    writeFileSync(join(root, 'clone/package-lock.json'), '{}');
    expect(start()).toMatchObject({
      status: 1,
      said: `The packages of Issuewright are not installed yet. ${what} \`npm install\` in ${root}/clone first.\n`,
    });
  });

  it('uses the packages of a clone around its own', () => {
    const { root, start } = machine('24.1.0', { 'node_modules/.bin/node': '24.21.0' });
    writeFileSync(join(root, 'clone/package-lock.json'), '{}');
    expect(start().said).toMatch(/^24\.1\.0 .* say two words\n$/);
  });

  it.each([
    ['20.20.2', /has v20\.20\.2/],
    [undefined, /has none/],
  ])('says what to do if the machine has %s and it brought none', (version, has) => {
    const { status, said } = machine(version).start();
    expect(status).toBe(1);
    expect(said).toMatch(has);
    expect(said).toMatch(/without --omit=optional, or install Node\.js 24/);
  });
});
