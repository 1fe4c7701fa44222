import { beforeAll, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Tool } from '../../src/agent/tool.ts';
import type { Effect } from '../../src/session/entry.ts';
import { makeTools } from '../../src/tools/index.ts';
import { bench } from './support.ts';

/** Arguments as a model gives them: each tool has an example here. */
const EXAMPLES: Record<string, [args: unknown, title: string]> = {
  list_directory: [{}, 'List the root'],
  grep_search: [{ pattern: 'a\nb' }, 'Search for a b'],
  read_file: [{ path: 'src/a.ts', start_line: '3' }, 'Read src/a.ts'],
  edit_file: [{ path: 'a', old_text: 'x', new_text: 'y' }, 'Edit a'],
  write_file: [{ path: 'b'.repeat(200), content: '' }, `Write ${'b'.repeat(79)}…`],
  update_plan: [{ items: [{ id: 1, title: 'One', done: true }] }, 'Plan: 1 of 1 done'],
  commit: [{ message: 'Say why\n\nAt length' }, 'Commit: Say why'],
  create_pull_request: [{ title: 'A title', body: '' }, 'Open a pull request: A title'],
  ask_question: [{ question: 'Which?' }, 'Ask a question'],
  finish: [{ summary: 'Done.' }, 'Finish'],
};

let tools: Tool<Effect>[];
beforeAll(async () => {
  const { files, git, hub } = await bench();
  tools = makeTools({ files, git, forge: hub.forge, work: hub.work });
});

describe('every tool', () => {
  it('has a name and aliases of its own, in the form that providers accept', () => {
    const names = tools.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z_]{0,63}$/);
  });

  it('is described in at most 160 characters', () => {
    for (const { description } of tools) {
      expect(description.length).toBeGreaterThan(20);
      expect(description.length).toBeLessThanOrEqual(160);
    }
  });

  it('has arguments that a JSON schema says, and argument aliases that lead to them', () => {
    for (const { arguments: schema, argumentAliases = {} } of tools) {
      expect(z.toJSONSchema(schema, { io: 'input' })).toMatchObject({ type: 'object' });
      for (const [alias, name] of Object.entries(argumentAliases)) {
        expect(Object.keys(schema.shape)).toContain(name);
        expect(Object.keys(schema.shape)).not.toContain(alias);
      }
    }
  });

  it('says in one short line what a call does', () => {
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
    for (const tool of tools) {
      const [args, title] = EXAMPLES[tool.name]!;
      expect(tool.title(tool.arguments.parse(args))).toBe(title);
    }
  });
});
