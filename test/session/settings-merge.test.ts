import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/session/settings/read.ts';

const OWNERS = 'example/.github';
const read = (owners: string | undefined, own: string | undefined) =>
  readSettings(own, { text: owners, repository: OWNERS });

describe('the settings of an account, under those of its repository', () => {
  it.each([
    ['the label', 'label: ours', undefined, { label: 'ours' }],
    ['the label', 'label: ours', 'label: mine', { label: 'mine' }],
    ['what only the account says', 'draft: false', 'label: mine', { draft: false, label: 'mine' }],
    ['a default said aloud', 'draft: false', 'draft: true', { draft: true }],
    ['the model', 'model: openai:a', 'model: openai:b', { model: 'openai:b' }],
    ['the lower limit', 'limits: {turns: 9}', 'limits: {turns: 20}', { limits: { turns: 9 } }],
    ['the lower limit', 'limits: {turns: 20}', 'limits: {turns: 9}', { limits: { turns: 9 } }],
    [
      'each limit for itself',
      'limits: {turns: 9, dollars: 2}',
      'limits: {minutes: 5, dollars: 1}',
      { limits: { turns: 9, minutes: 5, dollars: 1 } },
    ],
    [
      'which reviews',
      'review: opened',
      'review: off',
      { review: { when: 'off', drafts: true, may: 'comment' } },
    ],
    [
      'what reviews may be at most',
      'review: {may: request_changes}',
      'review: {may: approve}',
      { review: { when: 'requested', drafts: true, may: 'request_changes' } },
    ],
    [
      'less of what reviews may be',
      'review: {may: approve}',
      'review: {may: comment}',
      { review: { when: 'requested', drafts: true, may: 'comment' } },
    ],
    [
      'the lower limit for reviews',
      'review: {when: opened, dollars: 2}',
      'review: ready',
      { review: { when: 'ready', drafts: true, dollars: 2, may: 'comment' } },
    ],
    [
      'what both deny',
      'paths: {deny: [a, b]}',
      'paths: {deny: [b, c]}',
      { paths: { deny: ['a', 'b', 'c'] } },
    ],
    [
      'what one denies',
      'paths: {deny: [a]}',
      'paths: {allow: [b]}',
      { paths: { deny: ['a'], allow: ['b'] } },
    ],
    [
      'what may be written',
      'paths: {allow: [a]}',
      'paths: {allow: [b]}',
      { paths: { allow: ['b'] } },
    ],
    [
      'no tool that the account takes away',
      'tools: {git_log: false}',
      'tools: {git_log: true}',
      { tools: { git_log: false } },
    ],
    [
      'no tool that it takes away itself',
      'tools: {git_log: true}',
      'tools: {git_log: false}',
      { tools: { git_log: false } },
    ],
    [
      'tools of both',
      'tools: {git_log: true}',
      'tools: {git_diff: true}',
      { tools: { git_log: true, git_diff: true } },
    ],
    [
      'tools named like parts of objects',
      'tools: {constructor: true}',
      '',
      { tools: { constructor: true } },
    ],
    [
      'each of the words on commits',
      'commits: {sign_off: true}',
      'commits: {co_author: false}',
      { commits: { sign_off: true, co_author: false } },
    ],
    [
      'no reviewers if it wants none',
      'reviewers: [octo-maintainer]',
      'reviewers: []',
      { reviewers: [] },
    ],
  ])('give a repository %s: %s, %s', (_what, owners, own, settings) => {
    expect(read(owners, own)).toMatchObject({ settings, warnings: [] });
  });

  it('change nothing if there are none', () => {
    expect(read(undefined, 'label: mine')).toEqual(readSettings('label: mine'));
  });

  it('say in which file something is wrong', () => {
    expect(read('colour: red', 'draft: x')).toMatchObject({
      warnings: [
        '`.github/issuewright.yml` of `example/.github`, line 1: `colour` is not a setting; ignored',
        '`.github/issuewright.yml`, line 1: `draft` must be `true` or `false`; the default is used',
      ],
    });
    expect(read('mode: x', 'label: mine')).toMatchObject({
      fault: expect.stringMatching(/^line 1: `mode`/),
      file: '`.github/issuewright.yml` of `example/.github`',
      label: 'mine',
    });
    expect(read('label: ours', 'mode: x')).toMatchObject({
      file: '`.github/issuewright.yml`',
      label: 'ours',
    });
  });

  it('are rejected if both together are too much, and nothing is left out', () => {
    const globs = (letter: string) =>
      `paths: {deny: [${Array.from({ length: 30 }, (_, at) => `${letter}${at}`).join()}]}`;
    expect(read(globs('a'), globs('b'))).toMatchObject({
      fault: '`paths.deny` has more than 50 entries',
      file: expect.stringMatching(/^The combination of .* with the file here$/),
    });
  });
});
