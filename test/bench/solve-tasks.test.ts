import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isRowOf, tableOf, type Row } from '../../bench/solve/rows.ts';
import { makeTaskRepository } from '../../bench/solve/task-repository.ts';
import { readTasks } from '../../bench/solve/task.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const TASKS = 'bench/solve/tasks';

function taskIn(directory: string, task: object, files: Record<string, string>): void {
  for (const [name, text] of Object.entries({ ...files, 'task.json': JSON.stringify(task) })) {
    const file = path.join(directory, 'one', name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

const FOLDER = {
  language: 'shell',
  licence: 'MIT',
  source: { folder: 'repo' },
  without: ['AGENTS.md'],
  issue: 'Do it.',
  test: 'sh tests/one.sh',
};
const FILES = {
  'repo/a.txt': 'a\n',
  'repo/AGENTS.md': 'Obey.\n',
  'repo/tests/one.sh': 'true\n',
  'hidden/tests/one.sh': 'false\n',
};

const filesOf = (gitdir: string, commit: string): string[] =>
  execFileSync('git', [`--git-dir=${gitdir}`, 'ls-tree', '-r', '--name-only', commit], {
    encoding: 'utf8',
  })
    .trim()
    .split('\n');

describe('the tasks of the bench', () => {
  it('are twelve, in five languages, at whole commits', () => {
    const tasks = readTasks(TASKS, []);
    expect(tasks).toHaveLength(12);
    expect(new Set(tasks.map(({ language }) => language)).size).toBe(5);
    for (const { source } of tasks) {
      const { start, fixed } = source as { start: string; fixed: string };
      expect([start, fixed]).toEqual([
        expect.stringMatching(/^[\da-f]{40}$/),
        expect.stringMatching(/^[\da-f]{40}$/),
      ]);
    }
  });

  it('are named in the error for one that does not exist', () => {
    expect(() => readTasks(TASKS, ['nothing'])).toThrow(/no task nothing .*c-parson-clear/);
  });

  it('give the agent no hidden tests and no instructions for agents, and the judge both files of one name', async () => {
    const directory = temporaryDirectory();
    taskIn(directory, FOLDER, FILES);
    const [task] = readTasks(directory, []);
    const made = await makeTaskRepository(task!, path.join(directory, 'work'));
    expect(filesOf(made.gitdir, made.start)).toEqual(['a.txt', 'tests/one.sh']);
    expect(made.solution).toBeUndefined();
    const show = (commit: string): string =>
      execFileSync('git', [`--git-dir=${made.gitdir}`, 'show', `${commit}:tests/one.sh`], {
        encoding: 'utf8',
      });
    expect([show(made.start), show(made.judge)]).toEqual(['true\n', 'false\n']);
    const parents = execFileSync('git', [`--git-dir=${made.gitdir}`, 'rev-list', made.start], {
      encoding: 'utf8',
    });
    expect(parents.trim()).toBe(made.start);
  });

  it('come from two commits of a git repository, with the tests of the later one hidden', async () => {
    const directory = temporaryDirectory();
    const origin = path.join(directory, 'origin');
    const git = (...words: string[]): string =>
      execFileSync('git', ['-C', origin, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
        encoding: 'utf8',
      }).trim();
    const commit = (value: string): string => {
      mkdirSync(path.join(origin, 'test'), { recursive: true });
      writeFileSync(path.join(origin, 'value'), value);
      writeFileSync(path.join(origin, 'test/value.sh'), `test "$(cat value)" = ${value}\n`);
      git('add', '-A');
      git('commit', '-qm', value);
      return git('rev-parse', 'HEAD');
    };
    mkdirSync(origin);
    git('init', '-q');
    const [start, fixed] = [commit('old'), commit('new')];
    const source = { git: `file://${origin}`, start, fixed };
    taskIn(directory, { ...FOLDER, source, without: [], hidden: ['test'] }, {});
    const [task] = readTasks(directory, []);
    const { gitdir, judge, solution } = await makeTaskRepository(
      task!,
      path.join(directory, 'work'),
    );
    const show = (name: string): string =>
      execFileSync('git', [`--git-dir=${gitdir}`, 'show', name], { encoding: 'utf8' });
    expect([show(`${judge}:value`), show(`${solution}:value`)]).toEqual(['old', 'new']);
    expect(show(`${judge}:test/value.sh`)).toContain('= new');
  });
});

const COUNTS = { turns: 2, replies: 3, calls: 4, failedCalls: 1, input: 5000, cached: 3000 };
const ROW: Row = {
  ...COUNTS,
  type: 'result',
  at: '',
  task: 'one',
  language: 'c',
  harness: 'issuewright',
  model: 'm',
  played: 'by hand',
  attempt: 1,
  solved: true,
  outcome: 'done',
  output: 300,
  dollars: 0.02,
  isPartial: false,
  minutes: 1.5,
  harnessSeconds: 1.2,
  startSeconds: 0.4,
  size: { files: 2, added: 10, removed: 3 },
};

describe('the table of the bench', () => {
  it('has a row for each attempt, and a mean for each harness', () => {
    const peer = { ...ROW, harness: 'pi 1', failedCalls: null, isPartial: true, solved: false };
    const lines = tableOf([ROW, peer]).split('\n');
    expect(lines[2]).toBe(
      '| one | issuewright | by hand | 1 | yes | 3 | 4 | 1 | 2,000 | 3,000 | 300 | $0.0200 | 1.5 | 1.2 | 0.4 | 2 files, +10 −3 |',
    );
    expect(lines[3]).toMatch(/\| no \(done\) \| 3 \| 4 \| – .*\| – \| 1\.5/);
    expect(lines.slice(4)).toEqual([
      expect.stringContaining('| issuewright |  |  | 1 of 1 |'),
      expect.stringContaining('| pi 1 |  |  | 0 of 1 |'),
    ]);
  });

  it('knows an attempt by its task, harness, player and number', () => {
    expect(isRowOf(ROW, ROW)).toBe(true);
    expect(isRowOf(ROW, { ...ROW, attempt: 2 })).toBe(false);
    expect(isRowOf(ROW, { ...ROW, played: 'the API' })).toBe(false);
  });
});
