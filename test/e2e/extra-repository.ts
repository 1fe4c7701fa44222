// Another repository with its own installation, so that a failure there disturbs no other test.
import type {
  Comment,
  Issue,
  PullRequest,
  Repository,
} from '../../packages/local-github/src/github/state.ts';
import { isPull } from '../../packages/local-github/src/github/state.ts';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import type { Scene } from './scene.ts';

export class ExtraRepository {
  readonly scene: Scene;
  readonly repository: Repository;
  readonly installation: number;
  /** How many log lines and requests there were before the failure. */
  #quiet = { lines: 0, requests: 0, at: 0 };

  private constructor(scene: Scene, repository: Repository, installation: number) {
    this.scene = scene;
    this.repository = repository;
    this.installation = installation;
  }

  /** `files`: what the repository holds besides. */
  static async open(
    scene: Scene,
    name: string,
    installation: number,
    files: Record<string, string> = {},
  ): Promise<ExtraRepository> {
    const repository = await scene.github.createRepository({
      owner: SAMPLE.owner,
      name,
      files: { ...SAMPLE.files, ...files },
      collaborators: { [SAMPLE.maintainer]: 'admin', triager: 'triage' },
      installationId: installation,
    });
    return new ExtraRepository(scene, repository, installation);
  }

  thread({ number }: { number: number }) {
    return { repository: this.repository, number };
  }

  open(title: string): Issue {
    return this.scene.maintainer.openIssue(this.repository, { title, body: '' });
  }

  ask(title: string): Issue {
    const issue = this.open(title);
    this.scene.maintainer.label(this.thread(issue), SAMPLE.label);
    return issue;
  }

  say(issue: { number: number }, words: string): Comment {
    return this.scene.maintainer.comment(this.thread(issue), words);
  }

  /** Does it while the agent's model is asked for the second time. */
  async duringRun(act: () => void | Promise<void>): Promise<void> {
    await this.scene.untilAgentAsked(this.scene.agentRequests.length + 2);
    this.mark();
    await act();
  }

  /** From here on, what is logged and asked is counted. */
  mark(): void {
    const { service, github } = this.scene;
    this.#quiet = { lines: service.lines, requests: github.requests.length, at: Date.now() };
  }

  untilLogged(words: RegExp): Promise<string> {
    return this.scene.service.untilLogged(words, { from: this.#quiet.lines });
  }

  /** A line about a session of this repository, by its present name. Those of others may log the same. */
  untilLoggedOfSession(words: RegExp): Promise<string> {
    const { fullName } = this.repository;
    return this.untilLogged(new RegExp(`"repository":"${fullName}".*(?:${words.source})`));
  }

  untilDenied(words = /./): Promise<string> {
    return this.untilLoggedOfSession(new RegExp(`${words.source}.*publishing denied`));
  }

  /** What the App has asked of this place since `mark`. */
  asked(): string[] {
    const places = [
      `/${SAMPLE.owner}/`,
      `/installations/${this.installation}`,
      `/repositories/${this.repository.id}`,
    ];
    return this.scene.github.requests
      .slice(this.#quiet.requests)
      .filter(({ path, actor }) => actor !== SAMPLE.maintainer && isIn(path, places, this.names))
      .map(({ method, path, status }) => `${method} ${path} ${status}`);
  }

  /** The most requests since `mark` that are not a storm: a few, and some more for each retry. */
  get bound(): number {
    return 6 + 4 * Math.floor((Date.now() - this.#quiet.at) / 10_000);
  }

  readonly #names = new Set<string>();

  /** The names that the repository has had. */
  get names(): ReadonlySet<string> {
    return this.#names.add(this.repository.name);
  }

  comments({ number }: { number: number }): string {
    return this.repository.comments
      .filter((one) => one.issueNumber === number && one.author.type === 'Bot')
      .map(({ body }) => body)
      .join('\n');
  }

  status(issue: { number: number }): string {
    const bodies = this.repository.comments.filter((one) => one.issueNumber === issue.number);
    return bodies.find(({ body }) => body.includes(':status -->'))?.body ?? '';
  }

  untilStatus(issue: { number: number }, words: RegExp): Promise<true> {
    return this.scene.until(`the status ${String(words)}`, () =>
      words.test(this.status(issue).split('\n')[0] ?? ''),
    );
  }

  pulls(): PullRequest[] {
    return this.repository.issues.filter(isPull);
  }

  untilPull(): Promise<PullRequest> {
    return this.scene.until('a pull request', () => this.pulls()[0]);
  }

  /** The session page of an issue, as text. */
  async page({ number }: { number: number }): Promise<string> {
    const { stage } = this.scene;
    const list = await stage.readPage('/sessions');
    const own = list
      .split('<li>')
      .find((row) => textOf(row).includes(`/${this.repository.name} #${number}`));
    const [, id = ''] = /href="\/sessions\/([\w-]+)"/.exec(own ?? '') ?? [];
    return textOf(await stage.readPage(`/sessions/${id}`));
  }
}

const textOf = (page: string): string =>
  page
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ');

const isIn = (path: string, [owner = '', ...ids]: string[], names: ReadonlySet<string>): boolean =>
  ids.some((id) => path.includes(id)) ||
  [...names].some((name) => new RegExp(`${owner}${name}(?:\\.git)?(?:/|\\?|$)`).test(path));
