import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const scriptFor = (shell: string): string =>
  execFileSync(process.execPath, [resolve('bin/issuewright.js'), 'completion', shell], {
    encoding: 'utf8',
    env: { PATH: '' },
  });

const isThere = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

describe('the completion of bash', () => {
  let place: string;
  beforeAll(() => {
    place = temporaryDirectory();
    writeFileSync(join(place, 'issuewright.bash'), scriptFor('bash'));
  });

  const bash = (program: string, ...words: readonly string[]) =>
    spawnSync('bash', ['--norc', '-c', program, 'bash', ...words], {
      cwd: place,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] ?? '' },
    });

  /** What it offers after these words, the last of which is being typed. */
  function offered(...words: readonly string[]): readonly string[] {
    const { stdout, stderr, status } = bash(
      `source ./issuewright.bash
      source ./issuewright.bash
      COMP_WORDS=(issuewright "$@") COMP_CWORD=$#
      _issuewright
      printf '%s\\n' "\${COMPREPLY[@]}"`,
      ...words,
    );
    expect([status, stderr]).toEqual([0, '']);
    return stdout.split('\n').filter((line) => line !== '');
  }

  it.each([
    [['sess'], ['sessions']],
    [['s'], ['start', 'serve', 'setup', 'sessions', 'show', 'stop']],
    [
      ['sessions', '--s'],
      ['--state', '--search'],
    ],
    [
      ['sessions', '--state', 'waiting-a'],
      ['waiting-answer', 'waiting-approval'],
    ],
    [['sessions', '--json', '--l'], ['--limit']],
    [
      ['show', 'abc', '--f'],
      ['--follow', '--full'],
    ],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', '--help'],
    ],
    [['help', 'mig'], ['migrate']],
    [['setup', '--name', ''], []],
    [['nothing', 'x'], []],
  ])('after %j, it offers %j', (words, completions) => {
    expect(offered(...words)).toEqual(completions);
  });

  it('runs nothing of what is typed', () => {
    offered('show', '$(touch ran)', '`touch ran`', '');
    expect(existsSync(join(place, 'ran'))).toBe(false);
  });

  it('completes at a Tab in a terminal', () => {
    // Without util-linux there is no `script`.
    if (!isThere('script')) return;
    const typed = 'source ./issuewright.bash\nissuewright compl\tz\t--he\t\nexit\n';
    const { stdout } = spawnSync('script', ['-qec', 'bash --norc -i', '/dev/null'], {
      cwd: place,
      encoding: 'utf8',
      input: typed,
      env: { PATH: process.env['PATH'] ?? '', TERM: 'dumb', HOME: place },
      timeout: 240_000,
    });
    expect(stdout).toContain('issuewright completion zsh --help');
  });
});

it.each(['zsh', 'fish'])('%s reads its script', (shell) => {
  const script = scriptFor(shell);
  expect(script).toContain('waiting-approval');
  if (!isThere(shell)) return;
  const { status, stderr } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});
