import { describe, expect, it } from '@jest/globals';
import { hasEmoji, isSameLabel } from '../../src/session/github-names.ts';

describe('two names of labels', () => {
  it.each([
    [':robot: agent', '🤖 agent'],
    [':robot: agent', ':robot: Agent'],
    ['agent :+1:', 'agent 👍'],
    ['agent :+1:', 'agent :thumbsup:'],
    [':heart: agent', '❤ agent'],
    [':heart: agent', '❤️ agent'],
    [':family_man_girl: x', '👨‍👧 x'],
    [':de: x', '🇩🇪 x'],
    [':robot::sparkles:', '🤖✨'],
    ['Issuewright', 'issuewright'],
  ])('are one if people see one: %s, %s', (one, other) => {
    expect(isSameLabel(one, other)).toBe(true);
    expect(isSameLabel(other, one)).toBe(true);
  });

  it.each([
    [':robot: agent', 'agent'],
    [':robot: agent', '🤖agent'],
    [':robot: agent', 'robot agent'],
    [':Robot: agent', '🤖 agent'],
    [':no-such-name: agent', '🤖 agent'],
    [':constructor: agent', 'agent'],
    ['issuewright:plan', 'issuewrightplan'],
    ['a:b:c', 'abc'],
  ])('are two if people see two: %s, %s', (one, other) => {
    expect(isSameLabel(one, other)).toBe(false);
  });

  it('may differ in how they are written only if there is an emoji', () => {
    expect([':robot: a', '🤖 a', 'a ❤', '🇩🇪 x'].map(hasEmoji)).toEqual([true, true, true, true]);
    expect(['Agent', 'issuewright:plan', 'x:y:z', 'für Ünï', '1#*'].map(hasEmoji)).toEqual(
      Array(5).fill(false),
    );
  });
});
