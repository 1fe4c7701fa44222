// Tells open pages what is new. However many pages show a session, it is read and rendered once for all of them.
import type { Logger } from 'pino';
import { messageOf } from '../../lib/errors.ts';

/** What a page that has all up to one entry needs to have all up to `seq`. */
export interface Update {
  readonly seq: number;
  /** A document with the parts that changed; `undefined`: so much is new that the page is better loaded again. */
  readonly html: string | undefined;
  /** Nothing follows until someone asks for more work. */
  readonly isLast: boolean;
}

export interface FeedSource {
  /** The `seq` of the newest entry of each of these sessions, as far as they exist. */
  newest(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** `mayWrite`: for someone with write access. `undefined`: the session was deleted. */
  update(id: string, after: number, mayWrite: boolean): Promise<Update | undefined>;
}

export interface Watcher {
  update(news: Update): void;
  /** The session is gone. */
  end(): void;
  /** It is the page of someone with write access. */
  readonly mayWrite?: boolean;
}

interface Watch {
  readonly watcher: Watcher;
  /** The last entry that it has. */
  after: number;
}

/** Pages of one kind are told the same. */
const kindOf = ({ after, watcher }: Watch): string => `${after} ${watcher.mayWrite ?? false}`;

const INTERVAL_MS = 1000;

/** Asks for news of all watched sessions together, once a second, and only while someone watches. */
export class SessionFeed {
  readonly #source: FeedSource;
  readonly #log: Logger;
  readonly #intervalMs: number;
  readonly #watched = new Map<string, Set<Watch>>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;
  /** Someone came while it looked. */
  #isAsked = false;

  constructor(source: FeedSource, log: Logger, intervalMs = INTERVAL_MS) {
    this.#source = source;
    this.#log = log;
    this.#intervalMs = intervalMs;
  }

  /** The watcher is told at once what it lacks, then what is new. Returns a function that ends this. */
  watch(id: string, after: number, watcher: Watcher): () => void {
    const watch: Watch = { watcher, after };
    this.#watched.set(id, (this.#watched.get(id) ?? new Set()).add(watch));
    this.#ask(0);
    return () => {
      const watches = this.#watched.get(id);
      watches?.delete(watch);
      if (watches?.size === 0) this.#watched.delete(id);
    };
  }

  #ask(delayMs: number): void {
    this.#isAsked ||= delayMs === 0;
    if (this.#isLooking) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#look(), delayMs).unref();
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    this.#isAsked = false;
    try {
      // Who comes meanwhile is told at the next look.
      const ids = [...this.#watched.keys()];
      const newest = await this.#source.newest(ids);
      for (const id of ids) await this.#tell(id, this.#watched.get(id), newest.get(id));
    } catch (error) {
      this.#log.warn({ reason: messageOf(error) }, 'failed to read what is new for open pages');
    }
    this.#isLooking = false;
    if (this.#watched.size > 0) this.#ask(this.#isAsked ? 0 : this.#intervalMs);
  }

  async #tell(
    id: string,
    watches: ReadonlySet<Watch> | undefined,
    newest: number | undefined,
  ): Promise<void> {
    if (watches === undefined) return;
    if (newest === undefined) return this.#end(watches);
    const behind = [...watches].filter(({ after }) => after < newest);
    for (const group of Map.groupBy(behind, kindOf).values()) {
      const [{ after, watcher }] = group as [Watch];
      const news = await this.#source.update(id, after, watcher.mayWrite ?? false);
      if (news === undefined) return this.#end(watches);
      for (const watch of group) {
        watch.after = news.seq;
        if (watches.has(watch)) watch.watcher.update(news);
      }
    }
  }

  #end(watches: ReadonlySet<Watch>): void {
    for (const { watcher } of watches) watcher.end();
  }
}
