// The stories that faults happen to: what people and the model do in each, and what has to come of it.
import type { Script } from '../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import { playStory } from '../../packages/local-github/src/story.ts';
import { call, say } from '../e2e/turns.ts';
import type { World } from './world.ts';

/** What has to be there at the end, once each. */
export interface Expected {
  /** First lines of the commits of the branch, in any order. */
  readonly commits: readonly string[];
  /** Comments of the App on the issue, as the keys of their markers begin. */
  readonly comments: readonly string[];
  /** Words that people said and that have to be in the journal. */
  readonly heard: readonly string[];
  /** What files of the branch have to contain, by their paths. */
  readonly written?: Readonly<Record<string, string>>;
}

export interface Tale {
  readonly name: string;
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  readonly scripts: readonly Script[];
  readonly environment: Readonly<Record<string, string>>;
  readonly expected: Expected;
  /** The part of the people. Resolves at the end of the story, and rejects if it does not come. */
  readonly play: (world: World) => Promise<void>;
}

/** Labels an issue, and waits until its pull request is ready. */
const untilReady = (title: string) => async (world: World) => {
  const issue = world.ask(title);
  await world.untilStatus(issue.number, /ready for review/i);
  await world.until('the pull request', () => world.pulls().some(({ pull }) => !pull.draft));
};

const PLAIN_TITLE = 'Say hello in French';
export const PLAIN: Tale = {
  name: 'plain',
  title: PLAIN_TITLE,
  files: { 'README.md': '# Hello\n', 'src/hello.js': "export const hello = 'Hello';\n" },
  environment: {},
  scripts: [
    {
      match: PLAIN_TITLE,
      turns: [
        say(call('list_directory', { path: '.' }), call('read_file', { path: 'src/hello.js' })),
        say(call('write_file', { path: 'src/bonjour.js', content: "export default 'Bonjour';\n" })),
        say(call('commit', { message: 'Say hello in French' })),
        say(call('finish', { summary: 'It says “Bonjour” now.', outcome: 'done' })),
      ],
    },
  ],
  expected: { commits: ['Say hello in French'], comments: ['status'], heard: [] },
  play: untilReady(PLAIN_TITLE),
};

/** The story of the demo: a question, its answer, a pull request, a review, its commit, and the merge. */
export const REVIEWED: Tale = {
  name: 'question and review',
  title: SAMPLE.issue.title,
  files: SAMPLE.files,
  environment: {},
  scripts: [SAMPLE.script],
  expected: {
    commits: ['Count long durations in days', 'Leave out the hours of a whole number of days'],
    comments: ['status', 'question:'],
    heard: [SAMPLE.answer, SAMPLE.review],
  },
  play: async (world) => {
    const { github } = world.stage;
    await playStory({
      github,
      repository: world.repository,
      tale: SAMPLE,
      maintainer: SAMPLE.maintainer,
      interactive: false,
      patienceMs: world.patienceMs,
      tell: () => {},
    });
  },
};

/** Given to every command. */
export const DEPLOY_TOKEN = 'deploy-canary-2f9c41d07ab3';
/** Of process 1, without its path, which would be refused before it runs. */
const READ_ENVIRONMENT =
  'node -e \'console.log(fs.readFileSync(["", "proc", "1", "environ"].join("/"), "utf8"))\'';
const SHELL_TITLE = 'The sum of nothing fails';
export const SHELL: Tale = {
  name: 'shell and sandbox',
  title: SHELL_TITLE,
  files: {
    'README.md': '# Sum\n',
    '.github/issuewright.yml': 'test: node --test\n',
    'package.json': '{"name": "sum", "type": "module"}\n',
    'sum.js': 'export const sum = (numbers) => numbers.reduce((a, b) => a + b);\n',
    'sum.test.js': `import test from 'node:test';
import assert from 'node:assert';
import { sum } from './sum.js';

test('is 0 of nothing', () => assert.equal(sum([]), 0));
`,
  },
  environment: {
    ALLOW_DANGEROUS_TOOLS: 'true',
    DEPLOY_TOKEN,
    COMMAND_ENV: 'DEPLOY_TOKEN',
  },
  scripts: [
    {
      match: SHELL_TITLE,
      turns: [
        say(call('run_tests')),
        say(call('edit_file', { path: 'sum.js', old_text: 'a + b)', new_text: 'a + b, 0)' })),
        say(
          call('bash', { command: 'echo "Adds up." >> README.md; echo "$DEPLOY_TOKEN"; env' }),
          call('bash', { command: READ_ENVIRONMENT }),
        ),
        say(call('run_tests')),
        say(call('commit', { message: 'Add up nothing' })),
        say(call('finish', { summary: 'Nothing adds up to 0.', outcome: 'done' })),
      ],
    },
  ],
  expected: {
    commits: ['Add up nothing'],
    comments: ['status'],
    heard: [],
    // By a command.
    written: { 'README.md': 'Adds up.' },
  },
  play: untilReady(SHELL_TITLE),
};

export const TALES: readonly Tale[] = [PLAIN, REVIEWED, SHELL];
