import { describe, expect, it } from '@jest/globals';
import { prepare, toolbox } from '../../src/agent/dispatch.ts';
import { finishingCall } from '../../src/tools/flow/finish.ts';
import { chooseTools, type Offer } from '../../src/tools/choose-tools.ts';
import { TOOLS as ALL_TOOLS } from '../../src/tools/index.ts';
import { bench } from './support.ts';

const wanted = (settings: Record<string, boolean>) => new Map(Object.entries(settings));

describe('the tools that a run has', () => {
  const tool = (name: string, offer: Offer, safety: 'safe' | 'dangerous' = 'safe') => ({
    name,
    aliases: name === 'shell' ? ['bash'] : name === 'log' ? ['git_log', 'history'] : [],
    offer,
    safety,
  });
  const TOOLS = [
    tool('end', 'always'),
    tool('read', 'default'),
    tool('log', 'on request'),
    tool('shell', 'default', 'dangerous'),
    tool('root', 'on request', 'dangerous'),
  ];
  const RENAME = ['rename_file', 'delete_file'];

  it.each([
    ['the default set if nothing is set', {}, ['end', 'read']],
    ['one more, and one less', { log: true, read: false }, ['end', 'log']],
    ['what they have anyway', { end: true, read: true, log: false }, ['end', 'read']],
    ['nothing dangerous, even on request', { shell: true, root: true }, ['end', 'read']],
    ['nothing dangerous by another name', { bash: true }, ['end', 'read']],
    ['one more by another name', { git_log: true }, ['end', 'read', 'log']],
    ['without one that any of its names removes', { git_log: true, log: false }, ['end', 'read']],
    ['without it in either order', { git_log: false, history: true }, ['end', 'read']],
  ])('are %s', (_what, settings, names) => {
    expect(chooseTools(TOOLS, wanted(settings))).toEqual({ names: new Set(names) });
  });

  it('are dangerous if the operator allows it, and the repository does not object', () => {
    const choose = (settings: Record<string, boolean>) =>
      chooseTools(TOOLS, wanted(settings), { allowsDangerous: true });
    expect(choose({})).toEqual({ names: new Set(['end', 'read', 'shell']) });
    expect(choose({ shell: false, root: true })).toEqual({
      names: new Set(['end', 'read', 'root']),
    });
  });

  it('are dangerous only by name if some files of the repository are closed', () => {
    const choose = (settings: Record<string, boolean>, allowsDangerous: boolean) =>
      chooseTools(TOOLS, wanted(settings), { allowsDangerous, onlyByName: true });
    expect(choose({}, true)).toEqual({ names: new Set(['end', 'read']) });
    expect(choose({ shell: true }, true)).toEqual({ names: new Set(['end', 'read', 'shell']) });
    expect(choose({ bash: true }, true)).toEqual({ names: new Set(['end', 'read', 'shell']) });
    expect(choose({ shell: true }, false)).toEqual({ names: new Set(['end', 'read']) });
  });

  it.each([
    ['no command can do the same', {}, {}, true],
    ['only some commands are allowed', {}, { allowsDangerous: true, limitsCommands: true }, true],
    ['the shell is removed', { bash: false }, { allowsDangerous: true }, true],
    ['the shell has to be named', {}, { allowsDangerous: true, onlyByName: true }, true],
    ['they are asked for', { move_file: true, delete_file: true }, { allowsDangerous: true }, true],
    ['a command can do the same', {}, { allowsDangerous: true }, false],
  ])('have tools that rename and delete if %s', (_why, settings, options, expected) => {
    const choice = chooseTools(ALL_TOOLS, wanted(settings), options);
    const names = 'names' in choice ? choice.names : new Set<string>();
    expect(RENAME.map((name) => names.has(name))).toEqual(RENAME.map(() => expected));
  });

  it.each([
    [
      { push: true, log: true },
      'lists unknown tools: `push`. Available tools: `end`, `read`, `log`, `shell`, `root`.',
    ],
    [{ constructor: false }, 'lists unknown tools: `constructor`'],
    [
      { end: false },
      'disables `end`, but every run needs it. These tools cannot be disabled: `end`. Remove that line.',
    ],
  ])('cannot be chosen by %j', (settings, fault) => {
    expect(chooseTools(TOOLS, wanted(settings))).toEqual({
      fault: expect.stringContaining(fault),
    });
  });

  it('are chosen by every name that the tool has', () => {
    const choose = (name: string, isWanted: boolean) => {
      const choice = chooseTools(ALL_TOOLS, wanted({ [name]: isWanted }), {
        allowsDangerous: true,
      });
      return 'names' in choice ? choice.names : choice.fault;
    };
    for (const { name, aliases } of ALL_TOOLS)
      for (const alias of aliases)
        for (const isWanted of [true, false])
          expect(choose(alias, isWanted)).toEqual(choose(name, isWanted));
    expect(choose('bash', false)).not.toContain('run_shell_command');
    expect(choose('git_commit', true)).toContain('commit');
    expect(choose('list_files', false)).not.toContain('list_directory');
  });

  it('are listed up to a point', () => {
    const many = Array.from({ length: 1000 }, (_, at) => [`t${at}`, true] as const);
    const choice = chooseTools(TOOLS, new Map(many));
    expect('fault' in choice && choice.fault).toMatch(/`t49`, and 950 more\. Available tools:/);
  });
});

describe('a tool that a run does not have', () => {
  it.each(['git_log', 'submit_for_review', 'glob'])('is unknown to it: %s', async (name) => {
    const { tools } = await bench();
    expect(tools.named.has(name)).toBe(true);
    const choice = chooseTools(ALL_TOOLS, new Map());
    const names = 'names' in choice ? choice.names : new Set();
    const offered = toolbox(
      tools.list.filter((tool) => names.has(tool.name)),
      { conclude: finishingCall },
    );
    const prepared = prepare(offered, { tool: name, arguments: {} });
    expect(prepared).toEqual({ fault: expect.stringMatching(`^there is no tool "${name}"`) });
  });
});
