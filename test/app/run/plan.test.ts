import { describe, expect, it } from '@jest/globals';
import { planRun } from '../../../src/app/run/plan.ts';
import type { RunContext } from '../../../src/app/service/service.ts';
import { TellPerson } from '../../../src/lib/errors.ts';
import { Journal } from '../../support/journal.ts';

/** Planning a run in a repository with this choice of tools, up to where GitHub and git are asked. */
async function plan(tools: string, owners?: string, shells?: object): Promise<unknown> {
  const journal = new Journal().start().run();
  const context = {
    tracker: { session: journal.session, entries: journal.entries },
    github: { readFile: async () => `tools: ${tools}`, ownersFile: async () => owners },
    operator: { protocol: 'auto', limits: { dollars: {} }, models: ['openai:example-model'] },
    store: { changes: async () => [] },
    ...(shells === undefined ? {} : { shells }),
  };
  return planRun(context as unknown as RunContext).catch((error: unknown) => error);
}

describe('the plan of a run', () => {
  it('has the tools that the repository chose', async () => {
    const { tools } = (await plan('{git_log: true, grep_search: false}')) as {
      tools: ReadonlySet<string>;
    };
    expect([...tools]).toEqual(expect.arrayContaining(['git_log', 'read_file', 'finish']));
    expect([...tools]).not.toContain('grep_search');
    expect([...tools]).not.toContain('git_diff');
  });

  it('has commands where the operator lets it, and the repository does not take them away', async () => {
    const toolsFor = async (settings: string, shells?: object) => {
      const planned = (await plan(settings, undefined, shells)) as { tools: ReadonlySet<string> };
      return [...planned.tools].filter((name) => name.startsWith('run_'));
    };
    expect(await toolsFor('{}')).toEqual([]);
    expect(await toolsFor('{run_shell_command: true, run_tests: true}')).toEqual([]);
    expect(await toolsFor('{}', {})).toEqual(['run_shell_command', 'run_tests']);
    expect(await toolsFor('{run_shell_command: false}', {})).toEqual(['run_tests']);
    const closed = '{}\npaths: {deny: [secrets/]}';
    expect(await toolsFor(closed, {})).toEqual([]);
    expect(await toolsFor(`{run_tests: true}${closed.slice(2)}`, {})).toEqual(['run_tests']);
  });

  it.each([
    ['{run_magic: true}', /^`\.github\/issuewright\.yml` names what is no tool: `run_magic`/],
    ['{finish: false}', /^`\.github\/issuewright\.yml` takes `finish` away, without which/],
  ])('cannot be made with the tools %s, and says so to the person', async (tools, words) => {
    const error = await plan(tools);
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(words);
  });

  it("says where else the settings may stand that it cannot follow: with the owner's", async () => {
    const error = await plan('{git_log: true}', 'tools: {run_magic: true}');
    expect((error as Error).message).toMatch(
      /^`\.github\/issuewright\.yml`, here or in `example\/\.github`, names what is no tool: `run_magic`/,
    );
  });
});
