import type { Message } from '../contracts/model.ts';
import type { Entry } from '../session/entries/entry.ts';

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  readonly repository: { readonly owner: string; readonly name: string };
  readonly issue: number;
  readonly title?: string | undefined;
  /** One of the states of `session/state.ts`. */
  readonly state: string;
  readonly updatedAt: Date;
  readonly pullRequest?: number | null | undefined;
}

/** What a model is sent. */
export interface Prompt {
  readonly system: string;
  readonly messages: readonly Message[];
}

/** Where the pages get what they show. */
export interface SessionSource {
  /** In the order in which they are to be shown. */
  list(): Promise<readonly SessionSummary[]>;
  /** The whole journal, oldest entry first; `undefined` for an unknown session. */
  journal(id: string): Promise<readonly Entry[] | undefined>;
  /** The request that follows these entries of a journal, from its first on. */
  prompt(entries: readonly Entry[]): Prompt;
}
