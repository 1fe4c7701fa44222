// What code tells of its work, for whoever counts or traces it. The channels are Node's own: without a listener, telling costs
// next to nothing.
import type { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import { TellModel, TellPerson, TryLater } from './errors.ts';

/** `later`: it may succeed another time. `denied`: a person or the model has to do something about it. */
export type WorkOutcome = 'ok' | 'later' | 'denied' | 'failed';

/** By kind. No text of people, and no name that anyone outside can choose. */
export interface Measurements {
  /** `dropped`: there was no room for it before its signature was checked. */
  readonly delivery: { readonly outcome: 'accepted' | 'invalid' | 'failed' | 'dropped' };
  /** Since the request. */
  readonly first_sign: { readonly seconds: number };
  readonly pull_request: { readonly seconds: number };
  readonly run: { readonly outcome: string };
  readonly model_request: {
    readonly provider: string;
    readonly model: string;
    readonly outcome: WorkOutcome;
    readonly seconds: number;
    /** `cached` of them are part of `input`. */
    readonly tokens?:
      | { readonly input: number; readonly cached: number; readonly output: number }
      | undefined;
    readonly dollars?: number | null | undefined;
  };
  /** `tool`: one of ours, or `mcp`. */
  readonly tool_call: {
    readonly tool: string;
    readonly outcome: WorkOutcome;
    readonly seconds: number;
  };
  readonly git_operation: {
    readonly operation: string;
    readonly outcome: WorkOutcome;
    readonly seconds: number;
  };
  readonly github_request: { readonly outcome: WorkOutcome; readonly seconds: number };
  /** What GitHub said is left of an hour's requests. `resetAt`: milliseconds since the epoch. */
  readonly github_limit: {
    readonly installation: number;
    readonly requests: number;
    readonly resetAt: number;
  };
  /** What a service, GitHub or a provider, said of our key and what we may use of it. */
  readonly credentials: {
    readonly of: string;
    readonly answer: 'ok' | 'key_rejected' | 'quota_used_up';
  };
  /** Events that were not delivered. Those of a downtime do not count. */
  readonly missed_events: { readonly events: number };
  readonly write_room: { readonly outcome: 'granted' | 'deferred'; readonly seconds: number };
  /** `start`: a command could not be started. `network`: it asked for a host that is not allowed. */
  readonly sandbox_refusal: { readonly reason: 'start' | 'network' };
  readonly cache_size: { readonly bytes: number };
  readonly database_connection_lost: Readonly<Record<never, never>>;
}

type Kind = keyof Measurements;

const channelOf = (kind: Kind) => channel(`issuewright:${kind}`);

export function measured<K extends Kind>(kind: K, measurement: Measurements[K]): void {
  const told = channelOf(kind);
  if (told.hasSubscribers) told.publish(measurement);
}

/** Returns how to stop. */
export function onMeasured<K extends Kind>(
  kind: K,
  listener: (measurement: Measurements[K]) => void,
): () => void {
  const told = channelOf(kind);
  // Only `measured` publishes there.
  const hear = (message: unknown): void => listener(message as Measurements[K]);
  told.subscribe(hear);
  return () => {
    told.unsubscribe(hear);
  };
}

function outcomeOf(error: unknown): WorkOutcome {
  if (error instanceof TryLater) return 'later';
  return error instanceof TellPerson || error instanceof TellModel ? 'denied' : 'failed';
}

/**
 * Something that takes time, as known when it begins. Unlike a measurement it may say what it is about, by ids and names; it has
 * no text of people or models, and no code.
 */
export type Operation =
  /** What is woken by the queue. It is a part of nothing else, whatever woke it. */
  | { readonly kind: 'job' }
  | {
      readonly kind: 'run';
      readonly session: string;
      readonly run: number;
      readonly owner: string;
      readonly repository: string;
      readonly issue: number;
    }
  | { readonly kind: 'model_request'; readonly provider: string; readonly model: string }
  /** `name`: as the model calls it. */
  | { readonly kind: 'tool_call'; readonly name: string }
  | { readonly kind: 'git_operation'; readonly operation: string }
  /** `route`: with placeholders for what it is about, or an address that GitHub named. */
  | { readonly kind: 'github_request'; readonly method: string; readonly route: string }
  | { readonly kind: 'write_room' };

const begins = channel('issuewright:operation_begins');
const ends = channel('issuewright:operation_ends');

/**
 * During an operation, `storage` has what `begun` returned for it, in everything that it awaits; `ended` is called there at its
 * end. What is measured meanwhile is measured there too. Returns how to stop.
 */
export function onOperation<Store>(
  storage: AsyncLocalStorage<Store>,
  begun: (operation: Operation) => Store,
  ended: (outcome: WorkOutcome) => void,
): () => void {
  // Only `within` publishes on these.
  const hear = (outcome: unknown): void => ended(outcome as WorkOutcome);
  begins.bindStore(storage, (operation) => begun(operation as Operation));
  ends.subscribe(hear);
  return () => {
    begins.unbindStore(storage);
    ends.unsubscribe(hear);
  };
}

/** Performs an operation, of which others may be a part. */
export function within<T>(operation: Operation, perform: () => Promise<T>): Promise<T> {
  if (!begins.hasSubscribers) return perform();
  return begins.runStores(operation, async () => {
    try {
      const result = await perform();
      ends.publish('ok');
      return result;
    } catch (error) {
      ends.publish(outcomeOf(error));
      throw error;
    }
  });
}

/** Performs an operation, and calls `tell` when it is done, however it ends. */
export const timed = <T>(
  operation: Operation,
  perform: () => Promise<T>,
  tell: (ended: {
    readonly outcome: WorkOutcome;
    readonly seconds: number;
    readonly result?: T;
  }) => void,
): Promise<T> =>
  within(operation, async () => {
    const begun = performance.now();
    const seconds = (): number => (performance.now() - begun) / 1000;
    try {
      const result = await perform();
      tell({ outcome: 'ok', seconds: seconds(), result });
      return result;
    } catch (error) {
      tell({ outcome: outcomeOf(error), seconds: seconds() });
      throw error;
    }
  });
