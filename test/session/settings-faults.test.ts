import { describe, expect, it } from '@jest/globals';
import { repositorySettingsSchema } from '../../src/session/settings/index.ts';
import { readSettings } from '../../src/session/settings/read.ts';

const DEFAULTS = repositorySettingsSchema.parse({});

const warningsOf = (text: string): readonly string[] => {
  const read = readSettings(text);
  return 'settings' in read ? read.warnings : [`cannot be used: ${read.fault}`];
};

describe('a fault that the default can replace', () => {
  it.each([
    ['label: ""', '`label` is empty'],
    ['label: [a]', '`label` must be a string'],
    ['protocol: xml', '`protocol` must be one of `auto`, `native`, `json`, `react`'],
    ['draft: maybe', '`draft` must be `true` or `false`'],
    ['reviewers: me', '`reviewers` must be a list of logins'],
    ['language: 7', '`language` must be the name of a language, such as "German" or "pt-BR"'],
    ['continuous: 1', '`continuous` must be `true` or `false`'],
  ])('is reported with its line, and the run continues: %s', (line, words) => {
    const read = readSettings(`mode: single\n${line}\n`);
    expect(read).toMatchObject({
      settings: { ...DEFAULTS, mode: 'single' },
      warnings: [`\`.github/issuewright.yml\`, line 2: ${words}; the default is used`],
    });
  });

  it.each(['"@octo"', 'example/team', '"a b"', '-a', 7, '""'])(
    'is a reviewer such as %s: that is no login',
    (login) => {
      expect(warningsOf(`reviewers:\n  - octo\n  - ${login}\n`)).toEqual([
        expect.stringMatching(/, line 3: `reviewers\[1\]` must be the login of a person/),
      ]);
    },
  );

  it.each(['colour: red', 'notify: {a: 1}', '? [a, b]\n: 1', '"a`\\nb": 1', '__proto__: {}'])(
    'is a word that is not a setting: %s',
    (line) => {
      expect(warningsOf(`draft: false\n${line}\n`)).toEqual([
        expect.stringMatching(/issuewright\.yml`, (line 2: )?`[^`]+` is not a setting; ignored$/),
      ]);
      expect(readSettings(`draft: false\n${line}\n`)).toMatchObject({ settings: { draft: false } });
    },
  );

  it('is listed with a few others at most', () => {
    const words = Array.from({ length: 30 }, (_, at) => `x${at}: 1`).join('\n');
    expect(warningsOf(words)).toHaveLength(6);
    expect(warningsOf(words).at(-1)).toMatch(/and 25 more$/);
  });
});

describe('a fault that may hide a stricter setting', () => {
  it.each([
    ['paths: [secrets/]', /^line 2: `paths` must contain settings/],
    ['paths: {denied: [secrets/]}', /^line 2: `paths\.denied` is not a setting$/],
    ['limits: {dollars: two}', /^line 2: `limits\.dollars` must be a number/],
    ['tools: {run_shell_command: no thanks}', /^line 2: `tools\.run_shell_command` must be/],
    ['commands: npm test', /^line 2: `commands` must contain/],
    ['model: [a]', /^line 2: `model` must be a string/],
    ['mode: fast', /^line 2: `mode` must be one of/],
    ['plan: maybe', /^line 2: `plan` must be one of `auto`, `ask`$/],
    ['base: ""', /^line 2: `base` is empty$/],
    ['commits: {co_author: never}', /^line 2: `commits\.co_author` must be/],
    ['instructions: AGENTS.md', /^line 2: `instructions` must be a list/],
  ])('ends it: %s', (line, words) => {
    const read = readSettings(`label: robot\n${line}\n`);
    expect(read).toEqual({
      fault: expect.stringMatching(words),
      file: '`.github/issuewright.yml`',
      label: 'robot',
      who: 'write',
    });
  });

  it.each([
    ['path: {deny: [secrets/]}', 'paths'],
    ['Paths: {deny: [secrets/]}', 'paths'],
    ['forbidden_paths: [secrets/]', 'paths'],
    ['deny: [secrets/]', 'deny'],
    ['limit: {dollars: 1}', 'limits'],
    ['max_dollars: 1', 'dollars'],
    ['tolls: {git_log: false}', 'tools'],
    ['pan: ask', 'plan'],
    ['modell: openai:small', 'model'],
  ])('may be a misspelling: %s', (line, name) => {
    const read = readSettings(line);
    expect('fault' in read && read.fault).toMatch(
      new RegExp(`^line 1: \`\\w+\` is not a setting. Did you mean \`${name}\`\\?$`),
    );
  });

  it('is reported together with the harmless ones', () => {
    expect(readSettings('draft: x\nmode: x\n')).toMatchObject({
      fault: expect.stringMatching(/line 2: `mode`.*line 1: `draft`/),
    });
  });

  it.each([
    ['label: robot\nmode: [a', 'robot'],
    ['label: robot\nlabel: other\nmode: x', 'robot'],
    ['label: ""\nmode: x', 'issuewright'],
    ['- label: robot', 'issuewright'],
    ['label: [', 'issuewright'],
    ['just words', 'issuewright'],
  ])('keeps the label if it is readable, so that someone is told: %p', (text, label) => {
    expect(readSettings(text)).toMatchObject({ fault: expect.any(String), label });
  });
});

it.each([
  ['mode: x', 'write'],
  ['who: maintain\nmode: x', 'maintain'],
  ['who: everyone\n', 'admin'],
  ['who: [admin]\n', 'admin'],
  ['"who": admin\nmode: [a', 'admin'],
  ['mode: [a\n  who: maintain', 'admin'],
  ['mode: [a', 'write'],
])('a fault gives no one permissions: %p', (text, who) => {
  expect(readSettings(text)).toMatchObject({ fault: expect.any(String), who });
});

describe('how long a question waits', () => {
  const HOUR = 3_600_000;

  it.each([
    ['30m', { afterMs: HOUR / 2, action: 'defaults' }],
    ['12h', { afterMs: 12 * HOUR, action: 'defaults' }],
    ['3d', { afterMs: 72 * HOUR, action: 'defaults' }],
    ['2w', { afterMs: 336 * HOUR, action: 'defaults' }],
    ['{after: 1d}', { afterMs: 24 * HOUR, action: 'defaults' }],
    ['{after: 1d, action: pause}', { afterMs: 24 * HOUR, action: 'pause' }],
  ])('%s', (value, question_timeout) => {
    expect(readSettings(`question_timeout: ${value}`)).toMatchObject({
      settings: { question_timeout },
      warnings: [],
    });
  });

  it.each([
    '3',
    '0d',
    '91d',
    '999999w',
    'soon',
    '3 days',
    '-1d',
    '{after: 3}',
    '{action: pause}',
    '[3d]',
  ])('is not %s', (value) => {
    const read = readSettings(`question_timeout: ${value}`);
    expect('settings' in read && read.settings.question_timeout).toBeUndefined();
    expect(warningsOf(`question_timeout: ${value}`)).toEqual([
      expect.stringMatching(/line 1: `question_timeout(\.\w+)?` must be a time from `1m` to `90d`/),
    ]);
  });
});

it('says of a list in a setting of several forms which entry is wrong', () => {
  expect(readSettings('setup: npm ci')).toMatchObject({ settings: { setup: ['npm ci'] } });
  expect(readSettings('setup: [npm ci, make]')).toMatchObject({
    settings: { setup: ['npm ci', 'make'] },
  });
  expect(readSettings('setup:\n  - npm ci\n  - ""\n')).toMatchObject({
    fault: expect.stringMatching(/^line 3: `setup\[1\]` must be a command on one line/),
  });
  expect(readSettings('setup: 7')).toMatchObject({
    fault: expect.stringMatching(/^line 1: `setup` must be a command on one line, or a list/),
  });
});

describe('the language of what people read', () => {
  it.each(['German', 'pt-BR', 'Português (Brasil)', '日本語', 'es-419'])(
    'may be %s',
    (language) => {
      expect(readSettings(`language: ${language}`)).toMatchObject({ settings: { language } });
    },
  );

  it.each(['"a\\nb"', '"German. Ignore"', `${'a'.repeat(41)}`, '"`x`"', '""', '"#1"'])(
    'is not %s',
    (language) => {
      expect(warningsOf(`language: ${language}`)).toHaveLength(1);
    },
  );
});
