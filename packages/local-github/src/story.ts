import type { NewReview } from './github/actions/reviews.ts';
import type { LocalGitHub } from './github/local-github.ts';
import type { Person } from './github/people.ts';
import type { Comment, Issue, PullRequest, Repository } from './github/state.ts';
import { isPull } from './github/state.ts';

/** The texts of the people in the story. */
interface Tale {
  readonly label: string;
  readonly issue: { readonly title: string; readonly body: string };
  /** The answer to the agent's question. */
  readonly answer: string;
  /** The change that the review asks for. */
  readonly review: string;
  readonly reviewComments: NonNullable<NewReview['comments']>;
}

export interface StoryOptions {
  readonly github: LocalGitHub;
  readonly repository: Repository;
  readonly tale: Tale;
  /** A person with write permission, who acts for the human side. */
  readonly maintainer: string;
  /** A person at the browser plays the human side: print what to do, and wait for it. */
  readonly interactive: boolean;
  /** Maximum time for one step. */
  readonly patienceMs: number;
  /** Reports a step that was reached, or that waits for the person at the browser. The story waits for it. */
  readonly tell: (words: string, address?: string) => void | Promise<void>;
}

export interface Story {
  readonly issue: Issue;
  readonly pull: PullRequest;
  /** Heads of the branch, in order. */
  readonly commits: readonly string[];
  readonly mergeCommit: string;
  /** Milliseconds from the label to the status comment. */
  readonly untilStatus: number;
}

const STATUS = 'the status comment';

/** Plays the story from the label to the merge. Rejects if a step times out. */
export async function playStory(options: StoryOptions): Promise<Story> {
  const play = new Play(options);
  const issue = await play.openAndLabel();
  const untilStatus = await play.untilStatus(issue);
  const pull = await play.answerUntilReady(issue);
  const commits = await play.review(issue, pull);
  const mergeCommit = await play.merge(issue, pull);
  return { issue, pull, commits, mergeCommit, untilStatus };
}

class Play {
  readonly #options: StoryOptions;
  readonly #person: Person;
  #labelledAt = 0;
  #told: string | undefined;

  constructor(options: StoryOptions) {
    this.#options = options;
    this.#person = options.github.as(options.maintainer);
  }

  async openAndLabel(): Promise<Issue> {
    const { repository, tale, interactive, tell } = this.#options;
    const issue = this.#person.openIssue(repository, tale.issue);
    const thread = { repository, number: issue.number };
    await tell(`issue #${issue.number}: ${tale.issue.title}`, this.#page(issue));
    if (interactive) await tell(`your turn: add the label \`${tale.label}\``, this.#page(issue));
    else this.#person.label(thread, tale.label);
    await this.#until(`the label ${tale.label}`, () => hasLabel(issue, tale.label));
    this.#labelledAt = performance.now();
    await tell(`labelled \`${tale.label}\``);
    return issue;
  }

  async untilStatus(issue: Issue): Promise<number> {
    const { tell } = this.#options;
    await this.#until('the 👀', () =>
      issue.reactions.some(({ user, content }) => user.type === 'Bot' && content === 'eyes'),
    );
    await tell('👀 on the issue');
    const status = await this.#until(STATUS, () => this.#ofApp(issue)[0]);
    const took = performance.now() - this.#labelledAt;
    await tell(STATUS, this.#page(issue, status));
    return took;
  }

  /** Answers all questions until the pull request is ready for review. */
  async answerUntilReady(issue: Issue): Promise<PullRequest> {
    const { repository, tale, interactive, tell } = this.#options;
    let answered = 0;
    for (;;) {
      const found = await this.#until('a question or a pull request', () => {
        const question = this.#questions(issue)[answered];
        return question ?? repository.issues.filter(isPull).find(({ pull }) => !pull.draft);
      });
      if ('pull' in found) {
        await tell(`pull request #${found.number}: ${found.title}`, this.#page(found));
        return found;
      }
      await tell('the agent asks a question', this.#page(issue, found));
      if (interactive)
        await tell('your turn: reply to it in plain words', this.#page(issue, found));
      else this.#person.comment({ repository, number: issue.number }, tale.answer);
      answered++;
      await this.#until('the answer', () => this.#replies(issue).some(({ id }) => id > found.id));
      await tell('answered, as a plain reply');
    }
  }

  /** Ends with a second commit, or if a person at the browser merges without asking for one. */
  async review(issue: Issue, pull: PullRequest): Promise<string[]> {
    const { repository, tale, interactive, tell } = this.#options;
    const thread = { repository, number: pull.number };
    const first = await this.#head(pull);
    await this.#statusSays(issue, /ready for review/i);
    if (interactive) await tell('your turn: below the diff, request a change', this.#page(pull));
    else await this.#person.review(thread, requestOf(tale));
    const isOver = () => pull.state === 'closed';
    const asks = () => repository.reviews.some(({ state }) => state === 'CHANGES_REQUESTED');
    await this.#until('the review', () => asks() || isOver());
    if (isOver()) return [first];
    await tell('a reviewer asks for a change', this.#page(pull));
    const second = await this.#until('a second commit', async () => {
      const head = await this.#head(pull);
      return isOver() || head !== first ? head : undefined;
    });
    await tell(`the branch is at ${second.slice(0, 7)} now`, this.#page(pull));
    // Comes last of the work on the review: whoever merges sooner may stop it.
    if (!interactive && tale.reviewComments.length > 0)
      await this.#until('the reply to the review', () =>
        repository.reviewComments.some(({ author }) => author.type === 'Bot'),
      );
    return [first, second];
  }

  async merge(issue: Issue, pull: PullRequest): Promise<string> {
    const { repository, interactive, tell } = this.#options;
    await this.#statusSays(issue, /ready for review|merged/i);
    if (interactive) await tell('your turn: merge it', this.#page(pull));
    else await this.#person.merge({ repository, number: pull.number });
    const merged = await this.#until('the merge', () => pull.pull.merged);
    await tell(`merged as ${merged.commitSha.slice(0, 7)}`, this.#page(pull));
    await this.#statusSays(issue, /merged/i);
    await tell('the status comment says so', this.#page(issue));
    return merged.commitSha;
  }

  /** Reports a status of failure while it waits; a scripted story fails then. */
  #until<T>(what: string, predicate: () => T | Promise<T>) {
    const { github, interactive, tell, patienceMs } = this.#options;
    return github.waitFor(
      async () => {
        const bad = this.#headlines().find((line) => /failed|stopped|not finished/i.test(line));
        if (bad !== undefined && bad !== this.#told) {
          this.#told = bad;
          if (!interactive) throw new Error(`the status says: ${bad}`);
          await tell(`the status says: ${bad}`);
        }
        return predicate();
      },
      { what, timeoutMs: patienceMs },
    );
  }

  #statusSays(issue: Issue, words: RegExp) {
    const what = `the status to say ${words.source}`;
    return this.#until(what, () => this.#headlines(issue).some((line) => words.test(line)));
  }

  /** The first lines of the status comments of one issue, or of all. */
  #headlines(issue?: Issue): string[] {
    const { comments } = this.#options.repository;
    return comments
      .filter(({ author, body }) => author.type === 'Bot' && body.includes(':status -->'))
      .filter(({ issueNumber }) => issue === undefined || issueNumber === issue.number)
      .map(({ body }) => body.split('\n')[0] ?? '');
  }

  #ofApp(issue: Issue): Comment[] {
    const { comments } = this.#options.repository;
    return comments.filter((one) => one.issueNumber === issue.number && one.author.type === 'Bot');
  }

  #questions(issue: Issue): Comment[] {
    return this.#ofApp(issue).filter(({ body }) => /:question:\d+ -->/.test(body));
  }

  #replies(issue: Issue): Comment[] {
    const { comments } = this.#options.repository;
    return comments.filter((one) => one.issueNumber === issue.number && one.author.type === 'User');
  }

  async #head(pull: PullRequest): Promise<string> {
    const name = `refs/heads/${pull.pull.head}`;
    const sha = await this.#options.repository.git.resolve(name);
    if (sha === undefined) throw new Error(`the branch ${pull.pull.head} is gone`);
    return sha;
  }

  #page(issue: Issue, comment?: Comment): string {
    const { github, repository } = this.#options;
    const kind = isPull(issue) ? 'pull' : 'issues';
    const anchor = comment === undefined ? '' : `#issuecomment-${comment.id}`;
    return `${github.url}/${repository.fullName}/${kind}/${issue.number}${anchor}`;
  }
}

const hasLabel = (issue: Issue, name: string): boolean =>
  issue.labels.some((label) => label.name === name);

const requestOf = ({ review, reviewComments }: Tale): NewReview => ({
  event: 'REQUEST_CHANGES',
  body: review,
  comments: reviewComments,
});
