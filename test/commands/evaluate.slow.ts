// `issuewright evaluate`: the shipped program, the local GitHub, real git and the sandbox, and models that follow a script.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { fineGrainedToken } from '../../packages/local-github/src/github/auth.ts';
import { isPull } from '../../packages/local-github/src/github/state.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../packages/local-github/src/model/server.ts';
import { runProgram, type Ended } from '../support/run-program.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { ByHandScene, call, finish, say, startProgram, write } from './by-hand-scene.ts';

const SETTINGS = 'test: for each in test/*.sh; do sh "$each" || exit 1; done\n';
const SHORT = { output: 1000, input: 0 };

let scene: ByHandScene;
let models: ModelServer[] = [];
let directory: string;
beforeEach(async () => {
  scene = await ByHandScene.open({
    'readme.md': 'Answers\n',
    'test/0.sh': 'true\n',
    '.github/issuewright.yml': SETTINGS,
  });
  directory = temporaryDirectory();
});
afterEach(async () => {
  await Promise.all(models.map((model) => model.close()));
  models = [];
  await scene.close();
});

/** Opens an issue and closes it with a merged pull request of these files. */
async function solvedIssue(
  files: Record<string, string>,
  meanwhile: (number: number) => Promise<void> | void = () => {},
): Promise<void> {
  const { github, repository } = scene;
  const ada = github.as('ada');
  const number = repository.nextNumber;
  scene.openIssue(`Answer ${number}`, `Write the right word into src/${number}.txt.`);
  const early = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
  Object.assign(ada.comment({ repository, number }, `Said before ${number}.`), early);
  const branch = `fix-${number}`;
  const named = Object.entries(files).map(([name, text]) => [
    name.replaceAll('N', String(number)),
    text.replaceAll('N', String(number)),
  ]);
  await ada.push(repository, {
    branch,
    files: Object.fromEntries(named) as Record<string, string>,
    message: `Solve ${number}`,
  });
  const title = `Solve ${number}`;
  const pull = await ada.openPull(repository, {
    title,
    body: `Closes #${number}`,
    head: branch,
    base: 'main',
  });
  await meanwhile(number);
  await ada.merge({ repository, number: pull.number });
}

const SOLUTION = { 'src/N.txt': 'answer-N\n', 'test/N.sh': 'test "$(cat src/N.txt)" = answer-N\n' };

/** Six tasks, and six issues that are none. Issues have odd numbers, as each is followed by its pull request. */
async function twelveIssues(): Promise<void> {
  const { github, repository } = scene;
  for (let count = 0; count < 6; count += 1) await solvedIssue(SOLUTION);
  await solvedIssue({ 'src/N.txt': 'answer-N\n' });
  await solvedIssue({ 'test/N.sh': 'test -e readme.md\n' });
  await solvedIssue({ 'src/N.txt': 'answer-N\n', 'test/N.sh': 'true\n' });
  await solvedIssue(SOLUTION, async (number) => {
    await github.as('ada').change({ repository, number }, { body: 'It is answer-19.' });
  });
  await solvedIssue({ 'src/N.txt': 'answer-N\n', 'test/N.sh': 'false\n' });
  scene.openIssue('Nobody solved this');
  await github.as('ada').close({ repository, number: repository.nextNumber - 1 });
}

const TASKS = [11, 9, 7, 5, 3, 1];
const answers = (number: number, word = `answer-${number}`): Script => ({
  match: `Write the right word into src/${number}\\.txt`,
  turns: [say(write(`src/${number}.txt`, `${word}\n`)), say(finish)],
});
const good = TASKS.map((number) => answers(number));
/** Solves two, and then does it wrong. */
const cheap = TASKS.map((number) =>
  number > 8 ? answers(number) : answers(number, number === 1 ? 'answer-0' : 'wrong'),
);
const NAMES = ['openai:good', 'anthropic:cheap'];

async function environment(
  ofGood: readonly Script[] = good,
  ofCheap: readonly Script[] = cheap,
): Promise<Record<string, string>> {
  await Promise.all(models.map((model) => model.close()));
  models = await Promise.all([ofGood, ofCheap].map((scripts) => startModelServer({ scripts })));
  const catalog = path.join(directory, 'prices.json');
  const prices = {
    [NAMES[0]!]: { price: SHORT },
    [NAMES[1]!]: { price: { input: 0, output: 100 } },
  };
  writeFileSync(catalog, JSON.stringify({ models: prices }));
  return {
    PATH: process.env['PATH'] ?? '',
    OPENAI_API_KEY: 'none',
    OPENAI_BASE_URL: `${models[0]!.url}/v1`,
    ANTHROPIC_API_KEY: 'none',
    ANTHROPIC_BASE_URL: models[1]!.url,
    MODEL_CATALOG: catalog,
    SELF_REVIEW: 'false',
    GITHUB_TOKEN: fineGrainedToken('ada', 'contents:read,issues:read,pull_requests:read'),
    GHE_HOST: new URL(scene.github.url).host,
    GHE_PROTOCOL: 'http',
  };
}

const words = (more: readonly string[]): string[] => [
  'evaluate',
  '--allow-dangerous-tools',
  ...more,
  `${scene.github.url}/${scene.repository.fullName}`,
];
const BOTH = ['--models', NAMES.join(','), '--budget', '1000'];

const evaluate = (given: Record<string, string>, ...more: readonly string[]): Promise<Ended> =>
  runProgram(words(more), { directory, environment: given });

const prompts = (): string =>
  models.flatMap(({ requests }) => requests.map(({ body }) => body)).join('\n');

interface Row {
  readonly model: string;
  readonly solved: number;
  readonly tasks: number;
  readonly dollars: number;
  readonly turns: number;
}

describe('issuewright evaluate', () => {
  it('gives the known table for twelve closed issues, also after kill -9, and writes nothing to GitHub', async () => {
    await twelveIssues();
    const stuck = answers(9);
    const hangs = { ...stuck, turns: [stuck.turns[0]!, { ...say(finish), delay_ms: 600_000 }] };
    const first = await environment(good.map((script, at) => (at === 1 ? hangs : script)));
    const { program, untilSaid, ended } = startProgram(words(BOTH), directory, first);
    await untilSaid(/✓ Write src\/9\.txt/);
    program.kill('SIGKILL');
    await ended;
    const { code, stdout, stderr } = await evaluate(await environment(), ...BOTH, '--json');
    expect([code, stderr]).toEqual([0, expect.stringContaining('#9 with openai:good: solved')]);
    for (const done of ['#11', '#21']) expect(stderr).not.toMatch(new RegExp(`${done}(?: with|:)`));
    const found = JSON.parse(stdout) as Record<string, unknown> & {
      readonly models: Row[];
      readonly spent: number;
    };
    expect(found.models).toEqual([
      expect.objectContaining({ model: NAMES[0], solved: 6, tasks: 6, turns: 12 }),
      expect.objectContaining({ model: NAMES[1], solved: 2, tasks: 6, turns: 12 }),
    ]);
    const [best, other] = found.models;
    expect(best!.dollars).toBeGreaterThan(5 * other!.dollars);
    // The reply that was paid before the kill counts, and belongs to no result.
    expect(found.spent).toBeGreaterThan(best!.dollars + other!.dollars);
    expect(found['tasks']).toEqual(
      TASKS.map((issue) => expect.objectContaining({ issue, pull_request: issue + 1 })),
    );
    expect(found['left_out']).toEqual([
      { issue: 21, reason: expect.stringMatching(/^the tests fail with all of #22: .*code 1/) },
      { issue: 19, reason: 'its title or text was changed after #20 was opened' },
      { issue: 17, reason: 'the tests of #18 pass without its other changes' },
      { issue: 15, reason: '#16 changed nothing but test files' },
      { issue: 13, reason: '#14 changed no test files' },
    ]);
    const table = await evaluate(await environment(), ...BOTH);
    expect(table.code).toBe(0);
    expect(table.stdout).toMatch(
      /^Model +Solved +Cost +Per solved +Turns +Minutes\nopenai:good +6 of 6 /,
    );
    expect(table.stdout).toMatch(/^anthropic:cheap +2 of 6 .* 2\.0 /m);
    expect(prompts()).toBe('');
    const written = scene.github.requests.filter(
      ({ method, path: where }) =>
        method !== 'GET' && !/\/(?:graphql|markdown|git-upload-pack)$/.test(where),
    );
    expect(written).toEqual([]);
  });

  it('shows the agent the issue as it was before the pull request, and no history', async () => {
    const { github, repository } = scene;
    await solvedIssue(SOLUTION);
    await solvedIssue(SOLUTION, (number) => {
      github.as('bob').comment({ repository, number }, 'Said later: answer-3.');
      github.as('stranger').comment({ repository, number }, 'Said by a stranger.');
    });
    const look = say(call('run_shell_command', { command: 'cat test/1.sh; ls -aR' }));
    const looks = { ...answers(3), turns: [look, say(finish)] };
    const given = await environment([looks]);
    const { code } = await evaluate(given, '--models', NAMES[0]!, '--budget', '9', '--limit', '1');
    expect([code, prompts()]).toEqual([0, expect.stringContaining('Said before 3.')]);
    expect(prompts()).toContain('answer-1');
    for (const later of ['Said later', 'Said by', 'answer-3', 'Solve', '3.sh'])
      expect(prompts()).not.toContain(later);
  });

  it('ends when the budget is used up, and continues with a higher one', async () => {
    await solvedIssue(SOLUTION);
    await solvedIssue(SOLUTION);
    const one = ['--models', NAMES[0]!, '--out', 'results.jsonl'];
    const less = await evaluate(await environment(), ...one, '--budget', '0.0001');
    expect([less.code, less.stdout]).toEqual([4, expect.stringContaining('The budget is used up')]);
    expect(less.stdout).toContain('0 of 0');
    const more = await evaluate(await environment(), ...one, '--budget', '9');
    expect([more.code, more.stdout]).toEqual([0, expect.stringContaining('2 of 2')]);
    const lines = readFileSync(path.join(directory, 'results.jsonl'), 'utf8').trim().split('\n');
    const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
    expect(types.filter((type) => type === 'result')).toHaveLength(2);
    expect(types.filter((type) => type === 'spent')).toHaveLength(5);
  });

  it('counts a pull request that was merged in the second in which it began', async () => {
    await solvedIssue(SOLUTION);
    const { id, fullName: name, issues } = scene.repository;
    const at = issues.find(isPull)!.pull.merged!.at.replace('Z', '.001Z');
    const head = JSON.stringify({ type: 'evaluation', format: 1, repository: id, name, at });
    writeFileSync(path.join(directory, 'results.jsonl'), `${head}\n`);
    const one = ['--models', NAMES[0]!, '--out', 'results.jsonl', '--budget', '9'];
    const { code, stdout } = await evaluate(await environment(), ...one);
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 of 1')]);
  });

  it('leaves the unfinished task when it is interrupted, and lets no second evaluation write to its file', async () => {
    await solvedIssue(SOLUTION);
    const script = answers(1);
    const hangs = { ...script, turns: [script.turns[0]!, { ...say(finish), delay_ms: 600_000 }] };
    const given = await environment([hangs]);
    const one = ['--models', NAMES[0]!, '--budget', '9'];
    const { program, untilSaid, ended } = startProgram(words(one), directory, given);
    await untilSaid(/✓ Write src\/1\.txt/);
    const second = await evaluate(given, ...one);
    expect([second.code, second.stderr]).toEqual([
      1,
      expect.stringContaining('Another evaluation is writing to'),
    ]);
    program.kill('SIGINT');
    expect(await ended).toEqual({ code: 130, signal: null });
    const last = await evaluate(await environment(), ...one);
    expect([last.code, last.stdout]).toEqual([0, expect.stringContaining('1 of 1')]);
  });

  it.each<[string, string[], Record<string, string>, number, RegExp]>([
    ['no budget', ['--models', 'openai:good'], {}, 2, /required option '--budget/],
    ['a budget of nothing', ['--budget', '0'], {}, 2, /--budget must be a number/],
    ['a limit that is none', ['--budget', '1', '--limit', 'all'], {}, 2, /--limit must be/],
    ['no token', ['--budget', '1'], { GITHUB_TOKEN: '' }, 1, /GITHUB_TOKEN {2}missing.*evaluation/],
    ['no model', ['--budget', '1'], { MODEL: '' }, 1, /MODEL {2}missing/],
    ['an unknown price', ['--budget', '1'], { MODEL: 'openai:new' }, 1, /price of openai:new is/],
    ['another host', ['--budget', '1'], { GHE_HOST: 'ghe.example' }, 1, /The repository is on/],
    ['a file of others', ['--budget', '1', '--out', 'prices.json'], {}, 1, /does not hold results/],
  ])('says what to do about %s, and asks no model', async (_, more, settings, code, said) => {
    const given = { ...(await environment()), MODEL: 'openai:good', ...settings };
    const ended = await evaluate(given, ...more);
    expect([ended.code, ended.stderr]).toEqual([code, expect.stringMatching(said)]);
    expect(prompts()).toBe('');
  });
});
