import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const SCRIPT = resolve('test/support/landed-since-green');
const IDENTITY = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.test'];

describe('a nightly run that fails', () => {
  let clone: string;
  const git = (...args: string[]): string =>
    execFileSync('git', [...IDENTITY, ...args], { cwd: clone, encoding: 'utf8' }).trim();

  beforeAll(() => {
    clone = temporaryDirectory();
    git('init', '--quiet', '--initial-branch', 'main');
    for (const subject of ['One', 'Two', 'Three'])
      git('commit', '--quiet', '--allow-empty', '-m', subject);
  });

  /** What the script says if `green` was the last commit whose run succeeded. */
  function landedSince(green: string): string {
    const bin = join(temporaryDirectory(), 'bin');
    mkdirSync(bin);
    // Answers only what the script has to ask of `gh`.
    const asked = 'run list --workflow all.yml --branch main --status success --limit 1';
    const gh = `#!/bin/sh\ncase "$*" in "${asked} --json headSha --jq .[].headSha") echo ${green};; *) exit 1;; esac\n`;
    writeFileSync(join(bin, 'gh'), gh, { mode: 0o755 });
    const summary = join(bin, 'summary');
    const said = execFileSync(SCRIPT, ['all.yml'], {
      cwd: clone,
      encoding: 'utf8',
      env: {
        PATH: `${bin}${delimiter}${process.env['PATH']}`,
        GITHUB_REF_NAME: 'main',
        GITHUB_SHA: git('rev-parse', 'main'),
        GITHUB_STEP_SUMMARY: summary,
      },
    });
    expect(readFileSync(summary, 'utf8')).toBe(said);
    return said;
  }

  it('names each commit since the last one that succeeded, the oldest first', () => {
    const subjects = landedSince(git('rev-parse', 'main~2')).match(/(?<=^- \w+ ).+$/gm);
    expect(subjects).toEqual(['Two', 'Three']);
  });

  it('says so if the same commit has succeeded before', () => {
    expect(landedSince(git('rev-parse', 'main'))).toContain('Nothing landed');
  });

  it('says so if none has succeeded, or one that is gone', () => {
    expect(landedSince('')).toContain('has succeeded yet');
    expect(landedSince('1'.repeat(40))).toContain('not in the history');
  });
});
