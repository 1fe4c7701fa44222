import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/session/settings/read.ts';

describe('the paths of a repository', () => {
  it('are globs of what alone may be written, and of what is closed', () => {
    const globs = ['src/**', '/README.md', '*.{md,txt}', 'docs/', String.raw`app/\[id\]/*`];
    const text = `paths:\n  allow: ${JSON.stringify(globs)}\n  deny: [secrets/]\n`;
    const read = readSettings(text);
    expect('settings' in read ? read.settings.paths : read.fault).toEqual({
      allow: globs,
      deny: ['secrets/'],
    });
  });

  it('leave everything open by default', () => {
    const read = readSettings('label: robot');
    expect('settings' in read && read.settings.paths).toBeUndefined();
  });

  it.each(['../a', 'a/../b', '/', '""', './a', 'a//b', '!a', '"[z-a]"', '"a\\nb"', 7, 'null'])(
    'are no globs such as %s',
    (glob) => {
      const read = readSettings(`paths:\n  deny:\n    - a\n    - ${glob}\n`);
      expect('fault' in read && read.fault).toBe(
        'line 4: `paths.deny[1]` must be a path or glob from the root of the repository, such as "src/**", without ".." or "!"',
      );
    },
  );

  it.each([
    ['paths: secrets\n', '`paths` must contain settings'],
    ['paths:\n  deny: secrets\n', '`paths.deny` must be a list of paths or globs'],
    ['paths:\n  denied: [secrets]\n', '`paths.denied` is not a setting'],
    [`paths:\n  deny: [${'a, '.repeat(50)}a]\n`, '`paths.deny` has more than 50 entries'],
  ])('say what is wrong with %j', (text, fault) => {
    const read = readSettings(text);
    expect('fault' in read && read.fault).toContain(fault);
  });
});
