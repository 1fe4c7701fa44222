import { describe, expect, it } from '@jest/globals';
import type { Shells } from '../../../src/app/service/shells.ts';
import type { Adopted } from '../../../src/session/parts/session-thread.ts';
import { TellPerson } from '../../../src/lib/errors.ts';
import { SHELLS } from '../support.ts';
import { planWith } from './plan-with.ts';

/** The tools of a resumed run in a repository with this choice of tools. */
async function toolsOf(
  tools: string,
  owners?: string,
  shells?: Shells,
  adopted?: Partial<Adopted>,
): Promise<string[]> {
  const planned = await planWith(`tools: ${tools}`, owners, shells, adopted);
  return [...planned.tools];
}

describe('the plan of a run', () => {
  it('has the tools that the repository chose', async () => {
    const tools = await toolsOf('{git_log: true, grep_search: false}');
    expect(tools).toEqual(expect.arrayContaining(['git_log', 'read_file', 'finish']));
    expect(tools).not.toContain('grep_search');
    expect(tools).not.toContain('git_diff');
  });

  it('has commands if the operator allows them, and the repository does not take them away', async () => {
    const commandsOf = async (settings: string, shells?: Shells) =>
      (await toolsOf(settings, undefined, shells)).filter((name) => name.startsWith('run_'));
    expect(await commandsOf('{}')).toEqual([]);
    expect(await commandsOf('{run_shell_command: true, run_tests: true}')).toEqual([]);
    expect(await commandsOf('{}', SHELLS)).toEqual(['run_shell_command', 'run_tests']);
    expect(await commandsOf('{run_shell_command: false}', SHELLS)).toEqual(['run_tests']);
    const closed = '{}\npaths: {deny: [secrets/]}';
    expect(await commandsOf(closed, SHELLS)).toEqual([]);
    expect(await commandsOf(`{run_tests: true}${closed.slice(2)}`, SHELLS)).toEqual(['run_tests']);
  });

  it('has no commands on a pull request from a fork, whatever people allow', async () => {
    const allowed = '{run_tests: true, run_shell_command: true}';
    const commandsOn = async (adopted: Partial<Adopted>) =>
      (await toolsOf(allowed, undefined, SHELLS, adopted)).filter((name) =>
        name.startsWith('run_'),
      );
    expect(await commandsOn({})).toEqual(['run_shell_command', 'run_tests']);
    expect(await commandsOn({ fork: 'ann/greeter' })).toEqual([]);
  });

  it.each([
    ['{run_magic: true}', /^`\.github\/issuewright\.yml` lists unknown tools: `run_magic`/],
    ['{finish: false}', /^`\.github\/issuewright\.yml` disables `finish`, but every run needs it/],
  ])('cannot be made with the tools %s, and says so to the person', async (tools, words) => {
    const error = await toolsOf(tools).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(words);
  });

  it("names the owner's file too if settings cannot be followed", async () => {
    const error = await toolsOf('{git_log: true}', 'tools: {run_magic: true}').catch(
      (thrown: unknown) => thrown,
    );
    expect((error as Error).message).toMatch(
      /^`\.github\/issuewright\.yml` here or in `example\/\.github` lists unknown tools: `run_magic`/,
    );
  });
});
