import type { Intent, Person, RepositoryRef } from './intent.ts';

/** The version that is written. Older entries are lifted to it by `upcast` when they are read. */
export const ENTRY_VERSION = 1;

export interface Usage {
  /** Tokens of the request; `cached` of them were read from the provider's cache, `written` to it. */
  readonly input: number;
  readonly cached: number;
  readonly written: number;
  /** Tokens of the reply; `reasoning` of them were never shown. */
  readonly output: number;
  readonly reasoning: number;
}

export interface PlanItem {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
}

export interface CommittedFile {
  readonly path: string;
  readonly status: 'added' | 'modified' | 'deleted';
}

export type FinishOutcome = 'done' | 'nothing_to_do' | 'cannot';

export interface AskedQuestion {
  readonly text: string;
  /** The answer that the agent proposes. */
  readonly proposal?: string;
}

/** What a tool call changed beyond the files of the workspace. Views are computed from these. */
export type Effect =
  | { readonly type: 'plan'; readonly items: readonly PlanItem[] }
  | {
      readonly type: 'question';
      /** All of it as one text. */
      readonly text: string;
      /** One by one. Journals written before there were several have the text alone. */
      readonly items?: readonly AskedQuestion[];
    }
  /** The changes that the next commit takes, by path; `null`: all again. */
  | { readonly type: 'chosen'; readonly paths: readonly string[] | null }
  /** The words at the end of the name of the session's branch. */
  | { readonly type: 'branch'; readonly words: string }
  | {
      readonly type: 'commit';
      readonly sha: string;
      readonly message: string;
      readonly files: readonly CommittedFile[];
      /** Changes were left out of it: those stored before it are still to be committed. */
      readonly partial?: true;
    }
  | {
      readonly type: 'pull_request';
      readonly number: number;
      readonly url: string;
      readonly title: string;
      readonly said: string;
    }
  | {
      readonly type: 'review_requested';
      readonly pullRequest: number;
      /** Logins. */
      readonly from: readonly string[];
    }
  /** A comment in the agent's own words, on any issue or pull request. */
  | { readonly type: 'comment'; readonly issue: number; readonly url: string }
  | { readonly type: 'finish'; readonly outcome: FinishOutcome; readonly summary: string };

/** A tool call as the model wrote it; `arguments` is whatever JSON stood there. */
export interface Call {
  readonly tool: string;
  readonly arguments: unknown;
  /** The provider's name for it; text protocols have none. */
  readonly id?: string;
  /** Why the arguments could not be read. */
  readonly fault?: string;
}

/** How the model is asked to call tools; `none`: it has none, and answers. */
export type ProtocolName = 'native' | 'json' | 'react' | 'none';

/**
 * How far a run goes: until it is finished or has a question, one reply and what it asks for, or
 * one answer in words.
 */
export type RunMode = 'agent' | 'single' | 'completion';

export interface LineComment {
  readonly path: string;
  readonly line: number | null;
  readonly body: string;
}

/** `unreachable`: GitHub does not let us look any more (App removed or suspended, repository gone). */
export type RefusalReason = 'no_write' | 'other_label' | 'no_session' | 'unreachable';

export type RunEnd =
  | { readonly kind: 'asked' }
  | { readonly kind: 'finished' }
  /** A run without tools: the last reply is the answer. */
  | { readonly kind: 'answered' }
  | { readonly kind: 'limit'; readonly words: string }
  | { readonly kind: 'failed'; readonly words: string }
  | { readonly kind: 'stopped'; readonly words: string };

/** Entries about the session as a whole. `received` fields name an entry's `seq`. */
type LifeEntry =
  | {
      readonly type: 'opened';
      readonly installation: number;
      readonly repository: RepositoryRef;
      readonly issue: number;
    }
  | {
      readonly type: 'received';
      readonly delivery: string;
      /** How the repository was reached: changes when the App is installed anew or the repository moves. */
      readonly installation: number;
      readonly repository: RepositoryRef;
      readonly sender: Person;
      readonly intent: Intent;
    }
  | {
      readonly type: 'admitted';
      readonly received: number;
      readonly lineComments: readonly LineComment[];
    }
  | { readonly type: 'refused'; readonly received: number; readonly reason: RefusalReason }
  | {
      readonly type: 'published';
      readonly key: string;
      readonly id: number;
      readonly url: string;
    };

/** Entries of one run: what the model was told, what it answered, what came of it. */
type RunEntry =
  | { readonly type: 'run_started'; readonly run: number }
  | {
      readonly type: 'run_prepared';
      readonly run: number;
      readonly model: string;
      /** Who receives the code and the comments: "OpenAI (api.openai.com)". */
      readonly destination: string;
      readonly protocol: ProtocolName;
      readonly mode: RunMode;
      /** The system prompt, whole. */
      readonly instructions: string;
      readonly branch: string;
      readonly baseBranch: string;
      /** The commit that the workspace is cloned at. */
      readonly baseCommit: string;
      /** Lines at the end of every commit message: who asked for the work. */
      readonly trailers?: readonly string[];
    }
  | { readonly type: 'run_resumed'; readonly run: number }
  /** Put aside for a reason that may pass; `until` is an ISO time. */
  | {
      readonly type: 'run_parked';
      readonly run: number;
      readonly reason: string;
      readonly until: string;
    }
  | { readonly type: 'input_taken'; readonly upTo: number; readonly text: string }
  /** What the service told the model of its own accord, once for each topic in a run. */
  | { readonly type: 'notice'; readonly topic: string; readonly text: string }
  | {
      readonly type: 'reply';
      readonly protocol: ProtocolName;
      readonly text: string;
      readonly thought: string;
      readonly calls: readonly Call[];
      /** The words in which the model ended its work without a call; `calls` has the one made for it. */
      readonly answer: string | null;
      /** What was wrong with the form of the reply, as the model is told; no call of it is run. */
      readonly fault: string | null;
      /** `cut` at the output limit, or `refused` by the provider's safety filter. */
      readonly stop: 'end' | 'cut' | 'refused';
      /** Wire items that go back to the provider verbatim. */
      readonly native: { readonly key: string; readonly value: unknown } | null;
      readonly usage: Usage;
      /** US dollars; `null`: the price is not known. */
      readonly cost: number | null;
      /** Milliseconds from the request to the end of the reply. */
      readonly took: number;
    }
  | {
      readonly type: 'call_started';
      readonly reply: number;
      readonly index: number;
      readonly title: string;
    }
  | {
      readonly type: 'call_finished';
      readonly reply: number;
      readonly index: number;
      readonly ok: boolean;
      readonly output: string;
      readonly effects: readonly Effect[];
      /** The call ended the run: a question waits for its answer, the work is over, or it cannot go on. */
      readonly halt: 'asked' | 'finished' | 'failed' | null;
    }
  /** The provider refused the protocol of the run; it goes on with another. */
  | {
      readonly type: 'protocol_changed';
      readonly protocol: ProtocolName;
      readonly instructions: string;
      readonly reason: string;
    }
  /** The conversation up to `upTo`, but for its first message, was replaced by a summary, or dropped. */
  | {
      readonly type: 'compacted';
      readonly upTo: number;
      readonly summary: string | null;
      readonly usage: Usage;
      readonly cost: number | null;
      readonly took: number;
    }
  /** What a run that broke off at a limit had not committed was saved on its branch. */
  | { readonly type: 'work_kept'; readonly run: number; readonly effects: readonly Effect[] }
  | { readonly type: 'run_ended'; readonly run: number; readonly end: RunEnd };

export type NewEntry = LifeEntry | RunEntry;

/** An entry as it stands in the journal: `seq` counts from 1 in each session, `at` is ISO 8601 UTC. */
export type Entry = NewEntry & { readonly seq: number; readonly at: string };

export type EntryOf<T extends NewEntry['type']> = Extract<Entry, { type: T }>;
