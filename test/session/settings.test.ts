import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/session/settings.ts';

describe('.github/issuewright.yml', () => {
  it.each([[undefined], [''], ['# nothing yet\n']])('may be missing or empty: %p', (text) => {
    expect(readSettings(text)).toEqual({ settings: { label: 'issuewright', limits: {} } });
  });

  it('sets label, model and limits', () => {
    const text = 'label: robot\nmodel: openai:small\nlimits:\n  turns: 9\n  minutes: 5\n';
    expect(readSettings(text)).toEqual({
      settings: { label: 'robot', model: 'openai:small', limits: { turns: 9, minutes: 5 } },
    });
  });

  it.each([
    ['a word that is no setting', 'colour: red', /colour/],
    ['a list', '- a', /expected object/i],
    ['a limit of nothing', 'limits: {turns: 0}', /turns/],
    ['a limit in words', 'limits: {turns: many}', /turns/],
    ['an empty label', 'label: ""', /label/],
    ['broken YAML', 'label: [a', /line 1/],
    ['a key twice', 'label: a\nlabel: b', /unique/i],
    [
      'aliases that multiply',
      'a: &a [1,1,1]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\nd: [*c,*c,*c]',
      /alias/i,
    ],
  ])('with %s is refused in words', (_what, text, words) => {
    const read = readSettings(text);
    expect('fault' in read ? read.fault : 'no fault').toMatch(words);
  });
});
