import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { prepare, toolbox } from '../../src/agent/dispatch.ts';
import { finishingCall } from '../../src/tools/flow/finish.ts';
import type { Rendering } from '../../src/contracts/tool.ts';
import { toolSpec } from '../../src/agent/prompts/replies.ts';
import { TellModel, TellPerson } from '../../src/lib/errors.ts';
import { bindTools, TOOLS } from '../../src/tools/index.ts';
import {
  bind,
  renderingsOf,
  type Ports,
  type ToolDefinition,
} from '../../src/tools/define-tool.ts';
import { sessionPage } from '../../src/web/pages/session-page.ts';
import { Journal } from '../support/journal.ts';
import { FAILURES } from './failures.ts';
import { bench } from './support.ts';
import { wholeOf } from '../web/support.ts';

const LISTED = TOOLS;
const named = LISTED.map((tool) => [tool.name, tool] as const);

/** As JSON has it: `__proto__` is a field like any other. */
const withExtra = (args: object, name: string): unknown =>
  JSON.parse(`{${JSON.stringify(name)}:1,${JSON.stringify(args).slice(1)}`.replace(',}', '}'));

/** The arguments, each time with an unknown field in another object within them. */
function withExtraInside(args: unknown): readonly unknown[] {
  if (typeof args !== 'object' || args === null) return [];
  return Object.entries(args).flatMap(([key, value]: [string, unknown]) => {
    const put = (inner: unknown): unknown =>
      Array.isArray(args) ? args.with(Number(key), inner) : { ...args, [key]: inner };
    const own =
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? [put(withExtra(value, 'no_such_argument'))]
        : [];
    return [...own, ...withExtraInside(value).map(put)];
  });
}

/** A tool as models are told of it. */
const specOf = (tool: ToolDefinition) =>
  toolSpec(
    bind(tool, { commands: { program: 'sh', settings: { longest: 300 }, programs: '' } } as Ports),
  );

describe('the registry', () => {
  it('has no name twice, aliases included', () => {
    const names = LISTED.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
  });

  it('has two dangerous tools: those that run commands', () => {
    const dangerous = TOOLS.filter(({ safety }) => safety === 'dangerous');
    expect(dangerous.map(({ name }) => name)).toEqual(['run_shell_command', 'run_tests']);
  });

  it('has the failure of every tool, and of no other', () => {
    expect(Object.keys(FAILURES).toSorted()).toEqual(LISTED.map(({ name }) => name).toSorted());
  });
});

describe.each(named)('%s', (name, tool) => {
  it('has names that every provider takes', () => {
    for (const one of [name, ...tool.aliases]) expect(one).toMatch(/^[a-z][a-z\d_]{0,63}$/);
  });

  it('is described in one line of at most 160 characters', () => {
    expect(tool.description).toMatch(/^[A-Z].{19,158}\.$/);
  });

  it('has a schema of the keywords that every provider takes, with an object at the top', () => {
    const { parameters } = specOf(tool);
    expect(parameters).toMatchObject({ type: 'object' });
    expect(Object.keys(parameters)).not.toContain('anyOf');
    expect(keywordsOf(parameters).filter((word) => !KEYWORDS.has(word))).toEqual([]);
    for (const argument of Object.keys(tool.arguments.shape))
      expect(argument).toMatch(/^[a-z][a-z\d_]*$/);
  });

  it('has an example that fits its description, and a title of one short line', async () => {
    const { parameters } = specOf(tool);
    const told = z.fromJSONSchema(parameters as Parameters<typeof z.fromJSONSchema>[0]);
    expect(told.safeParse(tool.example).error).toBeUndefined();
    const { tools } = await bench();
    const prepared = prepare(tools, { tool: name, arguments: tool.example });
    expect(prepared).toMatchObject({ title: expect.stringMatching(/^\S.{3,119}$/u) });
  });

  it('accepts other names of its arguments only for arguments that it has', () => {
    const real = Object.keys(tool.arguments.shape);
    for (const [alias, argument] of Object.entries(tool.argumentAliases ?? {})) {
      expect(real).toContain(argument);
      expect(real).not.toContain(alias);
    }
  });

  it('rejects an argument that it does not have, at any depth, and names those that it has', async () => {
    const { tools } = await bench();
    const faultOf = (args: unknown) => prepare(tools, { tool: name, arguments: args });
    const known = Object.keys(tool.arguments.shape);
    for (const extra of ['no_such_argument', '__proto__', 'constructor'])
      expect(faultOf(withExtra(tool.example, extra))).toEqual({
        fault:
          known.length === 0
            ? `${name} takes no arguments: leave out "${extra}"`
            : `${name} has no argument "${extra}". Its arguments are: ${known.join(', ')}`,
      });
    for (const within of withExtraInside(tool.example))
      expect(faultOf(within)).toEqual({ fault: expect.stringContaining('no_such_argument') });
  });

  it('rejects an argument that is given under two names', async () => {
    const { tools } = await bench();
    for (const [alias, argument] of Object.entries(tool.argumentAliases ?? {})) {
      const args = { [argument]: 'a', [alias]: 'b' };
      expect(prepare(tools, { tool: name, arguments: args })).toEqual({
        fault: `the argument ${argument} of ${name} is given twice, under two names: give it once`,
      });
    }
  });

  it('is said to be safe or dangerous', () => {
    expect(['safe', 'dangerous']).toContain(tool.safety);
  });

  it('reaches nothing outside if it says that it stays in the workspace', async () => {
    if (tool.reach === undefined) return;
    const { files, hub } = await bench(seedFor(tool.example));
    const get = () => {
      throw new Error('it reaches further');
    };
    const outside: object = new Proxy({}, { get });
    const inside: Partial<Ports> = { files, work: hub.work };
    const ports = new Proxy(inside as Ports, {
      get: (own, port): unknown => Reflect.get(own, port) ?? outside,
    });
    const tools = toolbox(bindTools(ports), { conclude: finishingCall });
    const prepared = prepare(tools, { tool: name, arguments: tool.example });
    if ('fault' in prepared) throw new Error(prepared.fault);
    const { signal } = new AbortController();
    await expect(prepared.run({ startedAt: new Date(), signal })).resolves.toBeDefined();
  });

  it('leaves files, branches and GitHub unchanged if it says that it changes nothing', async () => {
    if (tool.changesNothing?.(tool.arguments.parse(tool.example)) !== true) return;
    expect(tool.safety).toBe('safe');
    const seed = { ...seedFor(tool.example), 'other.txt': 'Other.\n' };
    const { root, git, hub, call } = await bench(seed);
    const look = () => JSON.stringify([filesIn(root), git.commits, hub.pullRequest, hub.issues]);
    hub.openIssue('An issue', 'octo-maintainer', 'Text');
    const before = look();
    const { effects = [] } = await call(name, tool.example).catch(() => ({ effects: [] }));
    expect(look()).toBe(before);
    expect(effects).toEqual([]);
  });

  it('is not called while a plan waits for approval, unless it only looks, or says that it may', async () => {
    const { tools } = await bench();
    const waiting = toolbox(tools.list, {
      conclude: finishingCall,
      waitsForApproval: () => true,
    });
    const prepared = prepare(waiting, { tool: name, arguments: tool.example });
    const args = tool.arguments.parse(tool.example);
    const isAllowed = [tool.changesNothing?.(args), tool.isAllowedBeforeApproval?.(args)];
    expect('fault' in prepared).toBe(!isAllowed.includes(true));
  });

  it('says how its arguments and its output are shown, and they are shown', () => {
    expect(Object.keys(tool.arguments.shape)).toEqual(
      expect.arrayContaining(Object.keys(tool.rendering.arguments)),
    );
    const ways = [tool.rendering.output, ...Object.values(tool.rendering.arguments)];
    for (const way of ways) expect(WAYS).toHaveProperty(way ?? '');
    const page = pageOf(name, tool.example);
    for (const argument of Object.keys(tool.example))
      expect(page).toContain(`<div class="label">${argument}</div>`);
    for (const text of textsIn(tool.example)) expect(page).toContain(text);
  });

  it('is shown the same under each of its names, and with each name of its arguments', () => {
    const renderings = renderingsOf(LISTED);
    for (const alias of tool.aliases) expect(renderings.get(alias)).toBe(renderings.get(name));
    for (const [alias, argument] of Object.entries(tool.argumentAliases ?? {}))
      expect(renderings.get(name)?.arguments[alias]).toBe(tool.rendering.arguments[argument]);
  });

  it('explains what was wrong if it fails', async () => {
    const { seed = {}, before, args, says } = FAILURES[name]!;
    const world = await bench(seed);
    await before?.(world);
    const failure: unknown = await world.call(name, args).catch((error: unknown) => error);
    expect([TellModel, TellPerson]).toContain((failure as Error).constructor);
    expect((failure as Error).message).toMatch(says);
  });
});

const filesIn = (root: string): readonly (readonly string[])[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .map((path) => [path, readFileSync(path, 'utf8')]);

/** The files that a call needs, with all that it may look for in them. */
function seedFor(example: object): Record<string, string> {
  const paths = [example, ...Object.values(example).flat()].flatMap((value: unknown) => {
    const { path } = Object(value) as { readonly path?: string };
    return path === undefined ? [] : [path.includes('.') ? path : `${path}/a.txt`];
  });
  const text = [...textsIn(example), ...Array.from({ length: 50 }, () => 'more')].join('\n');
  return Object.fromEntries(paths.map((path) => [path, text]));
}

const KEYWORDS = new Set(
  'type properties required items enum description default anyOf'.split(' '),
);

/** The keywords of a schema, at every depth. */
function keywordsOf(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keywordsOf);
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([word, value]) => {
    if (word === 'properties') return [word, ...Object.values(value as object).flatMap(keywordsOf)];
    return ['items', 'anyOf'].includes(word) ? [word, ...keywordsOf(value)] : [word];
  });
}

const WAYS: Readonly<Record<Rendering, true>> = {
  path: true,
  code: true,
  diff: true,
  removed: true,
  added: true,
  prose: true,
  plain: true,
};

function pageOf(tool: string, args: unknown): string {
  const journal = new Journal().start().run();
  journal.turn({ calls: [{ tool, arguments: args, result: {} }] });
  const { text } = sessionPage('abc', wholeOf(journal.entries), 'https://github.test', {
    renderings: renderingsOf(LISTED),
  });
  return text.slice(text.indexOf('<div class="call '));
}

/** The first line of every text in the arguments of an example. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value.split('\n', 1)[0] ?? ''];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
