// One issue from its label to the merge; what happens together is delivered as the lot has it.
import type { Script } from '../../playground/model/script.ts';
import type { Issue, PullRequest } from '../../playground/github/state.ts';
import { isPull } from '../../playground/github/state.ts';
import { SAMPLE } from '../../playground/sample/index.ts';
import type { Scene } from '../e2e/scene.ts';
import type { Lot, Postman } from './postman.ts';

const call = (tool_name: string, args: Record<string, unknown>) => ({
  tool_name,
  arguments: args,
});
/** Long enough for what was sent together to be there, as it is in a real model. */
const THINKING_MS = 700;

/** Each tale has files of its own: what another one has merged must not make it empty. */
export const scriptOf = (name: string): Script => ({
  match: `> ${name}\n`,
  turns: [
    [call('ask_question', { question: 'Which way?', default: 'The first.' })],
    [
      call('write_file', { path: `${name}/one.md`, content: 'One.\n' }),
      call('finish', { summary: 'Add one' }),
    ],
    [
      call('write_file', { path: `${name}/two.md`, content: 'Two.\n' }),
      call('finish', { summary: 'Add two' }),
    ],
  ].map((tool_calls) => ({ say: { plan: 'Go on.', tool_calls }, delay_ms: THINKING_MS })),
});

const spoken = (...what: string[]): string[] => what.map((one) => `says ${one}.`);

/** What a tale leads to, whatever happened on the way. */
export interface End {
  readonly issue: string;
  readonly pull: string;
  /** What the App said, one word for each comment. */
  readonly comments: readonly string[];
  readonly commits: readonly string[];
  /** What the model was told of what people said. */
  readonly told: readonly string[];
  /** Replies of the model. */
  readonly replies: number;
}

export class Tale {
  readonly #scene: Scene;
  readonly #postman: Postman;
  readonly #name: string;
  readonly #lot: Lot | undefined;

  /** Without a lot, everything comes once and in its order. */
  constructor(scene: Scene, postman: Postman, name: string, lot: Lot | undefined) {
    this.#scene = scene;
    this.#postman = postman;
    this.#name = name;
    this.#lot = lot;
  }

  async play(): Promise<End> {
    const issue = await this.#begins();
    await this.#scene.until('the question', () =>
      this.#scene.comments(issue).find(({ body }) => body.includes('Which way?')),
    );
    await this.#answers(issue);
    const pull = await this.#pullOf(issue, 1);
    await this.#reviews(issue, pull);
    await this.#pullOf(issue, 2);
    await this.#merges(issue, pull);
    await this.#scene.untilStatus(issue, /Merged/);
    return this.#end(issue, pull);
  }

  async #begins(): Promise<Issue> {
    const { maintainer, repository, github } = this.#scene;
    const issue = maintainer.openIssue(repository, { title: this.#name, body: 'Please.' });
    const thread = this.#scene.thread(issue);
    maintainer.comment(thread, this.#says('before'));
    maintainer.label(thread, 'bug');
    maintainer.label(thread, SAMPLE.label);
    maintainer.comment(thread, this.#says('after'));
    github.as('stranger').comment(thread, this.#says('stranger'));
    await this.#deliver(issue, ['"opened"', '"labeled"', ...spoken('before', 'after', 'stranger')]);
    return issue;
  }

  async #answers(issue: Issue): Promise<void> {
    const thread = this.#scene.thread(issue);
    this.#scene.github.as('stranger').comment(thread, this.#says('second stranger'));
    this.#scene.maintainer.comment(thread, this.#says('answer'));
    await this.#deliver(issue, spoken('second stranger', 'answer'));
  }

  async #reviews(issue: Issue, pull: PullRequest): Promise<void> {
    const { maintainer } = this.#scene;
    const thread = this.#scene.thread(pull);
    await maintainer.review(thread, { event: 'REQUEST_CHANGES', body: this.#says('review') });
    this.#scene.github
      .as('stranger')
      .comment(this.#scene.thread(issue), this.#says('third stranger'));
    await this.#deliver(issue, spoken('review', 'third stranger'));
  }

  async #merges(issue: Issue, pull: PullRequest): Promise<void> {
    await this.#scene.maintainer.merge(this.#scene.thread(pull));
    await this.#deliver(issue, ['"merged":true', '"state_reason":"completed"']);
  }

  /** Once GitHub has sent what holds these words. */
  async #deliver(issue: Issue, expected: readonly string[]): Promise<void> {
    const { number } = issue;
    await this.#scene.until(`webhooks for #${number}: ${expected.join(', ')}`, () =>
      expected.every((words) => this.#postman.holds(number, words)),
    );
    if (this.#lot === undefined) await this.#postman.bringInOrder(number);
    else await this.#postman.bring(number, this.#lot);
  }

  /** With so many commits, out of draft. */
  #pullOf(issue: Issue, commits: number): Promise<PullRequest> {
    return this.#scene.until(`${commits} commits for #${issue.number}`, async () => {
      const pull = this.#scene.repository.issues
        .filter(isPull)
        .find(({ pull: { head } }) => head === `issuewright/issue-${issue.number}`);
      if (pull === undefined || pull.pull.draft) return undefined;
      return (await this.#commits(issue)).length === commits ? pull : undefined;
    });
  }

  async #commits({ number }: Issue): Promise<string[]> {
    const log = await this.#scene.git('log', '--format=%s', `main..issuewright/issue-${number}`);
    return log.split('\n').filter((line) => line !== '');
  }

  #says(what: string): string {
    return `${this.#name} says ${what}.`;
  }

  async #end(issue: Issue, pull: PullRequest): Promise<End> {
    const bodies = this.#scene.stage.model.requests
      .map(({ body }) => body)
      .filter((body) => body.includes(`${this.#name} says`));
    const told = bodies.at(-1)?.match(new RegExp(`${this.#name} says [a-z ]+`, 'g')) ?? [];
    const log = await this.#scene.git(
      'log',
      '--format=%s',
      '--no-merges',
      `issuewright/issue-${issue.number}`,
    );
    return {
      issue: issue.state,
      pull: pull.pull.merged === undefined ? pull.state : 'merged',
      comments: this.#scene
        .comments(issue)
        .map(({ body }) => /<!-- issuewright:\w+:([a-z]+)[^>]* -->$/.exec(body)?.[1] ?? body)
        .toSorted(),
      commits: log
        .split('\n')
        .filter((line) => /^Add (one|two)$/.test(line))
        .slice(0, 2),
      told: told.map((words) => words.slice(this.#name.length + 1)).toSorted(),
      replies: bodies.length,
    };
  }
}
