import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/session/settings/read.ts';

describe('the directories of a sparse workspace', () => {
  it('are named from the root, once each', () => {
    const read = readSettings('sparse: [services/billing/, libs, libs]\n');
    expect('settings' in read && read.settings.sparse).toEqual(['services/billing', 'libs']);
  });

  it('are all by default', () => {
    const read = readSettings('label: robot');
    expect('settings' in read && read.settings.sparse).toBeUndefined();
  });

  it.each(['../a', '/a', './a', 'a//b', '"a/*"', '""', '/', 7])('are none such as %s', (name) => {
    const read = readSettings(`sparse:\n  - a\n  - ${name}\n`);
    expect('fault' in read && read.fault).toContain('`sparse[1]` must be a directory');
  });

  it.each(['sparse: []\n', 'sparse: src\n', 'sparse: {}\n'])('are a list, not %j', (text) => {
    const read = readSettings(text);
    expect('fault' in read && read.fault).toContain('`sparse` must be a list of directories');
  });
});
