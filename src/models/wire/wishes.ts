import type { ServerFault } from './server-fault.ts';

/** What some servers want of a request beyond its API, and say only in an error. */
export interface Wish<Body> {
  readonly name: string;
  /** The servers, and reports of it. */
  readonly source: string;
  /** What the error says. */
  readonly said: RegExp;
  /** Makes a request as the server wants it. Equal parts of two requests stay equal. */
  readonly fulfil: (body: Body) => Body;
  /** If the server still says it, it supports no tools for this model. */
  readonly isOfTools?: true;
}

/** Only the beginning of an error counts: servers may quote the request after it. */
const READ_CHARACTERS = 2000;

/** The wishes of one model on one server, learnt from its errors and kept as long as the model is open. */
export class Wishes<Body> {
  readonly #known: readonly Wish<Body>[];
  readonly #held = new Set<Wish<Body>>();

  constructor(known: readonly Wish<Body>[]) {
    this.#known = known;
  }

  /** The request as the server wants it, as far as that is known. */
  fulfilled(body: Body): Body {
    return this.#known
      .filter((wish) => this.#held.has(wish))
      .reduce((made, { fulfil }) => fulfil(made), body);
  }

  /** For people. */
  get learnt(): readonly string[] {
    return [...this.#held].map(({ name }) => `sends ${name}`);
  }

  holds(name: string): boolean {
    return [...this.#held].some((wish) => wish.name === name);
  }

  /**
   * Learns a wish from an error. `unfulfilled`: the request was already made as the error wants it, and it was about tools.
   * @returns `undefined` if the error is about no wish, or about one that does not help
   */
  learn({ message }: Pick<ServerFault, 'message'>): 'learnt' | 'unfulfilled' | undefined {
    const words = message.slice(0, READ_CHARACTERS);
    const wish = this.#known.find(({ said }) => said.test(words));
    if (wish === undefined) return undefined;
    if (this.#held.has(wish)) return wish.isOfTools === true ? 'unfulfilled' : undefined;
    this.#held.add(wish);
    return 'learnt';
  }
}
