// The work on an issue or a pull request to its end, among people who do not wait for each other.
import { SAMPLE } from '../../packages/local-github/src/sample/index.ts';
import type { Scene } from '../e2e/scene.ts';
import { ASK_FIRST, QUESTION } from './colleague.ts';
import { comment, doSomething, mention, resolveCommand, strangersComment } from './deeds.ts';
import { answeredFaults, pushesOf, wholeFaults, type Evidence } from './faults.ts';
import { forkFaults } from './fork-faults.ts';
import type { ModelEndpoint } from './model-endpoint.ts';
import { Place } from './place.ts';
import { oneIn, oneOf, type Randomness } from './randomness.ts';
import type { ReorderingProxy } from './reordering-proxy.ts';
import type { SessionWatch } from './session-watch.ts';
import { stackFaults } from './stack-faults.ts';

export interface Parts {
  readonly scene: Scene;
  readonly proxy: ReorderingProxy;
  readonly model: ModelEndpoint;
  readonly watch: SessionWatch;
}

/** What went wrong, each a sentence, and how much happened. */
export interface Played {
  readonly faults: readonly string[];
  readonly rounds: number;
  readonly pushes: number;
}

const MOST_QUESTIONS = 3;

/** `stack`: two issues, the second of which depends on the pull request of the first. */
export type Kind = 'issue' | 'stack' | 'branch' | 'fork';

export class Scenario {
  readonly #parts: Parts;
  readonly #kind: Kind;
  readonly #name: string;
  readonly #random: Randomness;
  readonly #places: Place[] = [];
  readonly #faults: string[] = [];
  #wasBelowFirst = false;

  private constructor(parts: Parts, kind: Kind, name: string, random: Randomness) {
    this.#parts = parts;
    this.#kind = kind;
    this.#name = name;
    this.#random = random;
  }

  static play(parts: Parts, kind: Kind, name: string, random: Randomness): Promise<Played> {
    parts.model.expect(name, random);
    return new Scenario(parts, kind, name, random).#play();
  }

  async #play(): Promise<Played> {
    const first = await this.#openFirst();
    const waves = 2 + this.#random.below(2);
    for (let wave = 0; wave < waves; wave += 1) {
      for (const place of this.#open) await doSomething(place, this.#random);
      await this.#goOn(first);
      if (wave === 0 && this.#kind === 'stack') await this.#endBelow();
    }
    await this.#settle();
    if (this.#kind === 'branch') await this.#allowPushes(first);
    await this.#findAnswered();
    for (const place of this.#open) await this.#end(place);
    await this.#settle();
    return this.#whole();
  }

  /** Those that are not over. */
  get #open(): readonly Place[] {
    return this.#places.filter(({ ended }) => ended === undefined);
  }

  async #openFirst(): Promise<Place> {
    const { scene, proxy } = this.#parts;
    const [name, random] = [this.#name, this.#random];
    const listen = (repository: string) => proxy.shuffle(repository, random);
    if (this.#kind === 'branch' || this.#kind === 'fork') {
      const theirs = await Place.ofOthers(this.#kind, scene, name, random, listen);
      this.#places.push(theirs);
      await this.#beginOnTheirs(theirs);
      return theirs;
    }
    const place = await Place.open(scene, name, random, listen);
    this.#places.push(place);
    await this.#begin(place);
    if (this.#kind === 'stack') await this.#beginAbove(place);
    return place;
  }

  /** Until there is a pull request that is ready. */
  async #begin(place: Place): Promise<void> {
    const { scene, issue } = place;
    const { maintainer } = scene;
    const thread = place.thread(issue);
    this.#say(place, 'before the label');
    maintainer.label(thread, 'bug');
    maintainer.label(thread, SAMPLE.label);
    this.#say(place, 'after the label');
    await this.#settle();
    if (!(issue.body ?? '').includes(ASK_FIRST)) return;
    const asked = place.repository.comments.some(({ body }) => body.includes(QUESTION));
    if (!asked) throw new Error(`${issue.title}: nothing was asked`);
    this.#say(place, 'the answer');
    await this.#settle();
  }

  async #beginAbove(below: Place): Promise<void> {
    const name = `${this.#name} above`;
    this.#parts.model.expect(name, this.#random);
    const place = below.above(name);
    this.#places.push(place);
    await doSomething(below, this.#random);
    await this.#begin(place);
  }

  /** The pull request below is merged or closed before people are done with the one above. */
  async #endBelow(): Promise<void> {
    const [below] = this.#open;
    if (below === undefined || !oneIn(this.#random, 2)) return;
    await this.#settle();
    await this.#findAnswered();
    for (const place of this.#open.slice(1)) await doSomething(place, this.#random);
    await this.#end(below);
    this.#wasBelowFirst = true;
    if (below.ended === 'merge' && oneIn(this.#random, 2))
      await below.scene.maintainer.deleteBranch(below.repository, below.branch);
  }

  /** Until the first request is worked on, and people have allowed it if the branch is protected. */
  async #beginOnTheirs(place: Place): Promise<void> {
    const { maintainer } = place.scene;
    const isProtected = place.target === 'branch' && oneIn(this.#random, 3);
    if (isProtected) maintainer.addRuleset(place.repository, rulesFor(place.branch));
    await mention(place, this.#random);
    if (oneIn(this.#random, 2)) await doSomething(place, this.#random);
    if (!isProtected) return;
    await this.#settle();
    maintainer.comment(place.thread(place.issue), 'Yes, please.');
  }

  /** What came in before the yes may have been taken for another answer: then a later request is asked about again. */
  async #allowPushes(place: Place): Promise<void> {
    const { maintainer } = place.scene;
    for (let times = 0; times < MOST_QUESTIONS; times += 1) {
      const { sessions } = await this.#evidence(place);
      if (sessions[0]?.state !== 'waiting(answer)') return;
      maintainer.comment(place.thread(place.issue), 'Yes, please.');
      await this.#settle();
    }
  }

  /** After three runs that only CI and GitHub asked for, a person has to ask for what they want next. */
  async #askForBots(place: Place): Promise<void> {
    const { sessions } = await this.#evidence(place);
    if (sessions[0]?.state !== 'waiting(person)') return;
    await resolveCommand(place, this.#random);
    await this.#settle();
  }

  /** On the issue: there is no pull request yet. */
  #say(place: Place, when: string): void {
    const { maintainer, github } = place.scene;
    const thread = place.thread(place.issue);
    const words = place.words();
    const { id } = maintainer.comment(thread, words);
    place.heard({ words, kind: 'said', on: 'issue', id });
    if (!oneIn(this.#random, 2)) return;
    const strange = place.words();
    const other = github.as('stranger').comment(thread, `${strange} ${when}`);
    place.heard({ words: strange, kind: 'stranger', on: 'issue', id: other.id });
  }

  /** To the next wave: once all is quiet, while the model thinks, or at once. */
  async #goOn({ repository, issue }: Place): Promise<void> {
    const { proxy, model } = this.#parts;
    const when = oneOf(this.#random, ['quiet', 'thinking', 'at once'] as const);
    if (when === 'quiet') return this.#settle();
    const asked = model.untilAsked(issue.title);
    await proxy.deliver(repository.name, { all: false });
    if (when === 'thinking')
      await Promise.race([asked, this.#parts.watch.untilAtRest(repository.id)]);
    return undefined;
  }

  /** Until all webhooks are delivered, and nothing follows from them any more. */
  async #settle(): Promise<void> {
    const { proxy, watch, scene } = this.#parts;
    const [{ repository }] = this.#places as [Place];
    do {
      await scene.github.webhooksSent();
      await proxy.deliver(repository.name, { all: true });
      await watch.untilAtRest(repository.id);
      await scene.github.webhooksSent();
    } while (proxy.holdsAny(repository.name));
  }

  /** The pull request is merged or closed, or the issue is, while people still talk. */
  async #end(place: Place): Promise<void> {
    const { scene, issue, pull, target } = place;
    const { maintainer } = scene;
    if (oneIn(this.#random, 3) && target === 'issue') await comment(place, this.#random);
    const ways = ['merge', 'merge', 'close', 'close the issue'] as const;
    const how = oneOf(this.#random, target === 'issue' ? ways : ways.slice(0, 3));
    place.ended = how === 'merge' && !(await this.#isMerged(place)) ? 'close' : how;
    if (place.ended !== 'merge')
      await maintainer.close(place.thread(place.ended === 'close' ? pull : issue));
    if (oneIn(this.#random, 3)) await strangersComment(place, this.#random);
  }

  /** A push to the base branch may be in conflict with it: then the App resolves that, or it is somebody else's to mend. */
  async #isMerged(place: Place): Promise<boolean> {
    const merge = () => place.scene.maintainer.merge(place.thread(place.pull));
    try {
      await merge();
    } catch {
      if (place.target !== 'issue') return false;
      await resolveCommand(place, this.#random);
      await this.#settle();
      await merge();
    }
    return true;
  }

  async #findAnswered(): Promise<void> {
    for (const place of this.#open) await this.#askForBots(place);
    for (const place of this.#open)
      this.#faults.push(...(await answeredFaults(await this.#evidence(place))));
  }

  async #whole(): Promise<Played> {
    const all: Evidence[] = [];
    for (const place of this.#places) all.push(await this.#evidence(place));
    for (const evidence of all) this.#faults.push(...(await wholeFaults(evidence)));
    const [first, above] = all as [Evidence, Evidence?];
    if (above !== undefined) this.#faults.push(...stackFaults(first, above, this.#wasBelowFirst));
    if (this.#kind === 'fork') this.#faults.push(...(await forkFaults(first)));
    const rounds = all.flatMap(({ entries }) =>
      entries.filter(({ type }) => type === 'run_started'),
    );
    const pushes = this.#places.flatMap((place) => pushesOf(place));
    return { faults: this.#faults, rounds: rounds.length, pushes: pushes.length };
  }

  async #evidence(place: Place): Promise<Evidence> {
    const { watch, model } = this.#parts;
    const { repository, issue } = place;
    const sessions = await watch.sessions(repository.id, issue.number);
    const [session] = sessions;
    if (session === undefined) throw new Error(`${issue.title} has no session`);
    return {
      place,
      sessions,
      entries: await watch.journal(session.id),
      conversation: model.conversation(issue.title),
    };
  }
}

/** Only people may change the branch, and the App. */
const rulesFor = (branch: string) => ({
  name: 'Checks',
  enforcement: 'active' as const,
  conditions: { ref_name: { include: [`refs/heads/${branch}`], exclude: [] } },
  bypass_actors: [{ actor_id: 1, actor_type: 'Integration' as const }],
  rules: [
    {
      type: 'required_status_checks' as const,
      parameters: { required_status_checks: [{ context: 'test' }] },
    },
  ],
});
