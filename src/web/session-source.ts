import type { Message } from '../contracts/model.ts';
import type { MemoryList } from '../contracts/memory.ts';
import type { Entry } from '../session/entry.ts';
import type { JournalPart, Range } from './journal-part.ts';

/** What an id in an address looks like. */
export const SESSION_ID = /^[\w-]{1,64}$/;

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  readonly repository: { readonly owner: string; readonly name: string };
  readonly issue: number;
  /** May be empty. */
  readonly title: string;
  /** One of the states of `session/state.ts`. */
  readonly state: string;
  readonly updatedAt: Date;
  readonly pullRequest?: number | null | undefined;
}

/** The input of a model. */
export interface Prompt {
  readonly system: string;
  readonly messages: readonly Message[];
}

export interface ShownRequest {
  /** The reply to it, or the entry that it follows; `undefined` for the next one. */
  readonly at: number | undefined;
  /** The numbers of all replies of the session, in order. */
  readonly replies: readonly number[];
  readonly prompt: Prompt;
}

/** The data of the pages. */
export interface SessionSource {
  /** In display order. */
  list(): Promise<readonly SessionSummary[]>;
  /** The `seq` of the newest entry of each of these sessions that exists. */
  newest(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** `undefined` for an unknown session. */
  part(id: string, range: Range): Promise<JournalPart | undefined>;
  /** The whole journal in batches, oldest entry first; `undefined` for an unknown session. */
  journal(id: string): Promise<AsyncIterable<readonly Entry[]> | undefined>;
  /** The memories of the session's repository, newest first; `undefined` for an unknown session. */
  memories(id: string): Promise<MemoryList | undefined>;
  /** What the model is sent, see `ShownRequest.at`; `undefined` for an unknown session or entry. */
  request(id: string, at?: number): Promise<ShownRequest | undefined>;
}
