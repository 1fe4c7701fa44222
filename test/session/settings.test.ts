import { describe, expect, it } from '@jest/globals';
import { readSettings } from '../../src/session/settings/read.ts';

/** How work is published by default. */
const PUBLISHING = {
  draft: true,
  reviewers: [],
  commits: { co_author: true, sign_off: false },
};

describe('.github/issuewright.yml', () => {
  it.each([[undefined], [''], ['# nothing yet\n']])('may be missing or empty: %p', (text) => {
    const settings = { label: 'issuewright', mode: 'agent', limits: {}, tools: {}, ...PUBLISHING };
    expect(readSettings(text)).toMatchObject({ settings, warnings: [] });
  });

  it('sets label, model, protocol, mode and limits', () => {
    const text =
      'label: robot\nmodel: openai:small\nprotocol: react\nmode: single\n' +
      'limits:\n  turns: 9\n  minutes: 5\n  dollars: 0.5\n';
    expect(readSettings(text)).toMatchObject({
      settings: {
        label: 'robot',
        model: 'openai:small',
        protocol: 'react',
        mode: 'single',
        limits: { turns: 9, minutes: 5, dollars: 0.5 },
        tools: {},
        ...PUBLISHING,
      },
    });
  });

  it.each([
    [
      '[AGENTS.md, .github/copilot-instructions.md]',
      ['AGENTS.md', '.github/copilot-instructions.md'],
    ],
    ['[docs/a b.md, docs/a b.md]', ['docs/a b.md']],
    ['[]', []],
  ])('names the files with instructions: %s', (list, instructions) => {
    const read = readSettings(`instructions: ${list}`);
    expect('settings' in read ? read.settings.instructions : read.fault).toEqual(instructions);
  });

  it('leaves the files with instructions to the operator if it does not set them', () => {
    const read = readSettings('label: robot');
    expect('settings' in read && read.settings.instructions).toBeUndefined();
  });

  it.each(['../CLAUDE.md', '/etc/passwd', 'a/../b', './a.md', 'docs/', 'a//b', '""', '"a\\nb"', 7])(
    'takes no path such as %s for a file of the repository',
    (path) => {
      const read = readSettings(`label: a\ninstructions:\n  - README.md\n  - ${path}\n`);
      expect('fault' in read && read.fault).toMatch(
        /^line 4: `instructions\[1\]` must be the path of a file/,
      );
    },
  );

  it('sets where the work goes, who reviews it, and whom its commits name', () => {
    const read = readSettings(
      'base: develop\ndraft: false\nreviewers: [octo-maintainer, second-reader]\ncommits: {sign_off: true}\n',
    );
    expect(read).toMatchObject({
      settings: {
        base: 'develop',
        draft: false,
        reviewers: ['octo-maintainer', 'second-reader'],
        commits: { co_author: true, sign_off: true },
      },
    });
  });

  it('gives a run tools, and takes others away', () => {
    const read = readSettings('tools:\n  git_log: true\n  create_pull_request: false\n');
    expect(read).toMatchObject({
      settings: { tools: { git_log: true, create_pull_request: false } },
    });
  });

  it.each([
    ['[git_log]', 'line 1: `tools` must contain names of tools, each with `true` or `false`'],
    ['{git_log: 1}', 'line 1: `tools.git_log` must be `true` or `false`'],
    ['{Git-Log: true}', 'line 1: `tools.Git-Log` is not the name of a tool'],
    ['{1: true}', 'line 1: `tools.1` is not the name of a tool'],
    ['{"a`\\nb": true}', 'line 1: `tools.a  b` is not the name of a tool'],
  ])('says what is wrong with the choice of tools %s', (tools, fault) => {
    expect(readSettings(`tools: ${tools}`)).toMatchObject({ fault });
  });

  it('says what is wrong with each setting, and on which line', () => {
    const read = readSettings(
      'label: a\nlimits:\n  turns: many\n  dollars: 0\nmode: fast\nbig: 1\n',
    );
    expect(read).toMatchObject({
      fault: [
        'line 5: `mode` must be one of `agent`, `single`, `completion`',
        'line 3: `limits.turns` must be a whole number from 1 to 500',
        'line 4: `limits.dollars` must be a number from 0.01 to 10000, in US dollars',
        'line 6: `big` is not a setting',
      ].join('; '),
    });
  });

  it.each([
    ['a list', '- a', /line 1: the file must contain settings/],
    ['a limit of nothing', 'limits: {turns: 0}', /turns/],
    ['a limit in words', 'limits: {turns: many}', /turns/],
    ['too many instructions', `instructions: [${'abcdefghijk'.split('').join()}]`, /more than 10/],
    [
      'many faults',
      '{mode: 1, b: 1, c: 1, d: 1, e: 1, f: 1, g: 1}',
      /`e` is not a setting; and 2 more/,
    ],
    ['broken YAML', 'label: [a', /line 1/],
    ['a tab', 'a: 1\n\tsk-Zebrafish: 1', /^line 2, column 1: Tabs are not allowed as indentation$/],
    ['a bracket that stays open', 'env:\n  A_KEY: [Zebrafish', /^line 2, column 20: Flow sequence/],
    ['an unknown anchor', 'label: *Zebrafish', /^Unresolved alias \(.*\)$/],
    ['more than a block', 'label: |Zebrafish\n x', /^line 1, column 9: Block scalar header/],
    ['a quote that stays open', 'label: "Zebrafish', /^line 1, column \d+: Missing closing/],
    ['a key twice', 'label: a\nlabel: b', /unique/i],
    [
      'aliases that multiply',
      'a: &a [1,1,1]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\nd: [*c,*c,*c]',
      /alias/i,
    ],
  ])('with %s is invalid, with an explanation', (_what, text, words) => {
    const read = readSettings(text);
    const fault = 'fault' in read ? read.fault : 'no fault';
    expect(fault).toMatch(words);
    expect(fault).not.toContain('Zebrafish');
  });
});
