import { describe, expect, it } from '@jest/globals';
import { readLayer, readSettings } from '../../src/session/settings/read.ts';

function followed(own: string, layer: string, setup: readonly string[] = []) {
  const read = readLayer(layer, setup);
  if ('fault' in read) throw new Error(read.fault);
  const settings = readSettings(own, undefined, { ...read, source: '`--settings`' });
  if ('fault' in settings) throw new Error(settings.fault);
  return settings.settings;
}

describe('settings that are given to a run', () => {
  it('count over those of the repository, and setup commands over both', () => {
    expect(followed('setup: make\nlanguage: German\n', 'setup: npm ci\n').setup).toEqual([
      'npm ci',
    ]);
    const { setup, language } = followed('language: German\n', 'setup: a\n', ['b', 'c']);
    expect([setup, language]).toEqual([['b', 'c'], 'German']);
  });

  it('leave what the repository forbids', () => {
    const { paths, tools, limits } = followed(
      'paths: { deny: [secrets/] }\ntools: { write_file: false }\nlimits: { turns: 5 }\n',
      'paths: { deny: [other/] }\ntools: { write_file: true }\nlimits: { turns: 50 }\n',
    );
    expect(paths?.deny).toEqual(['secrets/', 'other/']);
    expect(tools['write_file']).toBe(false);
    expect(limits.turns).toBe(5);
  });

  it.each([
    ['who: admin', [], /^`who` is for the repository to say/],
    ['label: mine', [], /^`label` is for the repository to say/],
    ['setupp: npm ci', [], /setupp/],
    ['draft: perhaps', [], /draft/],
    ['{', [], /line 1/],
    ['', ['npm ci\u0000'], /setup/],
  ])('are rejected in words if they are wrong: %j', (text, setup, words) => {
    expect(readLayer(text, setup)).toEqual({ fault: expect.stringMatching(words) });
  });
});
