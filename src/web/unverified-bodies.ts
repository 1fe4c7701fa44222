// The memory that senders may fill before their signatures are checked, of all connections together.

/** What a chunk costs besides its bytes, so that many tiny chunks are counted as what they take. */
const CHUNK_OVERHEAD = 512;

/** A body that is arriving. */
export interface UnverifiedBody {
  /** The bytes so far, without overhead. */
  readonly size: number;
  /** May end this or other bodies to make room. */
  add(chunk: Buffer): void;
  /** The whole body. Its memory is no longer counted. */
  take(): Buffer;
  /** Drops the body. Safe to repeat. */
  drop(): void;
}

interface Held {
  readonly since: number;
  readonly end: () => void;
  chunks: Buffer[];
  size: number;
  cost: number;
}

/**
 * A limit for all bodies together. When it is reached, the body that has used the most memory for the longest
 * time (bytes × age) is ended: a genuine delivery is small and arrives at once, so strangers who hold memory
 * lose theirs first.
 */
export class UnverifiedBodies {
  readonly #limit: number;
  readonly #now: () => number;
  readonly #bodies = new Set<Held>();
  #cost = 0;

  constructor(limit: number, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  /** The bytes that all bodies take now. Never more than the limit. */
  get cost(): number {
    return this.#cost;
  }

  /** `end` is called if the body is ended to make room. */
  open(end: () => void): UnverifiedBody {
    const body: Held = { since: this.#now(), end, chunks: [], size: 0, cost: 0 };
    this.#bodies.add(body);
    return {
      get size() {
        return body.size;
      },
      add: (chunk) => this.#add(body, chunk),
      take: () => {
        const whole = Buffer.concat(body.chunks);
        this.#drop(body);
        return whole;
      },
      drop: () => this.#drop(body),
    };
  }

  #add(body: Held, chunk: Buffer): void {
    if (!this.#bodies.has(body)) return;
    const cost = chunk.length + CHUNK_OVERHEAD;
    while (this.#cost + cost > this.#limit && this.#bodies.has(body)) this.#endWorst(body);
    if (!this.#bodies.has(body)) return;
    body.chunks.push(chunk);
    body.size += chunk.length;
    body.cost += cost;
    this.#cost += cost;
  }

  #endWorst(newest: Held): void {
    const now = this.#now();
    let worst = newest;
    let most = -1;
    for (const body of this.#bodies) {
      const use = body.cost * (now - body.since);
      if (body.cost === 0 || use <= most) continue;
      worst = body;
      most = use;
    }
    this.#drop(worst);
    worst.end();
  }

  #drop(body: Held): void {
    if (!this.#bodies.delete(body)) return;
    this.#cost -= body.cost;
    body.chunks = [];
  }
}
