// The memory that senders may fill before their signatures are checked, of all connections together.

/** What a chunk that is kept costs besides its bytes. */
const CHUNK_OVERHEAD = 512;
/** Shorter chunks are copied into blocks: each by itself would take kilobytes outside of its bytes. */
const LEAST_KEPT = 4096;
const BLOCK = 32 * 1024;

/** A body that is arriving. */
export interface UnverifiedBody {
  /** The bytes so far, without overhead. */
  readonly size: number;
  /** How often bytes were added. */
  readonly pieces: number;
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
  /** The block that small chunks are copied into, and how much of it is used. */
  block: Buffer | undefined;
  used: number;
  size: number;
  pieces: number;
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
    const nothing = { chunks: [], block: undefined, used: 0, size: 0, pieces: 0, cost: 0 };
    const body: Held = { since: this.#now(), end, ...nothing };
    this.#bodies.add(body);
    return {
      get size() {
        return body.size;
      },
      get pieces() {
        return body.pieces;
      },
      add: (chunk) => this.#add(body, chunk),
      take: () => {
        closeBlock(body);
        const whole = Buffer.concat(body.chunks);
        this.#drop(body);
        return whole;
      },
      drop: () => this.#drop(body),
    };
  }

  #add(body: Held, chunk: Buffer): void {
    if (!this.#bodies.has(body)) return;
    const isKept = chunk.length >= LEAST_KEPT;
    const hasRoom = !isKept && body.block !== undefined && body.used + chunk.length <= BLOCK;
    if (!hasRoom && !this.#hold(body, (isKept ? chunk.length : BLOCK) + CHUNK_OVERHEAD)) return;
    if (!hasRoom) closeBlock(body);
    if (isKept) body.chunks.push(chunk);
    else copyInto(body, chunk);
    body.size += chunk.length;
    body.pieces += 1;
  }

  /** Whether the body is still there once there was room for more of it. */
  #hold(body: Held, cost: number): boolean {
    while (this.#cost + cost > this.#limit && this.#bodies.has(body)) this.#endWorst(body);
    if (!this.#bodies.has(body)) return false;
    body.cost += cost;
    this.#cost += cost;
    return true;
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
    body.block = undefined;
  }
}

function copyInto(body: Held, chunk: Buffer): void {
  body.block ??= Buffer.allocUnsafeSlow(BLOCK);
  body.used += chunk.copy(body.block, body.used);
}

function closeBlock(body: Held): void {
  if (body.block !== undefined) body.chunks.push(body.block.subarray(0, body.used));
  body.block = undefined;
  body.used = 0;
}
