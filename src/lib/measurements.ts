// What code tells of its work, for whoever counts it. The channels are Node's own: without a listener, telling costs nothing.
import { channel } from 'node:diagnostics_channel';
import { TellModel, TellPerson, TryLater } from './errors.ts';

/** `later`: it may succeed another time. `denied`: a person or the model has to do something about it. */
export type WorkOutcome = 'ok' | 'later' | 'denied' | 'failed';

/** By kind. No text of people, and no name that anyone outside can choose. */
export interface Measurements {
  readonly delivery: { readonly outcome: 'accepted' | 'invalid' | 'failed' };
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
  readonly write_room: { readonly outcome: 'granted' | 'deferred'; readonly seconds: number };
  /** `start`: a command could not be started. `network`: it asked for a host that is not allowed. */
  readonly sandbox_refusal: { readonly reason: 'start' | 'network' };
  readonly cache_size: { readonly bytes: number };
  readonly database_connection_lost: Readonly<Record<never, never>>;
}

export type Kind = keyof Measurements;

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

/** Calls `tell` when the work is done, however it ends. */
export async function timed<T>(
  work: () => Promise<T>,
  tell: (ended: {
    readonly outcome: WorkOutcome;
    readonly seconds: number;
    readonly result?: T;
  }) => void,
): Promise<T> {
  const begun = performance.now();
  const seconds = (): number => (performance.now() - begun) / 1000;
  try {
    const result = await work();
    tell({ outcome: 'ok', seconds: seconds(), result });
    return result;
  } catch (error) {
    tell({ outcome: outcomeOf(error), seconds: seconds() });
    throw error;
  }
}
