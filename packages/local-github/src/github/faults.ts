// Faults that a test can order: delayed, lost or failed answers, and rejected pushes.
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Distortions } from '../distortions.ts';
import type { Repository } from './state.ts';

export interface RequestPattern {
  /** `GET`, `POST`, …; any method by default. */
  readonly method?: string | undefined;
  /** Tested on the requested path, without `/api/v3` and the query. */
  readonly path: RegExp;
}

/** One delayed answer. */
export interface Hold {
  /** Resolves when the request has taken effect and its answer is ready. */
  readonly applied: Promise<void>;
  /** Sends the answer. */
  release(): void;
  /** Closes the connection without an answer. */
  drop(): void;
}

export interface Failure extends RequestPattern {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** How many requests fail; 1 by default. */
  readonly times?: number;
  /** So many matching requests are answered first; 0 by default. */
  readonly after?: number;
}

type Verdict = 'answer' | 'drop';

interface PendingHold {
  readonly pattern: RequestPattern;
  readonly apply: () => void;
  readonly verdict: Promise<Verdict>;
  readonly decide: (verdict: Verdict) => void;
}

export class Faults {
  /** Of answers to requests that have taken effect. Their paths are without `/api/v3` and the query. */
  readonly distortions = new Distortions();
  readonly #holds = new Set<PendingHold>();
  readonly #held = new Set<PendingHold>();
  readonly #failures: { failure: Failure; after: number; left: number }[] = [];
  readonly #repositories: () => Iterable<Repository>;

  constructor(repositories: () => Iterable<Repository>) {
    this.#repositories = repositories;
  }

  /** Delays the answer to the next matching request, but not to later ones. */
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

  /** Makes the next matching requests fail before they take effect. Returns a function that ends this. */
  failNext(failure: Failure): () => void {
    const entry = { failure, after: failure.after ?? 0, left: failure.times ?? 1 };
    this.#failures.push(entry);
    return () => {
      entry.left = 0;
    };
  }

  /**
   * Rejects every push to `repositories` (all by default) and every change of a ref through the API, until it is
   * called with `undefined`. git shows `reason` as `remote: …`.
   */
  async rejectPush(
    reason: string | undefined,
    repositories: Iterable<Repository> = this.#repositories(),
  ): Promise<void> {
    for (const { git } of repositories) {
      const file = path.join(git.directory, 'deny-push');
      if (reason === undefined) await rm(file, { force: true });
      else await writeFile(file, `${reason}\n`);
    }
  }

  /** The server calls this before it handles a request. */
  takeFailure(method: string, pathname: string): Failure | undefined {
    const [entry] = this.#failures
      .filter(({ failure, left }) => left > 0 && matches(failure, method, pathname))
      .filter((one) => (one.after -= 1) < 0);
    if (entry === undefined) return undefined;
    entry.left -= 1;
    return entry.failure;
  }

  /** The server calls this before it sends an answer. */
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

  /** Ends all delays, so that no request waits forever. */
  close(): void {
    this.distortions.close();
    for (const hold of [...this.#holds, ...this.#held]) hold.decide('drop');
  }
}

function matches(pattern: RequestPattern, method: string, pathname: string): boolean {
  const isMethod = pattern.method === undefined || pattern.method.toUpperCase() === method;
  return isMethod && pattern.path.test(withoutPrefix(pathname));
}

export const withoutPrefix = (pathname: string): string => pathname.replace(/^\/api\/v3(?=\/)/, '');
