// A session with a question, a review, a check that fails and a conflict.
import type { LocalGitHub } from '../../packages/local-github/src/github/local-github.ts';
import {
  isPull,
  type PullRequest,
  type Repository,
} from '../../packages/local-github/src/github/state.ts';
import type { Script } from '../../packages/local-github/src/model/script.ts';

const call = (tool_name: string, given: Record<string, unknown>) => ({
  tool_name,
  arguments: given,
});
const say = (...tool_calls: ReturnType<typeof call>[]): Script['turns'][number] => ({
  say: { plan: 'The next step.', tool_calls },
});

const PATH = 'src/greet.js';
const TITLES = ['Read the code', 'Settle the words', 'Greet', 'Open a pull request', 'Finish'];
const plan = (done: number) =>
  call('update_plan', { items: TITLES.map((title, at) => ({ title, done: at < done })) });
const read = call('read_file', { path: PATH });
const write = (content: string) => call('write_file', { path: PATH, content });
const commit = (message: string) => call('commit', { message });
const finish = (summary: string) => call('finish', { summary, outcome: 'done' });

const file = (body: string): string => `export const greet = () => ${body};\n`;

export const GREETING: {
  readonly files: Record<string, string>;
  readonly script: Script;
} = {
  files: { 'README.md': '# Greet\n', [PATH]: file("''") },
  script: {
    turns: [
      say(read, plan(0)),
      say(call('grep_search', { pattern: 'greet' }), plan(1)),
      say(call('ask_question', { question_text: 'Which word should it greet with?' })),
      say(plan(2), write(file("'hello'"))),
      say(read),
      say(commit('Greet'), plan(3)),
      say(call('create_pull_request', { title: 'Greet', body: 'It greets.' }), plan(4)),
      say(plan(5), finish('It greets.')),
      say(read),
      say(write(file("'hello' // TODO")), read),
      say(commit('Greet as the review says'), finish('It greets as you said.')),
      say(read),
      say(write(file("'hello!'")), commit('Remove what CI does not like')),
      say(finish('The check passes now.')),
      say(read),
      say(write(file("'hello!' + ''")), commit('Merge the base branch')),
      say(finish('Both are kept.')),
    ],
  },
};

const CI = [
  {
    name: 'CI',
    jobs: [
      {
        name: 'test',
        steps: [
          {
            name: 'Run npm test',
            log: 'not ok 1 - greets',
            fails: { path: PATH, contains: 'TODO' },
            error: 'Process completed with exit code 1.',
          },
        ],
      },
    ],
  },
];

interface Scene {
  readonly github: LocalGitHub;
  readonly repository: Repository;
  readonly maintainer: string;
}

/** From the label to the merge. */
export async function playGreeting(scene: Scene, timeoutMs: number): Promise<void> {
  const play = new Play(scene, timeoutMs);
  const pull = await play.askUntilReady();
  await play.reviewAndFix(pull);
  await play.conflict(pull);
  await scene.github
    .as(scene.maintainer)
    .merge({ repository: scene.repository, number: pull.number });
  await play.untilSaid(/^\*\*\S+ Merged/);
}

class Play {
  readonly #scene: Scene;
  readonly #timeoutMs: number;

  constructor(scene: Scene, timeoutMs: number) {
    this.#scene = scene;
    this.#timeoutMs = timeoutMs;
  }

  async askUntilReady(): Promise<PullRequest> {
    const { github, repository } = this.#scene;
    github.ci(repository).script(CI);
    const issue = this.#person.openIssue(repository, { title: 'Greet', body: 'Please greet.' });
    const thread = { repository, number: issue.number };
    this.#person.label(thread, 'issuewright');
    await this.untilSaid(/Which word/);
    this.#person.comment(thread, 'With hello, please.');
    const pull = await this.#until('the pull request', () =>
      repository.issues.filter(isPull).find((one) => !one.pull.draft),
    );
    await this.untilSaid(READY);
    return pull;
  }

  async reviewAndFix(pull: PullRequest): Promise<void> {
    const { repository } = this.#scene;
    const first = await this.#head(pull);
    await this.#person.review(
      { repository, number: pull.number },
      {
        event: 'REQUEST_CHANGES',
        body: 'One thing before it goes in.',
        comments: [{ path: PATH, line: 1, body: 'Please say what is left to do.' }],
      },
    );
    await this.#untilMoved(pull, first);
    const asked = await this.untilSaid(/To let me fix this/);
    const second = await this.#head(pull);
    this.#person.react(asked, '+1');
    await this.#untilMoved(pull, second);
    await this.untilSaid(/The checks passed after 1 round/);
  }

  async conflict(pull: PullRequest): Promise<void> {
    const { repository } = this.#scene;
    const third = await this.#head(pull);
    await this.#person.push(repository, {
      branch: 'main',
      message: 'Greet otherwise',
      files: { [PATH]: file("'good day'") },
    });
    const merged = await this.#untilMoved(pull, third);
    const { runs, suites } = repository.checks;
    await this.#until('the check run of the merge', () =>
      runs.some(
        ({ name, suiteId, status }) =>
          name === 'Issuewright' &&
          status === 'completed' &&
          suites.find(({ id }) => id === suiteId)?.headSha === merged,
      ),
    );
    await this.untilSaid(READY);
  }

  untilSaid(words: RegExp) {
    const { comments } = this.#scene.repository;
    return this.#until(String(words), () =>
      comments.find(({ author, body }) => author.type === 'Bot' && words.test(body)),
    );
  }

  get #person() {
    return this.#scene.github.as(this.#scene.maintainer);
  }

  #until<T>(what: string, look: () => T | Promise<T>) {
    return this.#scene.github.waitFor(look, { what, timeoutMs: this.#timeoutMs });
  }

  #head(pull: PullRequest): Promise<string | undefined> {
    return this.#scene.repository.git.head(pull.pull.head);
  }

  #untilMoved(pull: PullRequest, before: string | undefined) {
    return this.#until('another commit', async () => {
      const sha = await this.#head(pull);
      return sha !== before && sha;
    });
  }
}

const READY = /^\*\*\S+ Ready for review/;
