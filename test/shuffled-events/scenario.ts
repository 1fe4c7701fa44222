// One issue from its label to the merge. Events that happen together are delivered in random order.
import type { Script } from '../../playground/model/script.ts';
import type { Issue, PullRequest, ReviewComment } from '../../playground/github/state.ts';
import { isPull } from '../../playground/github/state.ts';
import { SAMPLE } from '../../playground/sample/index.ts';
import type { Scene } from '../e2e/scene.ts';
import type { Randomness, ReorderingProxy } from './reordering-proxy.ts';

const call = (tool_name: string, args: Record<string, unknown>) => ({
  tool_name,
  arguments: args,
});
/** Long enough for webhooks that were sent together to arrive, as with a real model. */
const THINKING_MS = 700;

/** Each scenario writes its own files, so that a merge of another one leaves it something to change. */
export const scriptOf = (name: string): Script => ({
  match: `> ${name}\n`,
  turns: [
    [call('ask_question', { questions: [{ question: 'Which way?', default: 'The first.' }] })],
    [
      call('write_file', { path: `${name}/one.md`, content: 'One.\n' }),
      call('finish', { summary: 'Add one' }),
    ],
    [
      call('write_file', { path: `${name}/two.md`, content: 'Two.\n' }),
      ...[1, 2].map((thread) => call('reply_to_thread', { thread, text: 'Seen.' })),
      call('finish', { summary: 'Add two' }),
    ],
  ].map((tool_calls) => ({ say: { plan: 'Go on.', tool_calls }, delay_ms: THINKING_MS })),
});

const spoken = (...what: string[]): string[] => what.map((one) => `says ${one}.`);

/** The result of a scenario, which must not depend on the order of events. */
export interface End {
  readonly issue: string;
  readonly pull: string;
  /** The kinds of comments that the App wrote. */
  readonly comments: readonly string[];
  readonly commits: readonly string[];
  /** How often the branch of the pull request was pushed after it was opened. */
  readonly pushes: number;
  /** What the App says in each thread of the review. */
  readonly inThreads: readonly (readonly string[])[];
  /** The comments of people that the model read. */
  readonly told: readonly string[];
  /** How many replies the agent gave. */
  readonly replies: number;
}

export class Scenario {
  readonly #scene: Scene;
  readonly #proxy: ReorderingProxy;
  readonly #name: string;
  readonly #random: Randomness | undefined;

  /** Without `random`, every webhook comes once and in its order. */
  constructor(scene: Scene, proxy: ReorderingProxy, name: string, random: Randomness | undefined) {
    this.#scene = scene;
    this.#proxy = proxy;
    this.#name = name;
    this.#random = random;
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
    await this.#scene.until(`the replies for ${this.#name}`, () =>
      this.#inThreads(pull).every((replies) => replies.length > 0),
    );
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
    await maintainer.review(thread, {
      event: 'REQUEST_CHANGES',
      body: this.#says('review'),
      comments: ['line', 'other line'].map((what) => ({
        path: `${this.#name}/one.md`,
        line: 1,
        body: this.#says(what),
      })),
    });
    const [comment] = this.#commentsOn(pull);
    for (const resolved of [true, false])
      maintainer.resolve(this.#scene.repository, comment?.id ?? 0, resolved);
    this.#scene.github
      .as('stranger')
      .comment(this.#scene.thread(issue), this.#says('third stranger'));
    await this.#deliver(issue, [
      ...spoken('review', 'line', 'other line', 'third stranger'),
      '"action":"resolved"',
      '"action":"unresolved"',
    ]);
  }

  async #merges(issue: Issue, pull: PullRequest): Promise<void> {
    await this.#scene.maintainer.merge(this.#scene.thread(pull));
    await this.#deliver(issue, ['"merged":true', '"state_reason":"completed"']);
  }

  /** Delivers the held webhooks once GitHub has sent those that contain the expected words. */
  async #deliver(issue: Issue, expected: readonly string[]): Promise<void> {
    const { number } = issue;
    await this.#scene.until(`webhooks for #${number}: ${expected.join(', ')}`, () =>
      expected.every((words) => this.#proxy.holds(number, words)),
    );
    if (this.#random === undefined) await this.#proxy.deliverInOrder(number);
    else await this.#proxy.deliver(number, this.#random);
  }

  /** Waits for the pull request to be out of draft with `commits` commits. */
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

  #commentsOn({ number }: PullRequest): ReviewComment[] {
    return this.#scene.repository.reviewComments.filter((one) => one.pullNumber === number);
  }

  #inThreads(pull: PullRequest): string[][] {
    const comments = this.#commentsOn(pull);
    const first = comments.filter(({ inReplyTo }) => inReplyTo === undefined);
    return first.map(({ threadId }) =>
      comments
        .filter((one) => one.threadId === threadId && one.author.type === 'Bot')
        .map(({ body }) => body.split('\n')[0] ?? ''),
    );
  }

  #pushes({ number }: PullRequest): number {
    const ofPull = ({ payload }: { payload: Record<string, unknown> }) =>
      (payload['pull_request'] as { number?: number } | undefined)?.number === number;
    return this.#scene.github.deliveries.filter(
      (one) => one.action === 'synchronize' && ofPull(one),
    ).length;
  }

  #says(what: string): string {
    return `${this.#name} says ${what}.`;
  }

  async #end(issue: Issue, pull: PullRequest): Promise<End> {
    const bodies = this.#scene.agentRequests
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
      pushes: this.#pushes(pull),
      inThreads: this.#inThreads(pull),
      told: told.map((words) => words.slice(this.#name.length + 1)).toSorted(),
      replies: bodies.length,
    };
  }
}
