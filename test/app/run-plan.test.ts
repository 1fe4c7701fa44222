import { describe, expect, it } from '@jest/globals';
import { planRun } from '../../src/app/run-plan.ts';
import type { RunContext } from '../../src/app/run-context.ts';
import { TellPerson } from '../../src/lib/errors.ts';
import { Journal } from '../support/journal.ts';

/** Planning a run in a repository with this choice of tools, up to where GitHub and git are asked. */
async function plan(tools: string): Promise<unknown> {
  const journal = new Journal().start().run();
  const context = {
    tracker: { session: journal.session, entries: journal.entries },
    github: { readFile: async () => `tools: ${tools}` },
    operator: { protocol: 'auto', limits: { dollars: {} }, models: ['openai:example-model'] },
    store: { changes: async () => [] },
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

  it.each([
    ['{run_magic: true}', /^`\.github\/issuewright\.yml` names what is no tool: `run_magic`/],
    ['{finish: false}', /^`\.github\/issuewright\.yml` takes `finish` away, without which/],
  ])('cannot be made with the tools %s, and says so to the person', async (tools, words) => {
    const error = await plan(tools);
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(words);
  });
});
