import type { Message } from '../contracts/model.ts';
import type { MemoryList } from '../contracts/memory.ts';
import type { Entry } from '../session/entry.ts';
import type { JournalPart, Range } from './journal-part.ts';

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

/** The data of the pages. */
export interface SessionSource {
  /** In display order. */
  list(): Promise<readonly SessionSummary[]>;
  /** The `seq` of the newest entry; `undefined` for an unknown session. */
  newest(id: string): Promise<number | undefined>;
  /** `undefined` for an unknown session. */
  part(id: string, range: Range): Promise<JournalPart | undefined>;
  /** The whole journal, oldest entry first; `undefined` for an unknown session. */
  journal(id: string): Promise<readonly Entry[] | undefined>;
  /** The memories of the session's repository, newest first; `undefined` for an unknown session. */
  memories(id: string): Promise<MemoryList | undefined>;
  /** The request after these entries, which must begin with the first of the journal. */
  prompt(entries: readonly Entry[]): Prompt;
}
