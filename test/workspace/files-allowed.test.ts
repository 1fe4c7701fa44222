import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { steeringFiles } from '../../src/session/settings/index.ts';
import { WorkspaceFiles } from '../../src/workspace/files/files.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { filesBelow } from '../support/files-below.ts';

function open(allow: readonly string[]): WorkspaceFiles {
  const root = temporaryDirectory();
  for (const path of ['src/deep/a.ts', 'docs/b.md', 'README.md', 'docs/README.md']) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  return new WorkspaceFiles(root, undefined, { allow, deny: ['*.pem'] });
}

const empty = Buffer.from('');

describe('files of a repository that lets only some be written', () => {
  it.each<[glob: string, written: string[], rejected: string[]]>([
    ['src/**', ['src/new.ts', 'src/deep/a.ts'], ['docs/b.md', 'srcs/a', 'new.ts']],
    ['src', ['src/new.ts', 'src/deep/a.ts', 'lib/src/a'], ['docs/b.md', 'srcs/a']],
    ['docs/', ['docs/b.md', 'docs/deep/c'], ['src/new.ts']],
    ['*.{md,txt}', ['docs/b.md', 'README.md', 'a/b/c.txt'], ['src/deep/a.ts']],
    ['/README.md', ['README.md'], ['docs/README.md']],
    ['docs/*/c', ['docs/a/c/d', 'docs/b/c'], ['docs/c', 'docs/a/b/c']],
    ['**', ['README.md', 'a/b'], ['a.pem']],
    ['src', ['src/a'], ['SRC/a', 'src/a.pem']],
  ])('are written below %s, such as %j, and nowhere else', async (glob, written, rejected) => {
    const files = open([glob]);
    for (const path of written) await files.write(path, empty);
    for (const path of rejected) {
      await expect(files.write(path, empty)).rejects.toThrow('repository settings');
      await expect(files.delete(path)).rejects.toThrow('repository settings');
    }
  });

  it('are read everywhere', async () => {
    const files = open(['src/**']);
    expect(Buffer.from(await files.read('docs/b.md')).toString()).toBe('docs/b.md');
    expect(await filesBelow(files)).toContain('README.md');
  });

  it('are moved only between writable places', async () => {
    const files = open(['src/**']);
    for (const [from, to] of [
      ['src/deep', 'docs/deep'],
      ['docs', 'src/docs'],
    ] as const)
      await expect(files.rename([{ from, to }])).rejects.toThrow('cannot be written');
    await files.rename([{ from: 'src/deep', to: 'src/flat' }]);
    expect(await filesBelow(files, 'src')).toEqual(['src/flat/a.ts']);
  });

  it('are rejected with what may be written', async () => {
    await expect(open(['src/**', 'docs/']).write('a', empty)).rejects.toThrow(
      'The path "a" cannot be written: the repository settings allow writes only to "src/**", "docs/".',
    );
    await expect(open([]).write('a', empty)).rejects.toThrow(
      'the repository settings allow no writes.',
    );
    const many = Array.from({ length: 9 }, (_, index) => `d${index}`);
    await expect(open(many).write('a', empty)).rejects.toThrow('"d4", 4 more.');
  });
});

describe('files that steer agents', () => {
  const root = temporaryDirectory();
  const made = (readOnly: readonly string[]) => new WorkspaceFiles(root, undefined, { readOnly });
  const STEERING = steeringFiles(['docs/GUIDE [en].md', 'CONTRIBUTING.md']);

  it.each([
    '.github/issuewright.yml',
    '.GitHub/IssueWright.yml',
    '.github/issuewright.yml.',
    'AGENTS.md',
    'packages/web/agents.MD',
    'CLAUDE.md',
    'a/.claude/settings.json',
    'AGENTS.override.md',
    'a/AGENTS.local.md',
    '.pi/APPEND_SYSTEM.md',
    '.kimi-code/skills/x/SKILL.md',
    '.hermes.md',
    'reasonix.toml',
    'kilo.jsonc',
    'firebender.json',
    '.rulesync/rules/x.md',
    '.codex/config.toml',
    'a/opencode.jsonc',
    '.opencode/agent/x.md',
    'Crush.md',
    'CodeBuddy.MD',
    'a/.greptile/rules.md',
    'greptile.json',
    'gptme.toml',
    '.grok/GROK.md',
    '.vibe/config.toml',
    'WARP.md',
    'QWEN.md',
    '.roo/rules/x.md',
    '.roorules',
    '.roorules-code',
    '.junie/guidelines.md',
    '.aider.conf.yml',
    '.continue/rules/x.md',
    '.kiro/steering/x.md',
    '.amazonq/rules/x.md',
    '.augment-guidelines',
    '.goosehints',
    '.rules',
    '.openhands/microagents/repo.md',
    'replit.md',
    '.tabnine/guidelines/x.md',
    '.devin/config.json',
    '.vibes/rules/x.md',
    'a/IFLOW.md',
    '.iflow/settings.json',
    '.pr_agent.toml',
    '.voidrules',
    '.zencoder/rules/x.md',
    '.vscode/mcp.json',
    '.github/skills/x/SKILL.md',
    '.cursor/rules/x.mdc',
    '.github/copilot-instructions.md',
    '.github/instructions/x.instructions.md',
    'docs/GUIDE [en].md',
    'a/CONTRIBUTING.md',
  ])('are written by people alone, unless the settings say otherwise: %s', async (path) => {
    const files = made(STEERING);
    await expect(files.write(path, empty)).rejects.toThrow('`edit_instructions: true`');
    expect(files.mayKeep(path)).toBe(false);
    await made([]).write(path, empty);
    await expect(files.delete(path)).rejects.toThrow('`edit_instructions: true`');
    await expect(files.rename([{ from: path, to: 'other' }])).rejects.toThrow('only people');
    await expect(files.read(path)).resolves.toEqual(empty);
  });

  it('are those alone', async () => {
    const files = made(STEERING);
    for (const path of [
      '.github/dependabot.yml',
      'src/agents.ts',
      '.vscode/settings.json',
      'src/rules',
      'docs/GUIDE e.md',
      'claude/a',
    ])
      await files.write(path, empty);
  });
});

describe('a name with signs that nobody sees', () => {
  const NAMES = [
    'gpj\u202etxt.exe',
    'a\u200bb.ts',
    'dir\u2066/a.ts',
    '\ufeffREADME.md',
    'a\u00ad.ts',
  ];

  it.each(NAMES)('is not given to a new file: %j', async (path) => {
    const files = new WorkspaceFiles(temporaryDirectory());
    await files.write('plain', empty);
    const words = /holds invisible characters or unusual blanks.*use plain names/;
    await expect(files.write(path, empty)).rejects.toThrow(words);
    await expect(files.rename([{ from: 'plain', to: path }])).rejects.toThrow(words);
    expect(files.mayKeep(path)).toBe(false);
    // The error shows them.
    await expect(files.write(path, empty)).rejects.toThrow(/\\u(202e|200b|2066|feff|00ad)/);
  });

  it.each(NAMES)('is that of an existing file still: %j', async (path) => {
    const tracked = temporaryDirectory();
    mkdirSync(join(tracked, path, '..'), { recursive: true });
    writeFileSync(join(tracked, path), 'x');
    const files = new WorkspaceFiles(tracked, (name) => name === path);
    await files.write(path, empty);
    await files.rename([{ from: path, to: 'plain' }]);
    await files.read('plain');
  });

  it('is not given with blanks of other kinds, at an end, or with signs that have no shape', async () => {
    const files = new WorkspaceFiles(temporaryDirectory());
    const codes = [0xa0, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfffc];
    codes.push(0x378, 0xe000, 0xf8ff, 0xfdd0, 0x16fe4, 0x1d159, 0xe0fff);
    const paths = codes.map((code) => `a${String.fromCodePoint(code)}b.ts`);
    const marks = ['a\u0301', 'a\u20dd', '\u0fb2'].map((sign) => sign + sign.slice(-1).repeat(7));
    for (const path of [...paths, ...marks, ' a.ts', 'a.ts ', 'a /b.ts', 'a/ b.ts'])
      await expect(files.write(path, empty)).rejects.toThrow('holds invisible characters');
  });

  it('is given with emoji, and with what a script needs', async () => {
    const files = new WorkspaceFiles(temporaryDirectory());
    for (const path of [
      '👩\u200d💻.md',
      '❤\ufe0f.md',
      'می\u200cخواهم.md',
      'café.md',
      'cafe\u0301.md',
      'שָׁלוֹם.md',
      'ทั้งที่.md',
      'a b.md',
      '1\ufe0f\u20e3.md',
      'a+b=c (€).md',
    ])
      await files.write(path, empty);
  });
});
