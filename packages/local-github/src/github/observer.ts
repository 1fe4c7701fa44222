// Who hears of every request to the local GitHubs of this process, and of every webhook: nobody, unless a test does.

/** A request to the API, and the answer of the local GitHub, before what faults make of it. */
export interface Exchange {
  readonly method: string;
  /** The path of the route, such as `/repos/:owner/:repo/issues`. */
  readonly route: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly status: number;
  readonly answer: unknown;
}

export interface Observer {
  answered(exchange: Exchange): void;
  /** A webhook is sent; not when it is delivered again. */
  sent(event: string, payload: Readonly<Record<string, unknown>>): void;
  /** The local GitHub is closed. What this throws, `LocalGitHub.close` rejects with. */
  closed(): void;
}

/** The global that makes an observer for each local GitHub. The code of tests is loaded twice, so no import leads to it. */
const OBSERVE = Symbol.for('issuewright.observe-local-github');

export function observerOfProcess(): Observer | undefined {
  const observe = Reflect.get(globalThis, OBSERVE) as (() => Observer) | undefined;
  return observe?.();
}
