// One repository with one issue, and what people said and did in it.
import type { Script } from '../../playground/model/script.ts';
import {
  isPull,
  type Issue,
  type PullRequest,
  type Repository,
  type ReviewComment,
} from '../../playground/github/state.ts';
import { SAMPLE } from '../../playground/sample/index.ts';
import type { Scene } from '../e2e/scene.ts';
import { ASK_FIRST, BROKEN_AT_FIRST, CHECKED } from './colleague.ts';
import { oneIn, oneOf, type Randomness } from './randomness.ts';

/** What a person said, in words that nobody else uses. */
export interface Utterance {
  readonly words: string;
  /**
   * `said`: the model reads it. `aside`: it reads that when it has something else to do. `command`: it is carried out,
   * and not read. `stranger`: the model must never read it.
   */
  readonly kind: 'said' | 'aside' | 'command' | 'stranger';
  /** Where it was said. */
  readonly on: 'issue' | 'line' | 'review';
  readonly id: number;
}

/** May push, as the maintainer may. */
export const FRIEND = 'friend';
export const STRANGER = 'stranger';

/** No script: the model of these tests follows none. */
export const NO_SCRIPTS: readonly Script[] = [{ match: 'nothing', turns: [{ raw: 'nothing' }] }];

const CI = [
  {
    name: 'CI',
    jobs: [
      {
        name: 'test',
        steps: [
          {
            name: 'Run npm test',
            log: 'not ok 1 - there is a TODO',
            fails: { path: CHECKED, contains: 'TODO' },
          },
        ],
      },
    ],
  },
];

export class Place {
  readonly scene: Scene;
  readonly repository: Repository;
  readonly issue: Issue;
  readonly utterances: Utterance[] = [];
  /** Commits that people pushed to the branch of the pull request. */
  readonly pushed: string[] = [];
  ended: 'merge' | 'close' | 'close the issue' | undefined;
  #count = 0;

  private constructor(scene: Scene, repository: Repository, issue: Issue) {
    this.scene = scene;
    this.repository = repository;
    this.issue = issue;
  }

  /** `listen` is called before anything happens. Without `random`, everything is as simple as can be. */
  static async open(
    scene: Scene,
    name: string,
    random: Randomness,
    listen: (repository: string) => void,
  ): Promise<Place> {
    const slug = name.toLowerCase().replaceAll(' ', '-');
    listen(slug);
    const repository = await scene.github.createRepository({
      owner: SAMPLE.owner,
      name: slug,
      files: {
        'README.md': '# Disorder\n',
        '.github/local-ci.json': JSON.stringify(CI),
        '.github/issuewright.yml': settings(random),
      },
      collaborators: { [SAMPLE.maintainer]: 'admin', [FRIEND]: 'write' },
    });
    const body = [
      'Please.',
      oneIn(random, 3) ? ASK_FIRST : '',
      oneIn(random, 3) ? BROKEN_AT_FIRST : '',
    ];
    const issue = scene.maintainer.openIssue(repository, { title: name, body: body.join('\n') });
    return new Place(scene, repository, issue);
  }

  get branch(): string {
    return `issuewright/issue-${this.issue.number}`;
  }

  get pulls(): readonly PullRequest[] {
    return this.repository.issues.filter(isPull);
  }

  get pull(): PullRequest {
    const [pull] = this.pulls;
    if (pull === undefined) throw new Error(`${this.issue.title} has no pull request`);
    return pull;
  }

  get isOpen(): boolean {
    return this.pulls[0]?.state === 'open';
  }

  thread({ number }: { readonly number: number }) {
    return { repository: this.repository, number };
  }

  /** New words, ending in a number that occurs once. */
  words(): string {
    this.#count += 1;
    return `Words ${this.#count}.`;
  }

  heard(utterance: Utterance): void {
    this.utterances.push(utterance);
  }

  git(...args: string[]): Promise<string> {
    return this.scene.gitIn(this.repository, ...args);
  }

  head(): Promise<string> {
    return this.git('rev-parse', this.branch);
  }

  /** The first comment of each thread. */
  roots(): readonly ReviewComment[] {
    return this.repository.reviewComments.filter(({ inReplyTo }) => inReplyTo === undefined);
  }

  inThread({ threadId }: ReviewComment): readonly ReviewComment[] {
    return this.repository.reviewComments.filter((one) => one.threadId === threadId);
  }
}

/** What costs time and has stories of its own is on in one repository of three. */
function settings(random: Randomness): string {
  const threads = oneOf(random, ['own', 'never']);
  const publish = oneOf(random, ['auto', 'push', 'verified']);
  return [
    'fix_ci: own',
    'comment_wait: 1',
    `resolve_threads: ${threads}`,
    `commits: { publish: ${publish} }`,
    ...(publish === 'auto' ? [] : ['self_review: false', 'duplicates: off']),
    '',
  ].join('\n');
}
