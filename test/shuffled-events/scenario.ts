// One issue from its label to the end of its pull request, among people who do not wait for each other.
import { SAMPLE } from '../../playground/sample/index.ts';
import type { Scene } from '../e2e/scene.ts';
import { ASK_FIRST, QUESTION } from './colleague.ts';
import { comment, doSomething, strangersComment } from './deeds.ts';
import { answeredFaults, pushesOf, wholeFaults, type Evidence } from './faults.ts';
import type { ModelEndpoint } from './model-endpoint.ts';
import { Place } from './place.ts';
import { oneIn, oneOf, type Randomness } from './randomness.ts';
import type { ReorderingProxy } from './reordering-proxy.ts';
import type { SessionWatch } from './session-watch.ts';

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

export class Scenario {
  readonly #parts: Parts;
  readonly #place: Place;
  readonly #random: Randomness;

  private constructor(parts: Parts, place: Place, random: Randomness) {
    this.#parts = parts;
    this.#place = place;
    this.#random = random;
  }

  static async play(parts: Parts, name: string, random: Randomness): Promise<Played> {
    const { scene, proxy, model } = parts;
    model.expect(name, random);
    const place = await Place.open(scene, name, random, (repository) =>
      proxy.shuffle(repository, random),
    );
    return new Scenario(parts, place, random).#play();
  }

  async #play(): Promise<Played> {
    await this.#begin();
    const waves = 2 + this.#random.below(2);
    for (let wave = 0; wave < waves; wave += 1) {
      await doSomething(this.#place, this.#random);
      await this.#goOn();
    }
    await this.#settle();
    const faults = await answeredFaults(await this.#evidence());
    await this.#end();
    await this.#settle();
    const evidence = await this.#evidence();
    return {
      faults: [...faults, ...(await wholeFaults(evidence))],
      rounds: evidence.entries.filter(({ type }) => type === 'run_started').length,
      pushes: pushesOf(this.#place).length,
    };
  }

  /** Until there is a pull request that is ready. */
  async #begin(): Promise<void> {
    const { scene, issue } = this.#place;
    const { maintainer } = scene;
    const thread = this.#place.thread(issue);
    this.#say('before the label');
    maintainer.label(thread, 'bug');
    maintainer.label(thread, SAMPLE.label);
    this.#say('after the label');
    await this.#settle();
    if (!(issue.body ?? '').includes(ASK_FIRST)) return;
    const asked = this.#place.repository.comments.some(({ body }) => body.includes(QUESTION));
    if (!asked) throw new Error(`${issue.title}: nothing was asked`);
    this.#say('the answer');
    await this.#settle();
  }

  /** On the issue: there is no pull request yet. */
  #say(when: string): void {
    const { maintainer, github } = this.#place.scene;
    const thread = this.#place.thread(this.#place.issue);
    const words = this.#place.words();
    const { id } = maintainer.comment(thread, words);
    this.#place.heard({ words, kind: 'said', on: 'issue', id });
    if (!oneIn(this.#random, 2)) return;
    const strange = this.#place.words();
    const other = github.as('stranger').comment(thread, `${strange} ${when}`);
    this.#place.heard({ words: strange, kind: 'stranger', on: 'issue', id: other.id });
  }

  /** To the next wave: once all is quiet, while the model thinks, or at once. */
  async #goOn(): Promise<void> {
    const { proxy, model } = this.#parts;
    const { repository, issue } = this.#place;
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
    const { repository } = this.#place;
    do {
      await scene.github.webhooksSent();
      await proxy.deliver(repository.name, { all: true });
      await watch.untilAtRest(repository.id);
      await scene.github.webhooksSent();
    } while (proxy.holdsAny(repository.name));
  }

  /** The pull request is merged or closed, or the issue is, while people still talk. */
  async #end(): Promise<void> {
    const { scene, issue, pull } = this.#place;
    const { maintainer } = scene;
    if (oneIn(this.#random, 3)) await comment(this.#place, this.#random);
    const how = oneOf(this.#random, ['merge', 'merge', 'close', 'close the issue'] as const);
    if (how === 'merge') await maintainer.merge(this.#place.thread(pull));
    else await maintainer.close(this.#place.thread(how === 'close' ? pull : issue));
    if (oneIn(this.#random, 3)) await strangersComment(this.#place, this.#random);
    this.#place.ended = how;
  }

  async #evidence(): Promise<Evidence> {
    const { watch, model } = this.#parts;
    const { repository, issue } = this.#place;
    const sessions = await watch.sessions(repository.id);
    const [session] = sessions;
    if (session === undefined) throw new Error(`${issue.title} has no session`);
    return {
      place: this.#place,
      sessions,
      entries: await watch.journal(session.id),
      conversation: model.conversation(issue.title),
    };
  }
}
