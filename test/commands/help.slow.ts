import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { whatIsMissing } from '../../packages/sandbox/src/proof/canary.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs it in an empty directory, with no settings. */
const run = (...args: readonly string[]) => runIn('.', ...args);

/** The same of another installation. */
const runIn = (installation: string, ...args: readonly string[]) =>
  new Promise<Ended>((resolve) => {
    const words = [path.resolve(installation, 'bin/issuewright.js'), ...args];
    const options = { cwd: temporaryDirectory(), env: { PATH: '' } };
    execFile(process.execPath, words, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : Number.NaN;
      resolve({ code, stdout, stderr });
    });
  });

it.each([
  [[], /^Usage: issuewright COMMAND[^]*start[^]*pause \[options\] \[reason\.\.\.\][^]*Exit codes/],
  [['--version'], /^\d+\.\d+\.\d+\n$/],
  [['pause', 'we', 'move', '-h'], /^Usage: issuewright pause/],
  [['help', 'start'], /^Usage: issuewright start[^]*--allow-dangerous-tools/],
  [['github', '--help'], /^ {2}issuewright github/m],
])('%j explains the commands and does nothing', async (words, explanation) => {
  const { code, stdout, stderr } = await run(...words);
  expect(stdout).toMatch(explanation);
  expect([code, stderr]).toEqual([0, '']);
});

it.each([
  [['strat'], /unknown command 'strat'\n\(Did you mean start\?\)/],
  [['pause', '--reason', 'we move'], /unknown option '--reason'[^]*issuewright pause --help/],
  [['start', '--allow-dangerous-tool'], /\(Did you mean --allow-dangerous-tools\?\)/],
  [['resume', 'tomorrow'], /too many arguments/],
  [['migrate', '--from-embedded', 'now'], /too many arguments/],
  [['sessions', '--limit', '0'], /the limit must be a whole number from 1 to/],
  [['sessions', '--state', 'waiting'], /Allowed choices are done, failed/],
  [['show'], /missing required argument 'session'/],
  [['migrate'], /required option '--from-embedded' not specified/],
])('%j does nothing, and says why', async (words, fault) => {
  const { code, stdout, stderr } = await run(...words);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^issuewright: /);
  expect(stderr).toMatch(fault);
  expect(stderr).toMatch(/Nothing was done\./);
});

/** As in the image: without the playground. */
function withoutPlayground(): string {
  const directory = temporaryDirectory();
  for (const one of ['src', 'packages/sandbox', 'bin', 'package.json'])
    cpSync(one, path.join(directory, one), { recursive: true });
  symlinkSync(path.resolve('node_modules'), path.join(directory, 'node_modules'));
  return directory;
}

/** The same on another system, as far as the program sees. */
const runOn = (platform: string, ...words: readonly string[]) =>
  new Promise<Ended>((resolve) => {
    const pretend = `Object.defineProperty(process, 'platform', { value: '${platform}' });`;
    const given = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`];
    const program = [...given, path.resolve('bin/issuewright.js'), ...words];
    const options = { cwd: temporaryDirectory(), env: { PATH: '' } };
    execFile(process.execPath, program, options, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });

describe('on Windows, issuewright', () => {
  it('does not start, and says what to use, as docs/setup.md does', async () => {
    const { code, stdout, stderr } = await runOn('win32', 'start');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain('Use WSL 2, or the container');
    expect(readFileSync('docs/setup.md', 'utf8')).toContain(`*${stderr.trim()}*`);
  });
});

describe('on macOS, issuewright', () => {
  it('starts, and says of commands what docs/setup.md does', async () => {
    expect((await runOn('darwin', '--version')).code).toBe(0);
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'darwin' });
    const why = whatIsMissing();
    Object.defineProperty(process, 'platform', { value: platform });
    expect(why).toMatch(/bubblewrap, which runs on Linux only/);
    expect(readFileSync('docs/setup.md', 'utf8')).toContain(`*${why}*`);
  });
});

describe('issuewright demo', () => {
  it('is a command of a checkout', async () => {
    const { stdout: all } = await run('--help');
    expect(all).toMatch(/^ {2}demo \[options\]/m);
    expect(all).toMatch(/`issuewright github` starts[^]*`issuewright model`/);
    expect((await run('completion', 'bash')).stdout).toContain('demo');
    expect((await run('demo', '--help')).stdout).toMatch(
      /^Usage: issuewright demo[^]*--interactive/,
    );
    const { code, stderr } = await run('demo', '--nothing');
    // The demo itself says so.
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^demo: Unknown option '--nothing'/)]);
  });

  it('says where it is, if the installation has none, and is not offered there', async () => {
    const image = withoutPlayground();
    expect(await runIn(image, 'demo', '--interactive')).toEqual({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        /^issuewright demo: The demo is not part .* \.\/issuewright demo/,
      ),
    });
    const { stdout } = await runIn(image, '--help');
    expect(stdout).toMatch(/migrate/);
    expect(stdout).not.toMatch(/demo|issuewright github/);
    expect((await runIn(image, 'completion', 'bash')).stdout).not.toContain('demo');
  });
});
