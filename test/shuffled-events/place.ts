// What the work is done on: an issue, or a pull request, with all that people said and did there.
import type { Script } from '../../packages/local-github/src/model/script.ts';
import {
  isPull,
  type Issue,
  type PullRequest,
  type Repository,
  type ReviewComment,
} from '../../packages/local-github/src/github/state.ts';
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import type { Scene } from '../e2e/scene.ts';
import { ASK_FIRST, BROKEN_AT_FIRST, CHECKED, reviewedOf } from './colleague.ts';
import { oneIn, oneOf, type Randomness } from './randomness.ts';

/** What a person said, in words that nobody else uses, praise apart. */
export interface Utterance {
  readonly words: string;
  /**
   * `said`: the model reads it. `aside`: it reads that when it has something else to do. `command`: it is carried out,
   * and not read. `praise`: nothing comes of it but a 👍. `stranger`: the model must never read it. `theirs`: for the author of a pull request; nobody minds if the model reads it.
   * `background`: of an author who may not request work; the model reads it as that, if at all.
   */
  readonly kind: 'said' | 'aside' | 'command' | 'praise' | 'stranger' | 'theirs' | 'background';
  /** Where it was said. */
  readonly on: 'issue' | 'line' | 'review';
  readonly id: number;
}

/** May push, as the maintainer may. */
export const FRIEND = 'friend';
export const STRANGER = 'stranger';
/** Opens a pull request from a fork. */
export const CONTRIBUTOR = 'contributor';

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

/** What people have the work done on: an issue, a branch of someone else, or a pull request from a fork. */
type Target = 'issue' | 'branch' | 'fork';

interface PlaceParts {
  readonly scene: Scene;
  readonly repository: Repository;
  /** Where the head of its pull request is. */
  readonly home: Repository;
  readonly issue: Issue;
  readonly target: Target;
  readonly branch: string;
  readonly count: { words: number };
}

type Listen = (repository: string) => void;

export class Place {
  readonly scene: Scene;
  readonly repository: Repository;
  readonly home: Repository;
  /** The pull request, if it is someone else's. */
  readonly issue: Issue;
  readonly target: Target;
  readonly branch: string;
  readonly utterances: Utterance[] = [];
  /** Commits that people pushed to the branch of the pull request. */
  readonly pushed: string[] = [];
  ended: 'merge' | 'close' | 'close the issue' | undefined;
  readonly #count: PlaceParts['count'];

  private constructor(parts: PlaceParts) {
    this.scene = parts.scene;
    this.repository = parts.repository;
    this.home = parts.home;
    this.issue = parts.issue;
    this.target = parts.target;
    this.branch = parts.branch;
    this.#count = parts.count;
  }

  /** An issue in a repository of its own. `listen` is called before anything happens. */
  static async open(
    scene: Scene,
    name: string,
    random: Randomness,
    listen: Listen,
  ): Promise<Place> {
    const repository = await openRepository(scene, name, random, listen);
    const body = [
      'Please.',
      oneIn(random, 3) ? ASK_FIRST : '',
      oneIn(random, 3) ? BROKEN_AT_FIRST : '',
    ];
    return Place.#onIssue({ scene, repository, count: { words: 0 } }, name, body.join('\n'));
  }

  /** Another issue there, whose work is based on the pull request of this one. */
  above(name: string): Place {
    const { scene, repository, pull } = this;
    const body = `Please.\nDepends on #${pull.number}.`;
    return Place.#onIssue({ scene, repository, count: this.#count }, name, body);
  }

  static #onIssue(
    parts: Pick<PlaceParts, 'scene' | 'repository' | 'count'>,
    title: string,
    body: string,
  ): Place {
    const { scene, repository: home } = parts;
    const issue = scene.maintainer.openIssue(home, { title, body });
    const branch = `issuewright/issue-${issue.number}`;
    return new Place({ ...parts, home, issue, target: 'issue', branch });
  }

  /** The pull request of a friend in a repository of its own, or of a contributor in a fork of it. */
  static async ofOthers(
    target: 'branch' | 'fork',
    scene: Scene,
    name: string,
    random: Randomness,
    listen: Listen,
  ): Promise<Place> {
    const repository = await openRepository(scene, name, random, listen);
    const author = scene.github.as(target === 'fork' ? CONTRIBUTOR : FRIEND);
    const home = target === 'fork' ? await author.fork(repository) : repository;
    const branch = 'theirs';
    const files = { 'theirs.md': 'Theirs.\n' };
    const begun = await author.push(home, { branch, files, message: 'Begin' });
    const head = target === 'fork' ? `${CONTRIBUTOR}:${branch}` : branch;
    const text = { title: name, body: 'Words of its author.' };
    const issue = await author.openPull(repository, { ...text, head, base: 'main' });
    const count = { words: 0 };
    const place = new Place({ scene, repository, home, issue, target, branch, count });
    place.pushed.push(begun);
    return place;
  }

  /** The file that people comment on. */
  get reviewed(): string {
    return reviewedOf(this.issue.title);
  }

  get pulls(): readonly PullRequest[] {
    return this.repository.issues.filter(isPull).filter(({ pull }) => pull.head === this.branch);
  }

  get pull(): PullRequest {
    const [pull] = this.pulls;
    if (pull === undefined) throw new Error(`${this.issue.title} has no pull request`);
    return pull;
  }

  thread({ number }: { readonly number: number }) {
    return { repository: this.repository, number };
  }

  /** New words, ending in a number that occurs once. */
  words(): string {
    this.#count.words += 1;
    return `Words ${this.#count.words}.`;
  }

  heard(utterance: Utterance): void {
    this.utterances.push(utterance);
  }

  git(...args: string[]): Promise<string> {
    return this.scene.gitIn(this.home, ...args);
  }

  head(): Promise<string> {
    return this.git('rev-parse', this.branch);
  }

  /** The first comment of each thread. */
  roots(): readonly ReviewComment[] {
    return this.repository.reviewComments.filter(
      ({ inReplyTo, pullNumber }) => inReplyTo === undefined && pullNumber === this.pull.number,
    );
  }

  inThread({ threadId }: ReviewComment): readonly ReviewComment[] {
    return this.repository.reviewComments.filter((one) => one.threadId === threadId);
  }
}

async function openRepository(
  scene: Scene,
  name: string,
  random: Randomness,
  listen: Listen,
): Promise<Repository> {
  const slug = name.toLowerCase().replaceAll(' ', '-');
  listen(slug);
  return scene.github.createRepository({
    owner: SAMPLE.owner,
    name: slug,
    files: {
      'README.md': '# Disorder\n',
      '.github/local-ci.json': JSON.stringify(CI),
      '.github/issuewright.yml': settings(random),
    },
    collaborators: { [SAMPLE.maintainer]: 'admin', [FRIEND]: 'write' },
  });
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
