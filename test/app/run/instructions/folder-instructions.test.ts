import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FolderInstructions } from '../../../../src/app/run/instructions/folder-instructions.ts';
import {
  promptSection,
  readInstructions,
} from '../../../../src/app/run/instructions/repository-instructions.ts';
import { TryLater } from '../../../../src/lib/errors.ts';
import { DEFAULT_INSTRUCTIONS } from '../../../../src/session/settings/index.ts';
import { prepare, toolbox } from '../../../../src/agent/dispatch.ts';
import { finishingCall } from '../../../../src/tools/flow/finish.ts';
import { bindTools } from '../../../../src/tools/index.ts';
import { WorkspaceFiles } from '../../../../src/workspace/files/files.ts';
import { makePlace } from '../../../../src/workspace/search/walk.ts';
import { WorkspaceSearch } from '../../../../src/workspace/search/search.ts';
import { fakeCommands } from '../../../support/fakes/fake-commands.ts';
import { fakeForge } from '../../../support/fakes/fake-forge.ts';
import { fakeGit } from '../../../support/fakes/fake-git.ts';
import { fakeMemories } from '../../../support/fakes/fake-memories.ts';
import { NO_SECRETS } from '../../../support/fakes/no-secrets.ts';
import { Journal } from '../../../support/journal.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

type Tree = Readonly<Record<string, string>>;

const CODE: Tree = {
  'README.md': 'x',
  'packages/web/src/a.ts': 'export const a = 1;',
  'packages/web/src/b.ts': 'export const b = 1;',
  'packages/api/index.ts': 'export const c = 1;',
};

interface SceneOptions {
  /** Files that only the workspace has. */
  readonly extra?: Tree;
  readonly journal?: Journal;
}

const newRun = (): Journal => new Journal().start().run();

/** A run in a workspace with these files, over a default branch with these instructions. */
async function scene(onBranch: Tree, { extra = {}, journal = newRun() }: SceneOptions = {}) {
  const root = temporaryDirectory();
  for (const [path, text] of Object.entries({ ...CODE, ...onBranch, ...extra })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const asked: string[] = [];
  const source = {
    redact: (text: string) => text.replaceAll('hunter22', '[redacted]'),
    readFile: async (path: string) => {
      asked.push(path);
      return Object.hasOwn(onBranch, path) ? onBranch[path] : undefined;
    },
  };
  const workspace = new WorkspaceFiles(root);
  const search = new WorkspaceSearch(makePlace(root));
  const options = { ...source, files: workspace, search, names: DEFAULT_INSTRUCTIONS, journal };
  const folders = new FolderInstructions(options);
  /** The notices before the next request, by topic; journaled as in a run. */
  const told = async (): Promise<string[]> => {
    const news = await folders.next();
    for (const { topic, text } of news) journal.notice(topic, text);
    return news.map(({ topic }) => topic.replace('instructions:', ''));
  };
  const git = await fakeGit(workspace);
  const commands = fakeCommands(root);
  const tools = bindTools({
    files: folders.files,
    search: folders.search,
    ...fakeForge(git),
    git,
    commands,
    memories: fakeMemories(),
    skills: { read: () => '' },
    reviewer: { review: () => Promise.resolve(undefined) },
    patches: { offer: () => Promise.resolve(undefined) },
    secrets: NO_SECRETS,
  });
  /** Calls a tool as the agent does. */
  const call = async (tool: string, args: unknown): Promise<void> => {
    const prepared = prepare(toolbox(tools, { conclude: finishingCall }), {
      tool,
      arguments: args,
    });
    if ('fault' in prepared) throw new Error(prepared.fault);
    await prepared.run({ startedAt: new Date(0), signal: new AbortController().signal });
  };
  return { asked, source, options, folders, files: folders.files, journal, told, call };
}

const textOf = ({ journal }: { readonly journal: Journal }): string => {
  const last = journal.entries.at(-1);
  return last?.type === 'notice' ? last.text : '';
};

describe('the instructions of a folder', () => {
  const WEB = { 'packages/web/AGENTS.md': 'Use tabs.', 'packages/CLAUDE.md': 'Use pnpm.' };

  it('are shown once it is touched, the outer one’s first, each once', async () => {
    const world = await scene(WEB);
    expect(await world.told()).toEqual([]);
    await world.files.read('packages/web/src/a.ts');
    expect(await world.told()).toEqual(['packages/CLAUDE.md', 'packages/web/AGENTS.md']);
    expect(textOf(world)).toBe(
      'Instructions for the folder `packages/web`, from `packages/web/AGENTS.md` on the default branch. They add to those of the repository and take precedence over them.\n\nUse tabs.',
    );
    await world.files.write('packages/web/src/new.ts', new Uint8Array());
    expect(await world.told()).toEqual([]);
  });

  it.each([
    ['read_file', { path: './packages//web/src/a.ts' }],
    ['write_file', { path: 'packages/web/new/deep.ts', content: '' }],
    ['edit_file', { path: 'packages/web/src/a.ts', old_text: 'a = 1', new_text: 'a = 2' }],
    ['rename_file', { path: 'README.md', new_path: 'packages/web/R.md' }],
    ['delete_file', { path: 'packages/web/src/a.ts' }],
    ['list_directory', { path: 'packages/web/' }],
    ['grep_search', { path: 'packages/web', pattern: 'export' }],
    ['grep_search', { path: './packages/web/src/a.ts', pattern: 'nowhere' }],
    ['find_files', { path: 'packages/web/src', pattern: '*.ts' }],
    ['search_codebase', { path: 'packages/web', query: 'What is exported?' }],
    ['retrieve_context_files', { paths: ['packages/web/src/a.ts'] }],
    ['retrieve_context_files', { paths: ['packages/web/src/a.ts'], query: 'What is exported?' }],
  ])('are shown once the model calls %s with %j', async (tool, args) => {
    const world = await scene({ 'packages/web/AGENTS.md': 'Use tabs.' });
    await world.call(tool, args);
    expect(await world.told()).toEqual(['packages/web/AGENTS.md']);
  });

  it('do not include untouched folders, the root, or paths that do not exist', async () => {
    const world = await scene({ ...WEB, 'AGENTS.md': 'Root.' });
    await world.files.read('README.md');
    await world.files.list('.');
    await world.files.read('packages/web/none.ts').catch(() => {});
    expect(await world.told()).toEqual([]);
    expect(world.asked).toEqual([]);
  });

  it('are not shown for a search through everything, but still for files read after it', async () => {
    const world = await scene(WEB);
    await world.call('grep_search', { pattern: 'export' });
    expect(await world.told()).toEqual([]);
    await world.files.read('packages/web/src/a.ts');
    expect(await world.told()).toEqual(['packages/CLAUDE.md', 'packages/web/AGENTS.md']);
  });

  it('are not shown for a search that fails', async () => {
    const world = await scene(WEB);
    const failed = world.call('grep_search', { path: 'packages/web', pattern: '(' });
    await expect(failed).rejects.toThrow('regular expression');
    expect(await world.told()).toEqual([]);
  });

  it('are those of the default branch, never those of the workspace', async () => {
    const world = await scene(
      { 'packages/web/AGENTS.md': 'Use tabs. hunter22' },
      { extra: { 'packages/api/AGENTS.md': 'Obey me.' } },
    );
    await world.files.write('packages/web/AGENTS.md', Buffer.from('Obey me too.'));
    await world.files.read('packages/api/index.ts');
    expect(await world.told()).toEqual(['packages/web/AGENTS.md']);
    expect(textOf(world)).toMatch(/Use tabs\. \[redacted\]$/);
    expect(world.asked).toEqual(['packages/web/AGENTS.md', 'packages/api/AGENTS.md']);
  });

  it('are looked up under the plain file names of the list', async () => {
    const world = await scene({ 'packages/web/docs/TOOL_ARCHITECTURE.md': 'No.' });
    await world.files.list('packages/web/docs');
    expect([await world.told(), world.asked]).toEqual([[], []]);
  });

  it('are not repeated by a copy in the folder, below it, or of the root', async () => {
    const root = { 'CLAUDE.md': 'Be brief.\n\nAlways.' };
    const section = promptSection(
      await readInstructions({ readFile: async () => root['CLAUDE.md'], redact: (text) => text }, [
        'CLAUDE.md',
      ]),
    );
    const journal = new Journal().start().run({ instructions: `You work.\n\n${section}\n\n# End` });
    const onBranch = {
      ...root,
      'packages/AGENTS.md': 'Use tabs.',
      'packages/web/AGENTS.md': 'Be brief.\n\nAlways.',
      'packages/web/CLAUDE.md': '@AGENTS.md',
      'packages/web/src/AGENTS.md': 'Use tabs.',
      'packages/web/src/CLAUDE.md': '../../../CLAUDE.md',
      'packages/api/AGENTS.md': 'Use tabs.',
    };
    const world = await scene(onBranch, { journal });
    await world.files.read('packages/web/src/a.ts');
    expect(await world.told()).toEqual(['packages/AGENTS.md']);
  });

  it('bring what they import, for their own folder, unless the root did already', async () => {
    const root = { 'CLAUDE.md': 'Be brief.\n@docs/all.md', 'docs/all.md': 'Use tabs.' };
    const onBranch = {
      ...root,
      'packages/web/CLAUDE.md': 'Ask first.\n@../../docs/web.md\n@../../docs/all.md',
      'docs/web.md': 'Use hooks.',
    };
    const source = {
      readFile: async (path: string) => new Map(Object.entries(root)).get(path),
      redact: (text: string) => text,
    };
    const section = promptSection(await readInstructions(source, ['CLAUDE.md']));
    const journal = new Journal().start().run({ instructions: `You work.\n\n${section}\n\n# End` });
    const world = await scene(onBranch, { journal });
    await world.files.read('packages/web/src/a.ts');
    expect(await world.told()).toEqual(['packages/web/CLAUDE.md', 'docs/web.md']);
    expect(textOf(world)).toMatch(
      /^Instructions for the folder `packages\/web`, from `docs\/web\.md` .*\n\nUse hooks\.$/,
    );
  });

  it('are shown for two sibling folders with the same text', async () => {
    const same = { 'packages/web/AGENTS.md': 'Use tabs.', 'packages/api/AGENTS.md': 'Use tabs.' };
    const world = await scene(same);
    await world.files.list('packages/web');
    await world.files.list('packages/api');
    expect(await world.told()).toHaveLength(2);
  });
});

describe('after an interruption', () => {
  it('are not repeated within a run, but in a later run', async () => {
    const onBranch = { 'packages/AGENTS.md': 'A', 'packages/web/AGENTS.md': 'B' };
    const journal = new Journal().start().run();
    journal.notice('instructions:packages/AGENTS.md', 'A').end({ kind: 'asked' }).start().run();
    journal.notice('instructions:packages/web/AGENTS.md', 'B');
    const world = await scene(onBranch, { journal });
    await world.files.read('packages/web/src/a.ts');
    expect(await world.told()).toEqual(['packages/AGENTS.md']);
    expect(world.asked).toEqual(['packages/AGENTS.md']);
  });
});

describe('after a compaction', () => {
  const WEB = { 'packages/web/AGENTS.md': 'Use tabs.' };

  it('are repeated verbatim, once, if they have left the conversation', async () => {
    const world = await scene(WEB);
    await world.files.read('packages/web/src/a.ts');
    expect(await world.told()).toEqual(['packages/web/AGENTS.md']);
    const before = textOf(world);
    world.journal.compacted('Notes.');
    expect(await world.told()).toEqual(['packages/web/AGENTS.md']);
    expect(textOf(world)).toBe(before);
    expect(await world.told()).toEqual([]);
    expect(world.asked).toEqual(['packages/web/AGENTS.md']);
  });

  it('are not repeated while they are in the conversation', async () => {
    const world = await scene(WEB);
    await world.files.read('packages/web/src/a.ts');
    const upTo = world.journal.entries.length;
    await world.told();
    world.journal.compacted('Notes.', upTo);
    await world.files.read('packages/web/src/b.ts');
    expect(await world.told()).toEqual([]);
  });

  it('leave the same limit for what is shown next', async () => {
    const long = 'A line of instructions.\n'.repeat(600);
    const world = await scene({
      'packages/web/AGENTS.md': long,
      'packages/api/AGENTS.md': `Use spaces.\n${long}`,
    });
    await world.files.list('packages/web');
    await world.told();
    world.journal.compacted(null);
    await world.files.list('packages/api');
    expect(await world.told()).toEqual(['packages/web/AGENTS.md', 'packages/api/AGENTS.md']);
    expect(textOf(world)).toContain('Use spaces.');
    expect(textOf(world)).not.toContain('(Cut here');
  });
});

describe('the limits of folders’ instructions', () => {
  const many = (count: number, text: string): Tree =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`packages/p${at}/AGENTS.md`, `${at} ${text}`]),
    );

  it('look up at most 20 instruction files per run', async () => {
    const world = await scene(many(30, 'x'));
    for (let at = 0; at < 30; at += 1) await world.files.list(`packages/p${at}`);
    expect(await world.told()).toHaveLength(20);
    expect(world.asked).toHaveLength(20);
  });

  it('are 16 kB for each, and 32 kB for all, with a word on what is left out', async () => {
    const world = await scene(many(5, 'A line of instructions.\n'.repeat(2000)));
    for (let at = 0; at < 5; at += 1) await world.files.list(`packages/p${at}`);
    await world.told();
    const texts = world.journal.entries.flatMap((e) => (e.type === 'notice' ? [e.text] : []));
    expect(texts.every((text) => Buffer.byteLength(text) < 17 * 1024)).toBe(true);
    expect(Buffer.byteLength(texts.join(''))).toBeLessThan(34 * 1024);
    expect(texts[0]).toContain('(Cut here, after');
    expect(texts[4]).toContain(
      '(Not shown, because the files together would be too long. See `pack',
    );
  });

  it('a GitHub that does not answer is asked again before the next request, and not for ever', async () => {
    const world = await scene({ 'packages/web/AGENTS.md': 'A', 'packages/api/AGENTS.md': 'B' });
    let failures = 1;
    const readFile = async (path: string): Promise<string | undefined> => {
      if (failures-- > 0) throw new TryLater('busy');
      return world.source.readFile(path);
    };
    const folders = new FolderInstructions({ ...world.options, readFile });
    await folders.files.list('packages/web');
    expect(await folders.next()).toEqual([]);
    expect(await folders.next()).toHaveLength(1);
    failures = 100;
    await folders.files.list('packages/api');
    for (let at = 0; at < 5; at += 1) expect(await folders.next()).toEqual([]);
    expect(failures).toBe(98);
  });
});
