import type { Effect } from '../../contracts/effect.ts';
import type {
  CallPlace,
  Journaled,
  NewAgentEntry,
  ProtocolName,
  RunEnd,
  RunMode,
} from '../../contracts/entries.ts';
import type { AskedFor, Intent, Person, RepositoryRef } from './intent.ts';
import type { PublishingEntry } from './publishing-entry.ts';
import type { DeferralCause, WaitEntry } from './wait-entry.ts';

/** The version that is written. Older entries are lifted to it by `upcast` when they are read. */
export const ENTRY_VERSION = 1;

/** What people see of a text on GitHub, as it was when it was judged. */
export interface ShownText {
  /** Markdown without anything that GitHub hides. */
  readonly body: string;
  /** Words of the source that people do not see, in short; missing if there are none. */
  readonly hidden?: string;
}

export interface LineComment extends ShownText {
  readonly path: string;
  readonly line: number | null;
}

/** The text of an issue, as a session works on it. */
export interface ShownIssue extends ShownText {
  readonly title: string;
  /** Digest of the title and the source of the text: says whether it has changed. */
  readonly digest: string;
}

/** A comment that was there when work began, by a person who may ask too. */
export interface EarlierComment extends ShownText {
  readonly id: number;
  readonly author: string;
}

/**
 * `repeated`: GitHub told of it twice. `outdated`: it was taken back before it was looked at.
 * `closed`: work is asked for on a closed issue; `foreign_pull_request`: on a pull request of somebody else.
 * `unreachable`: GitHub does not let us look any more (App removed, repository gone). `forbidden`: nor
 * whether the person may ask, though that can be fixed.
 */
export type RejectionReason =
  | 'not_permitted'
  | 'other_label'
  | 'no_session'
  | 'duplicate'
  | 'outdated'
  | 'issue_closed'
  | 'foreign_pull_request'
  | 'unreachable'
  | 'permission_check_denied';

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
      /** How the repository was reached: changes when the App is installed again or the repository moves. */
      readonly installation: number;
      readonly repository: RepositoryRef;
      readonly sender: Person;
      readonly intent: Intent;
    }
  | {
      readonly type: 'admitted';
      readonly received: number;
      /** The comment or the review itself; missing if it has no text. */
      readonly shown?: ShownText;
      /** The issue that is to be worked on; missing if the model has read it as it is. */
      readonly issue?: ShownIssue;
      readonly lineComments: readonly LineComment[];
      /** What a comment asks of us; `alone`: it says nothing else. Missing: it asks for nothing. */
      readonly ask?: { readonly for: AskedFor; readonly alone: boolean };
      /** It agrees to the plan that waits for that. */
      readonly approves?: true;
      /** Where work begins: what was said before. */
      readonly earlier?: readonly EarlierComment[];
    }
  | {
      readonly type: 'rejected';
      readonly received: number;
      readonly reason: RejectionReason;
      /** The person asked for something, and is told why nothing comes of it. */
      readonly notify?: true;
      /** The least role that may ask, where that is the reason. */
      readonly requiredRole?: string;
      /** What GitHub says, and who can fix it. */
      readonly details?: string;
    }
  /** The operator has paused the service: what this session wants waits. */
  | { readonly type: 'service_paused'; readonly reason: string }
  | { readonly type: 'service_resumed' };

/** `unsafe`: as any program of the service's machine. */
export type ShellKind = 'contained' | 'unsafe';

/** Entries of one run; those of its conversation are in contracts/. */
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
      /** How its commands are run; missing where it cannot run any. */
      readonly shell?: ShellKind;
      /** What of the repository's settings is not followed, and why. Markdown. */
      readonly warnings?: readonly string[];
      /** Its plan comes first: it changes nothing before somebody has agreed to that. */
      readonly planFirst?: true;
      /** The next issue starts once it has finished. */
      readonly continuous?: true;
    }
  | { readonly type: 'run_resumed'; readonly run: number; readonly shell?: ShellKind }
  /** Deferred for a reason that may pass; `until` is an ISO time. */
  | {
      readonly type: 'run_deferred';
      readonly run: number;
      readonly reason: string;
      readonly until: string;
      readonly cause?: DeferralCause;
    }
  /** Paused by a person (the session) or by the operator (the service). */
  | { readonly type: 'run_paused'; readonly run: number }
  /** What a call put out while it ran, in parts; the model does not see it. */
  | ({ readonly type: 'call_output'; readonly text: string } & CallPlace)
  /** What a run that broke off at a limit had not committed was saved on its branch. */
  | { readonly type: 'work_saved'; readonly run: number; readonly effects: readonly Effect[] }
  | { readonly type: 'run_ended'; readonly run: number; readonly end: RunEnd };

export type NewEntry = LifeEntry | RunEntry | NewAgentEntry | WaitEntry | PublishingEntry;

/** An entry as the journal holds it. */
export type Entry = NewEntry & Journaled;

export type EntryOf<T extends NewEntry['type']> = Extract<Entry, { type: T }>;
