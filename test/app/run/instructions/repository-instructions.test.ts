import { describe, expect, it } from '@jest/globals';
import {
  promptSection,
  readInstructions,
} from '../../../../src/app/run/instructions/repository-instructions.ts';
import { TellPerson, TryLater } from '../../../../src/lib/errors.ts';
import { followLinks, type IsClosed } from '../../../../src/lib/target-of.ts';
import { DEFAULT_INSTRUCTIONS } from '../../../../src/session/settings/index.ts';

const branch = (files: Readonly<Record<string, string>>) => ({
  readFile: async (path: string) => (Object.hasOwn(files, path) ? files[path] : undefined),
  redact: (text: string) => text.replaceAll('hunter22', '[redacted]'),
});

/** The section of the system prompt for a default branch with these files. */
const sectionOf = async (
  files: Readonly<Record<string, string>>,
  paths = DEFAULT_INSTRUCTIONS,
): Promise<string> => promptSection(await readInstructions(branch(files), paths));

const headingsOf = (section: string): string[] => section.match(/^### \S+$/gm) ?? [];

describe('the repository’s instructions', () => {
  it('are in the prompt under their paths, in the order of the list', async () => {
    const section = await sectionOf({
      'AGENTS.md': 'Use tabs.\n',
      '.github/copilot-instructions.md': 'Write tests.',
      'CLAUDE.md': '# Style\n\nBe brief.',
      'README.md': 'Not of the list.',
    });
    expect(section).toMatch(/^## Repository Instructions\n\nPeople with write access/);
    expect(section).toContain(
      '\n\n### CLAUDE.md\n\n# Style\n\nBe brief.\n\n### AGENTS.md\n\nUse tabs.\n\n' +
        '### .github/copilot-instructions.md\n\nWrite tests.',
    );
    expect(section).not.toContain('Not of the list.');
  });

  it('are those of another list, in its order, if there is one', async () => {
    const files = { 'a.md': 'A', 'docs/b.md': 'B', 'CLAUDE.md': 'C' };
    expect(headingsOf(await sectionOf(files, ['docs/b.md', 'a.md']))).toEqual([
      '### docs/b.md',
      '### a.md',
    ]);
  });

  it.each([
    ['there are no files', {}, DEFAULT_INSTRUCTIONS],
    ['they are empty', { 'CLAUDE.md': ' \n<!-- later -->\n' }, DEFAULT_INSTRUCTIONS],
    ['the list is empty', { 'CLAUDE.md': 'Be brief.' }, []],
  ])('leave no trace if %s', async (_when, files, paths) => {
    expect(await sectionOf(files, paths)).toBe('');
  });

  it('are the same bytes for the same files', async () => {
    const files = { 'CLAUDE.md': 'One', 'AGENTS.md': 'Two\n'.repeat(9000) };
    expect(await sectionOf(files)).toBe(await sectionOf({ ...files }));
  });

  it.each([
    ['a copy', 'Be brief.\r\n'],
    ['a link in a checkout', 'CLAUDE.md'],
    ['an import', '@CLAUDE.md\n'],
    ['a link from here', './CLAUDE.md'],
  ])('are not repeated by %s', async (_what, text) => {
    const files = { 'CLAUDE.md': 'Be brief.', 'AGENTS.md': text };
    expect(headingsOf(await sectionOf(files))).toEqual(['### CLAUDE.md']);
  });

  it('are not repeated by a link from another directory, or to a later file', async () => {
    const files = {
      'CLAUDE.md': '@AGENTS.md',
      'AGENTS.md': 'Be brief.',
      '.github/copilot-instructions.md': '../AGENTS.md',
    };
    expect(headingsOf(await sectionOf(files))).toEqual(['### AGENTS.md']);
  });

  it('are followed by what they import, and each text is there once', async () => {
    const section = await sectionOf({
      'CLAUDE.md': 'Be brief.\n\n@docs/rules.md\n- @AGENTS.md\n  @./docs/more.md\r\n',
      'docs/rules.md': 'Use tabs.\n\n@more.md\n@../CLAUDE.md\n@rules.md',
      'docs/more.md': 'Write tests.',
      'AGENTS.md': 'Ask first.',
    });
    expect(headingsOf(section)).toEqual([
      '### CLAUDE.md',
      '### docs/rules.md',
      '### docs/more.md',
      '### AGENTS.md',
    ]);
    expect(section).toContain('### docs/rules.md\n\nUse tabs.');
    expect(section).not.toContain('not shown');
  });

  it('import neither in sentences nor in samples', async () => {
    const text =
      'See @README.md, or ask @octo.\n\n```\n@docs/rules.md\n```\n\n@octocat\n\n    @docs/rules.md';
    const files = { 'CLAUDE.md': text, 'README.md': 'Read me.', 'docs/rules.md': 'Rules.' };
    expect(headingsOf(await sectionOf(files))).toEqual(['### CLAUDE.md']);
    expect(await sectionOf(files)).not.toContain('not shown');
  });

  it('say which import is not shown, and why', async () => {
    const source = {
      ...branch({
        'CLAUDE.md': '@gone.md\n@../up.md\n@~/own.md\n@/etc/passwd.md\n@secret/a.md\n@empty.md',
        'secret/a.md': 'Closed.',
        'empty.md': '',
        '../up.md': 'Outside.',
      }),
      isClosed: (path: string) => path.startsWith('secret/'),
    };
    const section = promptSection(await readInstructions(source, ['CLAUDE.md']));
    expect(section.split('\n\n').at(-1)?.split('\n')).toEqual([
      '(The import `gone.md` is not shown: there is no text.)',
      '(The import `../up.md` is not shown: it is outside of the repository.)',
      '(The import `~/own.md` is not shown: it is outside of the repository.)',
      '(The import `/etc/passwd.md` is not shown: it is outside of the repository.)',
      '(The import `secret/a.md` is not shown: the settings close it.)',
      '(The import `empty.md` is not shown: there is no text.)',
    ]);
  });

  it('import a limited number of files', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `n${at}.md`);
    const files = Object.fromEntries(names.map((name) => [name, `Text of ${name}`]));
    const section = await sectionOf({
      ...files,
      'CLAUDE.md': names.map((name) => `@${name}`).join('\n'),
    });
    expect(headingsOf(section)).toHaveLength(21);
    expect(section.match(/is not shown: more than 20 files are imported/g)).toHaveLength(10);
  });

  it('say of a link why it is not followed', async () => {
    const readFile = () => followLinks('AGENTS.md', async () => ({ target: '../outside.md' }));
    const [file] = await readInstructions({ ...branch({}), readFile }, ['AGENTS.md']);
    expect(file?.text).toBe('(Not shown: `AGENTS.md` is a link that leads out of the repository.)');
  });

  it('follow no link to a file that the settings close', async () => {
    const links: Readonly<Record<string, string>> = { 'AGENTS.md': 'a.md', 'a.md': 'secret/b.md' };
    const source = {
      ...branch({}),
      isClosed: (path: string) => path.startsWith('secret/'),
      readFile: (path: string, isClosed?: IsClosed) =>
        followLinks(
          path,
          async (at) => (links[at] === undefined ? 'no link' : { target: links[at] }),
          isClosed,
        ),
    };
    const [file] = await readInstructions(source, ['AGENTS.md']);
    expect(file?.text).toBe(
      '(Not shown: `AGENTS.md` is a link that leads to a file that the settings close.)',
    );
  });

  it('lose invisible characters and HTML comments, and keep names and samples as they are', async () => {
    const text = 'Use @octokit/rest.\u200B<!-- hidden -->\u202E\u0007\n\n```html\n<b>x</b>\n```';
    const section = await sectionOf({ 'CLAUDE.md': text });
    expect(section).toContain('Use @octokit/rest.\n\n```html\n<b>x</b>\n```');
    expect(section).not.toContain('hidden');
  });

  it.each([
    ['around lines', '<important>\nUse tabs.\n</important>'],
    ['in a line', 'Read <rules>one, two</rules> first.'],
    ['with a word of their own', '<example kind="bad">\n\n- no\n\n</example>'],
    ['with attributes', '<rules note="what others want">Use tabs.</rules>\n\n<div hidden>x</div>'],
    ['of names that HTML has too', '<style>\nBe brief.\n</style>\n\n<template>x</template>'],
  ])('keep the tags that tell one part from the other: %s', async (_where, text) => {
    expect(await sectionOf({ 'AGENTS.md': text })).toContain(`### AGENTS.md\n\n${text}`);
  });

  it.each([
    ['a comment in them', '<rules>\n<!-- hidden -->\nUse tabs.\n</rules>'],
    ['invisible characters', '<rules>Use tabs.\u{E0068}</rules>\u200B<!-- hidden -->'],
  ])('keep those without %s', async (_what, text) => {
    const section = await sectionOf({ 'AGENTS.md': text });
    expect(section).toContain('Use tabs.');
    expect(section).not.toMatch(/hidden|nobody|[\u200B\u{E0068}]/u);
  });

  it('contain no secret, even if a cut would split it', async () => {
    const text = `${'x'.repeat(16 * 1024 - 310)}hunter22${'y'.repeat(9000)}`;
    expect(await sectionOf({ 'CLAUDE.md': text })).not.toContain('hunt');
  });

  it('wait for GitHub if it is unavailable', async () => {
    const source = { ...branch({}), readFile: () => Promise.reject(new TryLater('busy')) };
    await expect(readInstructions(source, ['CLAUDE.md'])).rejects.toThrow(TryLater);
  });

  it('say so of a file that GitHub does not give', async () => {
    const readFile = async (): Promise<string> => {
      throw new TellPerson('`CLAUDE.md` is larger than 64 KB. Shorten it.');
    };
    const files = await readInstructions({ ...branch({}), readFile }, ['CLAUDE.md', 'AGENTS.md']);
    expect(headingsOf(promptSection(files))).toHaveLength(2);
    expect(promptSection(files)).toContain('(Not shown: `CLAUDE.md` is not a file, or is too long');
  });
});

describe('instructions that are too long', () => {
  const line = 'A line of instructions, as people write them.';

  it('are cut at the end of a line, with a note that says where the rest is', async () => {
    const section = await sectionOf({ 'CLAUDE.md': `${line}\n`.repeat(1000) });
    const [, kept = ''] = section.split('### CLAUDE.md\n\n');
    expect(kept).toMatch(
      /they write them|as people write them\.\n\n\(Cut here, after \d+ of 45999 bytes\. For the rest, see `CLAUDE\.md` if/,
    );
    for (const each of kept.split('\n\n')[0]?.split('\n') ?? []) expect(each).toBe(line);
    expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(16 * 1024);
    expect(Buffer.byteLength(kept)).toBeGreaterThan(15 * 1024);
  });

  it('are cut between characters if they are one line', async () => {
    const section = await sectionOf({ 'CLAUDE.md': '€'.repeat(20_000) });
    expect(section).not.toContain('\uFFFD');
    expect(section).toMatch(/€\n\n\(Cut here/);
  });

  it('leave no code block open', async () => {
    const section = await sectionOf({ 'CLAUDE.md': `\`\`\`\n${`${line}\n`.repeat(1000)}\`\`\`` });
    expect(section.match(/^```$/gm)).toHaveLength(2);
  });

  it('leave what comes after them out when all together are too long', async () => {
    const long = (name: string): string => `${name} ${line}\n`.repeat(500);
    const files = Object.fromEntries(DEFAULT_INSTRUCTIONS.map((path) => [path, long(path)]));
    const section = await sectionOf(files);
    expect(headingsOf(section)).toHaveLength(5);
    expect(section).toContain(
      '(Not shown, because the files together would be too long. See `docs/',
    );
    expect(Buffer.byteLength(section)).toBeLessThan(34 * 1024);
  });
});
