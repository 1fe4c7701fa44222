// Trouble on order: answers that are held back, lost or refused, and pushes that git declines.
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Repository } from './state.ts';

export interface RequestPattern {
  /** `GET`, `POST`, …; any when left out. */
  readonly method?: string | undefined;
  /** Tested on the path as it was called, without `/api/v3` and without the query. */
  readonly path: RegExp;
}

/** One answer that is being held back. */
export interface Hold {
  /** Resolves when the request has taken effect and its answer is ready. */
  readonly applied: Promise<void>;
  /** Lets the answer go. */
  release(): void;
  /** Breaks the connection instead of answering. */
  drop(): void;
}

export interface Failure extends RequestPattern {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** How many requests fail; 1 when left out. */
  readonly times?: number;
}

type Verdict = 'answer' | 'drop';

interface PendingHold {
  readonly pattern: RequestPattern;
  readonly apply: () => void;
  readonly verdict: Promise<Verdict>;
  readonly decide: (verdict: Verdict) => void;
}

export class Faults {
  readonly #holds = new Set<PendingHold>();
  readonly #held = new Set<PendingHold>();
  readonly #failures: { failure: Failure; left: number }[] = [];
  readonly #repositories: () => Iterable<Repository>;

  constructor(repositories: () => Iterable<Repository>) {
    this.#repositories = repositories;
  }

  /** Holds the answer of the next request that matches, and of that one only. */
  hold(pattern: RequestPattern): Hold {
    const applied = Promise.withResolvers<void>();
    const verdict = Promise.withResolvers<Verdict>();
    const hold: PendingHold = {
      pattern,
      apply: applied.resolve,
      verdict: verdict.promise,
      decide: verdict.resolve,
    };
    this.#holds.add(hold);
    return {
      applied: applied.promise,
      release: () => verdict.resolve('answer'),
      drop: () => verdict.resolve('drop'),
    };
  }

  /** The next matching requests are refused before they take effect. Returns what ends that. */
  failNext(failure: Failure): () => void {
    const entry = { failure, left: failure.times ?? 1 };
    this.#failures.push(entry);
    return () => {
      entry.left = 0;
    };
  }

  /** Every push, of those repositories where they are named, is declined with these words, shown by git as `remote: …`, until called with undefined. */
  async rejectPush(
    reason: string | undefined,
    repositories: Iterable<Repository> = this.#repositories(),
  ): Promise<void> {
    for (const { git } of repositories) {
      const file = path.join(git.directory, 'refuse-push');
      if (reason === undefined) await rm(file, { force: true });
      else await writeFile(file, `${reason}\n`);
    }
  }

  /** For the server, before a request is looked at. */
  takeFailure(method: string, pathname: string): Failure | undefined {
    const entry = this.#failures.find(
      ({ failure, left }) => left > 0 && matches(failure, method, pathname),
    );
    if (entry === undefined) return undefined;
    entry.left -= 1;
    return entry.failure;
  }

  /** For the server, before an answer leaves. */
  async beforeAnswer(method: string, pathname: string): Promise<Verdict> {
    const hold = [...this.#holds].find(({ pattern }) => matches(pattern, method, pathname));
    if (hold === undefined) return 'answer';
    this.#holds.delete(hold);
    this.#held.add(hold);
    hold.apply();
    const verdict = await hold.verdict;
    this.#held.delete(hold);
    return verdict;
  }

  /** Nobody is kept waiting for ever. */
  close(): void {
    for (const hold of [...this.#holds, ...this.#held]) hold.decide('drop');
  }
}

function matches(pattern: RequestPattern, method: string, pathname: string): boolean {
  const isMethod = pattern.method === undefined || pattern.method.toUpperCase() === method;
  return isMethod && pattern.path.test(withoutPrefix(pathname));
}

export const withoutPrefix = (pathname: string): string => pathname.replace(/^\/api\/v3(?=\/)/, '');
