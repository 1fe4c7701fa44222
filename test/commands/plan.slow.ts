// `issuewright plan`: the shipped program, the local GitHub, real git, and a model that follows a script.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fineGrainedToken } from '../../packages/local-github/src/github/auth.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import { runProgram, type Ended } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ask, ByHandScene, call, say, write } from './by-hand-scene.ts';

const steps = (...titles: string[]) =>
  call('update_plan', { items: titles.map((title, at) => ({ id: String(at), title })) });
const plans = (word: string, ...before: Script['turns']): Script => ({
  match: `Write ${word}`,
  turns: [...before, say(steps(`Look where ${word} belongs`, `Write ${word}`))],
});

let scene: ByHandScene;
let directory: string;
beforeEach(async () => {
  scene = await ByHandScene.open({ 'readme.md': 'Words\n' });
  directory = temporaryDirectory();
});
afterEach(() => scene.close());

const urlOf = (number: number): string =>
  `${scene.github.url}/${scene.repository.fullName}/issues/${number}`;

async function environment(
  scripts: readonly Script[],
  price: { input: number; output: number } | undefined,
): Promise<Record<string, string>> {
  const catalog = path.join(directory, 'prices.json');
  const models = price === undefined ? {} : { 'openai:scripted': { price } };
  writeFileSync(catalog, JSON.stringify({ models }));
  return {
    ...(await scene.environment(scripts)),
    MODEL_CATALOG: catalog,
    GITHUB_TOKEN: fineGrainedToken('ada', 'contents:read,issues:read,pull_requests:read'),
  };
}

const plan = (given: Record<string, string>, ...words: readonly string[]): Promise<Ended> =>
  runProgram(['plan', ...words], { directory, environment: given });

const PRICE = { input: 0, output: 1000 };

describe('issuewright plan', () => {
  it('shows plans and what they cost, begins before a solution, and writes nothing to GitHub', async () => {
    const { github, repository } = scene;
    const ada = github.as('ada');
    scene.openIssue('Add a word', 'Write alpha into the readme.');
    await ada.push(repository, {
      branch: 'fix',
      files: { 'solved.txt': 'The solution.\n' },
      message: 'Solve it',
    });
    const pull = await ada.openPull(repository, {
      title: 'Solve it',
      body: 'Closes #1',
      head: 'fix',
      base: 'main',
    });
    await ada.merge({ repository, number: pull.number });
    scene.openIssue('Add another word', 'Write beta into the readme.');
    const look = say(call('list_files', {}));
    const given = await environment(
      [plans('alpha', look), plans('beta', say(ask), say(write('beta.txt', 'beta\n')))],
      PRICE,
    );
    const before = github.requests.length;
    const { code, stdout, stderr } = await plan(given, urlOf(1), urlOf(3), urlOf(1));
    expect([code, stderr]).toEqual([0, expect.stringContaining('#3: planning with')]);
    expect(stdout).toMatch(
      /^#1 Add a word\nAt [\da-f]{7}, before #2 solved it\n\n1\. Look where alpha belongs\n2\. Write alpha\n\nThis cost \$\d+\.\d\d: 2 replies, \S+ tokens in\b.*, \S+ out\.\n/,
    );
    expect(stdout).toMatch(/^#3 Add another word\nAt [\da-f]{7}\n\n1\. Look where beta/m);
    expect(stdout).toMatch(
      /^2 issues: \$\d+\.\d\d, measured\. Nothing was written to GitHub\.\nThe whole work: not measured .* \$10\.00 a run \(BUDGET_RUN\), \$30\.00 an issue \(BUDGET_ISSUE\)\.$/m,
    );
    const ofFirst = scene.model.requests.filter(({ body }) => body.includes('alpha'));
    expect(ofFirst).toHaveLength(2);
    expect(ofFirst.map(({ body }) => body).join('\n')).not.toContain('solved.txt');
    // Until someone agrees to the plan, a call that changes something is not run.
    expect(scene.prompts).toContain('write_file was not run');
    const written = github.requests
      .slice(before)
      .filter(
        ({ method, path: where }) =>
          method !== 'GET' && !/\/(?:graphql|markdown|git-upload-pack)$/.test(where),
      );
    expect(written).toEqual([]);
  });

  it('estimates the whole by what an evaluation of the repository has measured with the model', async () => {
    scene.openIssue('Add a word', 'Write alpha into the readme.');
    const { id, fullName: name } = scene.repository;
    const result = (issue: number, model: string, dollars: number) => ({
      type: 'result',
      issue,
      model,
      solved: true,
      outcome: 'done',
      dollars,
      turns: 1,
      minutes: 1,
    });
    const lines = [
      { type: 'evaluation', format: 1, repository: id, name, at: '2026-01-01T00:00:00Z' },
      result(7, 'openai:scripted', 0.25),
      result(8, 'openai:other', 90),
      result(9, 'openai:scripted', 0.75),
    ].map((line) => `${JSON.stringify(line)}\n`);
    mkdirSync(path.join(directory, 'data/evaluations'), { recursive: true });
    const file = path.join(directory, `data/evaluations/${name.replace('/', '-')}.jsonl`);
    // An evaluation is writing to it.
    writeFileSync(file, `${lines.join('')}{"type":"res`);
    const given = await environment([plans('alpha')], PRICE);
    const { code, stdout } = await plan(given, urlOf(1));
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /The whole work: \$0\.50 an issue on average, from \$0\.25 to \$0\.75\. Source: 2 issues of this repository that this model worked on in `issuewright evaluate` \(data\/evaluations\//,
      ),
    ]);
    const { stdout: object } = await plan(given, '--json', urlOf(1));
    expect(JSON.parse(object)).toMatchObject({
      repository: name,
      model: 'openai:scripted',
      issues: [{ issue: 1, solved_by: null, plan: ['Look where alpha belongs', 'Write alpha'] }],
      dollars: expect.any(Number),
      estimate: { measured: [0.25, 0.75], isPartial: false },
    });
  });

  it('never calls an unknown price nothing', async () => {
    scene.openIssue('Add a word', 'Write alpha into the readme.');
    const given = await environment([plans('alpha')], undefined);
    const { code, stdout } = await plan(given, urlOf(1));
    expect([code, stdout]).toEqual([0, expect.stringContaining('This cost price unknown')]);
    expect(stdout).toContain('1 issue: price unknown, measured.');
    expect(stdout).toContain('only AGENT_MAX_RUN_TOKENS limits a run: 10,000,000.');
    expect(stdout).not.toContain('$');
  });

  it('says why there is no plan, and exits with 1', async () => {
    scene.openIssue('Add a word', 'Write alpha into the readme.');
    const done = say(call('finish', { outcome: 'nothing_to_do', summary: 'It is there.' }));
    const given = await environment([{ turns: [done] }], PRICE);
    const { code, stdout } = await plan(given, urlOf(1));
    expect([code, stdout]).toEqual([
      1,
      expect.stringContaining('No plan (nothing_to_do). It is there.'),
    ]);
  });

  it.each<[string, (of: typeof urlOf) => string[], Record<string, string>, number, RegExp]>([
    ['nothing', () => [], {}, 2, /missing required argument 'issues'/],
    ['a repository', (of) => [of(1).replace('/issues/1', '')], {}, 2, /is not the address of an/],
    ['words', () => ['Add a word'], {}, 2, /"Add a word" is not the address of an issue/],
    ['others', (of) => [of(1), of(1).replace('greetings', 'x')], {}, 2, /of several repositories/],
    ['another host', (of) => [of(1)], { GHE_HOST: 'ghe.example' }, 1, /The issue is on http/],
    ['no token', (of) => [of(1)], { GITHUB_TOKEN: '' }, 1, /GITHUB_TOKEN {2}missing.*read/],
    ['no model', (of) => [of(1)], { MODEL: '' }, 1, /MODEL {2}missing/],
    ['no issue', (of) => [of(1), of(99)], {}, 1, /#99 of example\/greetings does not exist/],
    ['a pull request', (of) => [of(1), of(2)], {}, 1, /#2 of example\/greetings is a pull request/],
  ])('says what to do about %s, and asks no model', async (_, words, settings, code, said) => {
    const { github, repository } = scene;
    const ada = github.as('ada');
    scene.openIssue('Add a word', 'Write alpha into the readme.');
    await ada.push(repository, { branch: 'b', files: { 'b.txt': 'b\n' }, message: 'B' });
    await ada.openPull(repository, { title: 'B', body: '', head: 'b', base: 'main' });
    const given = { ...(await environment([plans('alpha')], PRICE)), ...settings };
    const ended = await plan(given, ...words(urlOf));
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(said)]);
    expect(scene.model.requests).toEqual([]);
  });
});
