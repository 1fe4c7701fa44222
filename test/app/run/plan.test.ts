import { describe, expect, it } from '@jest/globals';
import type { Shells } from '../../../src/app/service/shells.ts';
import type { AdoptedPullRequestInSession } from '../../../src/session/parts/session-thread.ts';
import { TellPerson } from '../../../src/lib/errors.ts';
import { SHELLS } from '../support.ts';
import { planWith } from './plan-with.ts';

const IMAGE = `docker.io/library/python:3.12@sha256:${'ab'.repeat(32)}`;
const NAMED = { name: 'docker.io/library/python:3.12', digest: `sha256:${'ab'.repeat(32)}` };
const FOLLOWED = 'environment: { devcontainer: true }';
const DEVCONTAINER = JSON.stringify({
  image: IMAGE,
  postCreateCommand: 'make',
  containerEnv: { APP_ENV: 'test' },
});

/** The tools of a resumed run in a repository with this choice of tools. */
async function toolsOf(
  tools: string,
  owners?: string,
  shells?: Shells,
  adopted?: Partial<AdoptedPullRequestInSession>,
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
    const commandsOn = async (adopted: Partial<AdoptedPullRequestInSession>) =>
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

  it('turns /issuewright split off for a repository that removes its tool, and nothing else', async () => {
    const removed = '{propose_sub_issues: false}';
    expect(await toolsOf(removed)).toContain('finish');
    const split = (tools: string) =>
      planWith(`tools: ${tools}`, undefined, undefined, undefined, { isSplit: true });
    await expect(split(removed)).rejects.toThrow(
      new TellPerson(
        'I propose no sub-issues here: the setting `tools: {propose_sub_issues: false}` turns that off. Remove that line to use `/issuewright split`.',
      ),
    );
    expect((await split('{}')).tools).toContain('propose_sub_issues');
  });

  it('has the dollars of a day for reviews if it reviews, and for no other work', async () => {
    const settings = 'review: { dollars: 2 }';
    const dollarsOf = async (more: Parameters<typeof planWith>[4]) =>
      (await planWith(settings, undefined, undefined, {}, more)).limits.dollars.reviewsDay;
    expect(await dollarsOf({ isReview: true })).toBe(2);
    expect(await dollarsOf({})).toBeUndefined();
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

describe('the image that a run is planned with', () => {
  const of = async (
    settings: string,
    adopted?: Partial<AdoptedPullRequestInSession>,
    more: Parameters<typeof planWith>[4] = {},
  ) => {
    const read: unknown[] = [];
    const onRead = (...asked: readonly unknown[]): void => void read.push(asked);
    const around = { devcontainer: DEVCONTAINER, onRead, prepared: { image: NAMED }, ...more };
    const plan = await planWith(settings, undefined, SHELLS, adopted, around);
    return { plan, read };
  };
  const SETTINGS = ['.github/issuewright.yml'];
  const FILE = ['.devcontainer/devcontainer.json'];

  // A file is asked for by its path alone, which GitHub answers from the default branch.
  it.each([
    ['an issue', undefined],
    ['a pull request whose branch is in the repository', { branch: 'theirs', baseBranch: 'next' }],
  ])('is that of the default branch on %s', async (_where, adopted) => {
    const { plan, read } = await of(FOLLOWED, adopted);
    expect(read).toEqual([SETTINGS, FILE]);
    expect(plan.image).toMatchObject({ repository: 'library/python', tag: '3.12' });
    expect(plan.commands).toMatchObject({ setup: ['make'], environment: { APP_ENV: 'test' } });
  });

  it.each<[string, Partial<AdoptedPullRequestInSession>, { isReview?: true }]>([
    ['of a pull request from a fork', { fork: 'ann/greeter' }, {}],
    ['of a review', {}, { isReview: true }],
  ])('is none for a run %s, which runs nothing', async (_which, adopted, more) => {
    const { plan, read } = await of(FOLLOWED, adopted, { prepared: {}, ...more });
    expect(read).toEqual([SETTINGS]);
    expect(plan).toMatchObject({ image: undefined, shells: undefined, commands: { setup: [] } });
  });

  it('is none if the repository takes commands away', async () => {
    const tools = '\ntools: { run_shell_command: false, run_tests: false }';
    const { plan } = await of(FOLLOWED + tools, undefined, { prepared: {} });
    expect(plan.image).toBeUndefined();
  });

  it.each([
    [FOLLOWED, false],
    [`${FOLLOWED}\nedit_instructions: true`, true],
    ['{}', true],
  ])(
    'is chosen in a file that the agent may not change unless it has leave: %s',
    async (settings, may) => {
      const prepared = settings.startsWith(FOLLOWED) ? { image: NAMED } : {};
      const { readOnly = [] } = (await of(settings, undefined, { prepared })).plan.paths;
      expect(readOnly.includes('.devcontainer/devcontainer.json')).toBe(!may);
    },
  );

  it('is that of the run before it was interrupted, or the run is prepared again', async () => {
    expect((await of(FOLLOWED)).plan.prepared).toBeDefined();
    const other = { image: { ...NAMED, digest: `sha256:${'cd'.repeat(32)}` } };
    for (const prepared of [other, {}])
      await expect(of(FOLLOWED, undefined, { prepared })).rejects.toThrow('not asked for');
  });
});
