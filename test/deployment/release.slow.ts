import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const SCRIPTS = 'test/support/release';
const SCRIPT = `${SCRIPTS}/release.ts`;
const LOCK = { name: 'project', version: '0.1.0', packages: { '': { version: '0.1.0' } } };

describe('a release', () => {
  let clone: string;

  /** A small project of its own, whose check is `node check.js`, and whose integration tests are `node integration.js`. */
  beforeEach(() => {
    clone = temporaryDirectory();
    mkdirSync(join(clone, 'test/support'), { recursive: true });
    for (const name of ['release.ts', 'sbom.ts'])
      cpSync(join(SCRIPTS, name), join(clone, SCRIPTS, name));
    const scripts = { check: 'node check.js', 'test:integration': 'node integration.js' };
    write(
      'package.json',
      JSON.stringify({ name: 'project', version: '0.1.0', type: 'module', scripts }, null, 2),
    );
    write('package-lock.json', JSON.stringify(LOCK));
    write('check.js', '');
    write('integration.js', '');
    write('.gitignore', 'release/\n');
    write(
      'CHANGELOG.md',
      '# Changelog\n\n## Unreleased\n\n- It does more.\n\n## 0.1.0\n\n- It is.\n',
    );
    git('init', '--quiet', '--initial-branch', 'main');
    commit();
  });

  const write = (name: string, text: string): void => writeFileSync(join(clone, name), text);
  const read = (name: string): string => readFileSync(join(clone, name), 'utf8');
  const IDENTITY = ['-c', 'user.name=Someone', '-c', 'user.email=someone@example.test'];
  function git(...args: string[]): string {
    return execFileSync('git', [...IDENTITY, ...args], { cwd: clone, encoding: 'utf8' }).trim();
  }
  function commit(): void {
    git('add', '.');
    git('commit', '--quiet', '-m', 'Change it');
  }
  function release(...args: string[]) {
    const author = { GIT_AUTHOR_NAME: 'Someone', GIT_AUTHOR_EMAIL: 'someone@example.test' };
    const committer = {
      GIT_COMMITTER_NAME: 'Someone',
      GIT_COMMITTER_EMAIL: 'someone@example.test',
    };
    return spawnSync(process.execPath, [SCRIPT, ...args], {
      cwd: clone,
      encoding: 'utf8',
      // npm keeps its cache there, and not each user has a home.
      env: { PATH: process.env['PATH'], HOME: temporaryDirectory(), ...author, ...committer },
    });
  }

  it('has a commit with the version and the changelog, and a tag', () => {
    const { status, stdout } = release('0.2.0');
    expect(status).toBe(0);
    expect(stdout).toContain('Next: docs/releasing.md');
    expect(JSON.parse(read('package.json'))).toMatchObject({ version: '0.2.0' });
    expect(JSON.parse(read('package-lock.json'))).toEqual({
      ...LOCK,
      version: '0.2.0',
      packages: { '': { version: '0.2.0' } },
    });
    expect(read('CHANGELOG.md')).toMatch(
      /^# Changelog\n\n## Unreleased\n\n## 0\.2\.0 \(\d{4}-\d\d-\d\d\)\n\n- It does more\.\n\n## 0\.1\.0\n/,
    );
    expect(git('log', '-1', '--format=%s')).toBe('Release 0.2.0');
    expect(git('cat-file', '-t', 'v0.2.0')).toBe('tag');
    expect(git('rev-parse', 'v0.2.0^{commit}')).toBe(git('rev-parse', 'HEAD'));
    expect(git('tag', '--list', '--format=%(contents)', 'v0.2.0')).toBe(
      'Issuewright 0.2.0\n\n- It does more.',
    );
    expect(existsSync(join(clone, 'release/project-0.2.0.tgz'))).toBe(true);
    expect(git('status', '--porcelain')).toBe('');
    expect(JSON.parse(read('release/issuewright-0.2.0.cdx.json'))).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'project', version: '0.2.0' } },
    });
  });

  it('is made of the version that the project has, if that was never released', () => {
    const { status } = release('0.1.0');
    expect([status, git('tag')]).toEqual([0, 'v0.1.0']);
    expect(read('CHANGELOG.md')).toContain('## 0.1.0 (');
  });

  it('changes nothing in a dry run, and says what it would do', () => {
    const head = git('rev-parse', 'HEAD');
    const { status, stdout } = release('0.2.0', '--dry-run');
    expect(status).toBe(0);
    for (const words of ['`npm run check`', 'the tag v0.2.0', '- It does more.'])
      expect(stdout).toContain(words);
    expect([git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain')]).toEqual([
      head,
      '',
      '',
    ]);
  });

  it.each<[string, string, () => void, RegExp]>([
    ['without a version', '', () => {}, /npm run release -- 0\.2\.0/],
    ['of an earlier version', '0.0.9', () => {}, /0\.1\.0 or a version after it/],
    ['of a released version', '0.1.0', () => void git('tag', 'v0.1.0'), /v0\.1\.0 exists already/],
    ['of no version', 'v0.2', () => {}, /0\.1\.0 or a version after it/],
    ['of a changed checkout', '0.2.0', () => write('new', ''), /Commit or stash them/],
    ['of an existing tag', '0.2.0', () => void git('tag', 'v0.2.0'), /v0\.2\.0 exists already/],
    [
      'without notes',
      '0.2.0',
      () => {
        write('CHANGELOG.md', '# Changelog\n\n## Unreleased\n\n## 0.1.0\n\n- It is.\n');
        commit();
      },
      /nothing under one heading "## Unreleased"/,
    ],
    [
      'whose check fails',
      '0.2.0',
      () => {
        write('check.js', 'process.exit(1)');
        commit();
      },
      /check` failed\. Nothing was changed/,
    ],
    [
      'whose integration tests fail',
      '0.2.0',
      () => {
        write('integration.js', 'process.exit(1)');
        commit();
      },
      /test:integration` failed\. Nothing was changed/,
    ],
  ])('%s is not made, and the reason is said', (_what, version, prepare, words) => {
    prepare();
    const before = [git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain')];
    const { status, stderr } = release(version);
    expect([status, stderr]).toEqual([1, expect.stringMatching(words)]);
    expect([git('rev-parse', 'HEAD'), git('tag'), git('status', '--porcelain')]).toEqual(before);
  });
});
