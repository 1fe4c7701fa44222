// The entries of a run that make up the model's conversation: the agent's loop yields them, and the
// session's journal holds them.
import type { Effect } from './effect.ts';
import type { NumberedImage } from './image.ts';
import type { Call, Native, Usage } from './model.ts';

/** How the model is asked to call tools; `none`: it has none, and every reply is an answer. */
export type ProtocolName = 'native' | 'json' | 'react' | 'none';

/** A call by the `seq` of the reply that holds it, and its index there, from 0. */
export interface CallPlace {
  readonly reply: number;
  readonly index: number;
}

/** What people said since the last request, as the model reads it. `upTo` is the last entry covered. */
interface InputRead {
  readonly type: 'input_read';
  readonly upTo: number;
  readonly text: string;
  /** Those that it is given with it; missing if there are none. */
  readonly images?: readonly NumberedImage[];
}

/** A note of the service to the model, once per `topic` in a run. */
interface Notice {
  readonly type: 'notice';
  readonly topic: string;
  readonly text: string;
}

export interface Reply {
  readonly type: 'reply';
  /** The protocol that it was read under. */
  readonly protocol: ProtocolName;
  /** The reply verbatim: it goes back to the model as it came. */
  readonly text: string;
  readonly thought: string;
  readonly calls: readonly Call[];
  /**
   * The words in which the model ended its work without a call. `calls` then holds the one call
   * that ends it in the model's name.
   */
  readonly answer: string | null;
  /** What was wrong with its form, as the model is told; none of its calls is run. */
  readonly fault: string | null;
  /** `cut` at the output limit, or `filtered` by the provider's safety filter. */
  readonly stop: 'end' | 'cut' | 'filtered';
  readonly native: Native | null;
  readonly usage: Usage;
  /** US dollars; `null` if the price is not known. */
  readonly cost: number | null;
  /** Milliseconds from the request to the end of the reply. */
  readonly durationMs: number;
}

/** Journaled before a call acts that reaches beyond the workspace. */
interface CallStarted extends CallPlace {
  readonly type: 'call_started';
  readonly title: string;
}

export interface CallFinished extends CallPlace {
  readonly type: 'call_finished';
  readonly ok: boolean;
  readonly output: string;
  readonly effects: readonly Effect[];
  /** The call ended the run; `failed`: its output says why, for people. `repeated`: it was not run again. */
  readonly halt: 'asked' | 'finished' | 'failed' | 'repeated' | null;
  /** How many files of the workspace it changed; counted when it is journaled. */
  readonly changedFiles?: number;
  /** How many of them commits leave out: commands made them, and no call named them. */
  readonly leftOutFiles?: number;
  /** How many of the others are documents beside the code: no test reads them, as a rule. */
  readonly documents?: number;
  /** Of a call without a `call_started`. */
  readonly title?: string;
}

/** The provider does not accept the protocol of the run, which continues with another. */
interface ProtocolChanged {
  readonly type: 'protocol_changed';
  readonly protocol: ProtocolName;
  /** The system prompt, whole, as it is from here on. */
  readonly instructions: string;
  /** Why, for people. */
  readonly reason: string;
}

/** The provider did not accept the images of the conversation, so none of them is sent from here on. */
interface ImagesDropped {
  readonly type: 'images_dropped';
  /** Why, for people. */
  readonly reason: string;
}

/** All but the first message up to the entry `upTo` has left the conversation; 0: nothing has. */
export interface CompactedTurns {
  readonly type: 'compacted';
  readonly upTo: number;
  /** What replaces them; `null` if they were only dropped. */
  readonly summary: string | null;
  readonly usage: Usage;
  readonly cost: number | null;
  /** Milliseconds that the summary took. */
  readonly durationMs: number;
  /** Calls whose results left unread, or were too long for whoever summarised them, in words. */
  readonly notShown?: readonly string[];
  /** The results of the last reply, which the model has not read, are cut to so many characters each. */
  readonly mostOfResults?: number;
  /** Tokens that the model can read, by what its server rejected; missing if it rejected nothing yet. */
  readonly window?: number;
}

/** When a conversation is too long, and what is done about it. */
export interface ReliefSettings {
  /** Older messages are replaced by a summary; `undefined`: they are only dropped. */
  readonly compaction: Compaction | undefined;
  /** Maximum messages per request when compaction is off. */
  readonly maxMessages: number;
}

interface Compaction {
  /** Above so many messages, if set. */
  readonly messages: number | undefined;
  /** Above this part of the model's context window, from 0 to 1, if set. */
  readonly share: number | undefined;
  /** The newest messages, which stay as they are. */
  readonly keepRecent: number;
}

/** What the agent's loop yields, in the order in which it happens. */
export type NewAgentEntry =
  | InputRead
  | Notice
  | Reply
  | CallStarted
  | CallFinished
  | ProtocolChanged
  | ImagesDropped
  | CompactedTurns;

/** Where an entry is in the journal: `seq` counts from 1 in each session, `at` is ISO 8601 UTC. */
export interface JournalPlace {
  readonly seq: number;
  readonly at: string;
}

export type AgentEntry = NewAgentEntry & JournalPlace;

/** Why a run failed, reached a limit or was deferred, as facts: `session/texts/run-ends.ts` has the words. */
export type EndCause =
  | {
      readonly because: 'limit';
      /** "50 model replies per run" */
      readonly limit: string;
      /** It counts all runs of the issue: the next one would end at once. */
      readonly isOfIssue?: true;
      /** It was used up before the run began: "$0.18 of $0.18". */
      readonly usedUp?: string;
      /** Other sessions use it up too: the setting, and since when (ISO) it is used up. */
      readonly shared?: { readonly setting: string; readonly since?: string };
    }
  | { readonly because: 'filtered' | 'internal_error' }
  | { readonly because: 'unreadable_replies'; readonly times: number }
  /** `call`: its title; missing if no tool could run it. */
  | { readonly because: 'repeated_call'; readonly times: number; readonly call?: string }
  | { readonly because: 'no_reply'; readonly resumes: number }
  /** An error that has words for people; `attempts`: after how many it is given up, if not the first. */
  | {
      readonly because: 'error' | OutsideCause;
      readonly message: string;
      readonly attempts?: number;
      /** It is a `MergeRejected`. */
      readonly rejectedMerge?: true;
      /** The provider of the model fails, or its quota is used up. */
      readonly isOutage?: true;
    };

/** What a run waits for outside: the App's installation, or room to write on GitHub. */
export type OutsideCause = 'installation' | 'write_budget';

/** What a deferred run waits for if that is no failure of its own. `limit`: a new day or month of a budget. */
export type DeferralCause = OutsideCause | 'limit';

/** How a run ended. `answered`: in the words of the last reply, without tools. */
export type RunEnd =
  | { readonly kind: 'asked' | 'finished' | 'answered' }
  /** `isStill`: the limit was reached before the run began. `conflictsWith`: the branch whose conflicts are not resolved. */
  | {
      readonly kind: 'limit';
      readonly reason: string;
      readonly isOfIssue?: true;
      readonly isStill?: true;
      readonly conflictsWith?: string;
    }
  /** `rejectedMerge`: because of the merge that it began with, without which the next run continues. */
  | { readonly kind: 'failed'; readonly reason: string; readonly rejectedMerge?: true }
  | { readonly kind: 'stopped'; readonly reason: string };

/** How far a run goes: until a call ends it, one reply and its calls, or one answer without tools. */
export type RunMode = 'agent' | 'single' | 'completion';
