import type { ChecksReadEntry } from './parts/session-checks.ts';
import type { Effect } from '../contracts/effect.ts';
import type {
  CallPlace,
  DeferralCause,
  JournalPlace,
  NewAgentEntry,
  ProtocolName,
  RunEnd,
  RunMode,
  ReliefSettings,
} from '../contracts/entries.ts';
import type { TakenSuggestion } from './parts/session-reviews.ts';
import type { Effort } from '../contracts/model.ts';
import type { ImageType } from '../contracts/image.ts';
import type { ImageOfCommands } from '../contracts/shell.ts';
import type {
  Ask,
  Intent,
  SessionOpening,
  Person,
  PlacedAsk,
  RepositoryRef,
  ReviewVerdict,
} from '../contracts/intent.ts';
import type { MergeEntry } from './merge-entry.ts';
import type { ServerTool } from '../contracts/mcp.ts';
import type { MemoryAnswer } from '../contracts/memory.ts';
import type { AdoptedPullRequest, MergeAnswer } from '../contracts/pull-request.ts';
import type { SubIssueStep } from '../contracts/sub-issue-work.ts';
import type { Duplicate } from '../contracts/related-work.ts';
import type {
  EarlierComment,
  LineComment,
  ShownIssue,
  ShownText,
  Suggestion,
} from '../contracts/shown-text.ts';

/** The version that is written. Older entries are lifted to it by `upcast` when they are read. */
export const ENTRY_VERSION = 1;

/**
 * `duplicate`: it is part of a request that was already accepted. `outdated`: it no longer applied. `no_review`: the settings ask for no review
 * of it. `reviews_off`: someone asks for one, and the settings say `off`. `issue_closed`: it requests work on a closed issue or pull request.
 * `pull_request_merged`: on one that is merged, which nobody can reopen. `own_pull_request`: it requests work on a pull request that another session
 * opened. `unreachable`: the App was removed, or the repository deleted. `permission_check_denied`: someone has to let us look up the permission.
 */
export type RejectionReason =
  | 'not_permitted'
  | 'other_label'
  | 'other_type'
  | 'other_assignee'
  | 'no_session'
  | 'duplicate'
  | 'outdated'
  | 'no_review'
  | 'reviews_off'
  | 'issue_closed'
  | 'pull_request_merged'
  | 'own_pull_request'
  | 'unreachable'
  | 'permission_check_denied';

/** What a comment or a label of a person was meant to do. */
export type AttemptKind = 'request' | 'command' | 'approval' | 'answer';

/** Entries about the session as a whole. `received` fields name an entry's `seq`. */
type LifeEntry =
  | ({ readonly type: 'opened' } & SessionOpening)
  | {
      readonly type: 'received';
      readonly delivery: string;
      /** How the repository was reached: changes when the App is installed again or the repository moves. */
      readonly installation: number;
      readonly repository: RepositoryRef;
      readonly sender: Person;
      readonly intent: Intent;
    }
  /** The App was installed again, or the repository was added to another of its installations. */
  | { readonly type: 'reinstalled'; readonly installation: number }
  /** An owner accepted the permissions that the App asks for: something may be possible that was not. */
  | { readonly type: 'permissions_accepted' }
  | {
      readonly type: 'admitted';
      readonly received: number;
      /** The comment or the review itself; missing if it has no text. */
      readonly shown?: ShownText;
      /** The issue that is to be worked on; missing if the model has read it as it is. */
      readonly issue?: ShownIssue;
      /** It requests work on this pull request of someone else. */
      readonly adopts?: AdoptedPullRequest;
      readonly lineComments: readonly LineComment[];
      /** Of a review, if what came in does not say it. */
      readonly verdict?: ReviewVerdict;
      /** Whether a review has something to work on, if its verdict does not say so. */
      readonly remarks?: boolean;
      /** A single comment on a line, or such remarks: it starts a run only after this time (ISO), with what has come in by then. */
      readonly gatherUntil?: string;
      /** What a comment or review asks for; `alone`: it says nothing else. Missing if it asks for nothing. */
      readonly ask?: Omit<Ask, 'to'>;
      /** A person wrote it to others or to nobody by name, and it starts nothing because it does not mention the App. */
      readonly needsMention?: true;
      /** A comment or the words of an approval, by a person, that ask something. */
      readonly isQuestion?: true;
      /** Its author may answer questions, and request nothing. */
      readonly answersOnly?: true;
      /** Of a review: its texts that ask for something. One of these is `ask`. */
      readonly asks?: readonly PlacedAsk[];
      /** It approves the proposed plan, sub-issues, or a change of workflow files. */
      readonly approves?: true | 'sub_issues' | 'workflows';
      /** Its pull request, as it was when this was decided; missing if it was not looked up. */
      readonly pullRequest?: 'open' | 'closed' | 'merged';
      /** GitHub's time of it, if it is not open. */
      readonly closedAt?: string;
      /** The commit that is to be merged when ready: the head of the pull request; missing without one. */
      readonly head?: string;
      /** It allows us to push, as was asked. */
      readonly allowsPush?: true;
      /** Of an edited comment on lines. */
      readonly suggestion?: Suggestion;
      /** The issue has open sub-issues, which are worked on instead of it. */
      readonly subIssues?: true;
      /** If work begins: earlier comments on the issue. */
      readonly earlier?: readonly EarlierComment[];
      /** The issues and pull requests that the work depends on, by their numbers. */
      readonly dependsOn?: readonly number[];
    }
  | {
      readonly type: 'rejected';
      readonly received: number;
      readonly reason: RejectionReason;
      /** The person requested something, and gets a reply that says why it was rejected. */
      readonly notify?: true;
      /** Of a review: its texts that asked for something. */
      readonly asks?: readonly PlacedAsk[];
      /** What the person tried to do. */
      readonly attempt?: AttemptKind;
      /** By the author of the issue or pull request: the model reads it as background, with what someone who may ask says next. */
      readonly background?: ShownText;
      /** The lowest role that may request work, if that is the reason. */
      readonly requiredRole?: string;
      /** What GitHub says, and who can fix it. */
      readonly details?: string;
    }
  | ChecksReadEntry
  /** A command about the repository's memories was carried out. */
  | { readonly type: 'memory_answered'; readonly received: number; readonly answer: MemoryAnswer }
  /** A command to merge when ready was carried out, or one that ends that. */
  | { readonly type: 'merge_answered'; readonly received: number; readonly answer: MergeAnswer }
  /** The operator paused the service, and this session has to wait. */
  | { readonly type: 'service_paused'; readonly reason: string }
  | { readonly type: 'service_resumed' };

/** `unsafe`: like any program on the service's machine, without a sandbox. */
export type ShellKind = 'contained' | 'unsafe';

/** What a run may use; without a field there is no such limit. `dollars`: of the run; `issueDollars`: of all runs. */
export interface RunLimits {
  readonly turns?: number;
  readonly minutes?: number;
  readonly tokens?: number;
  readonly dollars?: number;
  readonly issueDollars?: number;
}

/** Entries of one run; those of its conversation are in contracts/. */
type RunEntry =
  /** `afresh`: with a new conversation. `repliesToRequests`: each request that it reads gets a reply where it was made.
   * `repliesAtOnce`: what the model says to people is published while it works. Both are missing in journals of before these replies. */
  | {
      readonly type: 'run_started';
      readonly run: number;
      readonly afresh?: true;
      readonly repliesToRequests?: true;
      readonly repliesAtOnce?: true;
    }
  | {
      readonly type: 'run_prepared';
      readonly run: number;
      readonly model: string;
      /** Who receives the code and the comments: "OpenAI (api.openai.com)". */
      readonly destination: string;
      /** How much the model thinks; missing: its default. */
      readonly effort?: Effort;
      /** It continues the run of another model, which had failed since then (ISO), last for this reason. */
      readonly fallback?: {
        readonly from: string;
        readonly since: string;
        readonly reason: string;
      };
      /** The model that reviews the change before it is submitted, and who receives the change then. */
      readonly reviewer?: { readonly model: string; readonly destination: string };
      readonly protocol: ProtocolName;
      readonly mode: RunMode;
      /** The system prompt, whole. */
      readonly instructions: string;
      readonly branch: string;
      readonly baseBranch: string;
      /** The images that the model can see, by their types; missing if it sees none. */
      readonly imageTypes?: readonly ImageType[];
      /** The commit that the workspace is cloned at. */
      readonly baseCommit: string;
      /** The commit of saved work that the branch is at, whose changes are laid out again: the next commit takes its place. */
      readonly replaces?: string;
      /** Lines at the end of every commit message: who asked for the work. */
      readonly trailers?: readonly string[];
      /** How its commands are run; missing if it cannot run any. */
      readonly shell?: ShellKind;
      /** The image that its commands run in; missing: the programs are those of the machine. */
      readonly image?: ImageOfCommands;
      /** Which of the repository's settings are not followed, and why. Markdown. */
      readonly warnings?: readonly string[];
      /** The names of its tools, those of MCP servers too; missing in journals of before version 0.2. */
      readonly tools?: readonly string[];
      /** When its conversation is shortened, and the tokens that its model can read; missing like `tools`. */
      readonly relief?: ReliefSettings & { readonly contextWindow?: number };
      /** The tools of MCP servers, as they are for the whole run. */
      readonly serverTools?: readonly ServerTool[];
      /** It changes nothing before someone has approved its plan. */
      readonly planFirst?: true;
      /** The next issue starts once it has finished. */
      readonly continuous?: true;
      /** So many rounds of review may follow one another until a person asks for more; 10 if missing. */
      readonly reviewRounds?: number;
      /** Review threads that the run changed code for are resolved. */
      readonly resolvesThreads?: true;
      readonly limits?: RunLimits;
    }
  | { readonly type: 'run_resumed'; readonly run: number; readonly shell?: ShellKind }
  /** Deferred for a reason that may pass; `until` is an ISO time. */
  | {
      readonly type: 'run_deferred';
      readonly run: number;
      readonly reason: string;
      readonly until: string;
      readonly cause?: DeferralCause;
      /** The provider of the model fails, or its quota is used up: since when without a reply, and when last (ISO). */
      readonly outage?: { readonly since: string; readonly at: string };
    }
  /** Paused by a person (the session) or by the operator (the service). */
  | { readonly type: 'run_paused'; readonly run: number }
  /** The output of a call while it runs, in parts; the model does not see it. */
  | ({ readonly type: 'call_output'; readonly text: string } & CallPlace)
  /** Before the run is prepared or resumed: the image of its commands is not here yet. */
  | { readonly type: 'image_fetch_started'; readonly run: number; readonly image: string }
  | { readonly type: 'image_fetched'; readonly run: number; readonly image: string }
  /** During a call that ends the work: a model is asked to review the change before people do. */
  | { readonly type: 'self_review_started'; readonly run: number; readonly model: string }
  /** Before the first run worked: what seems to solve the issue already, and the question about it. */
  | {
      readonly type: 'duplicates_searched';
      readonly run: number;
      readonly found: readonly Duplicate[];
      readonly effects: readonly Effect[];
    }
  /** People resolved the threads of a review that requested changes, so that was dismissed; `denied`: GitHub does not let the App do it. */
  | { readonly type: 'verdict_withdrawn'; readonly review: number; readonly denied?: true }
  /** Suggestions of a review were applied, or left to the agent. */
  | { readonly type: 'suggestions_taken'; readonly results: readonly TakenSuggestion[] }
  | { readonly type: 'push_questioned'; readonly run: number; readonly effects: readonly Effect[] }
  /** The uncommitted work of a run that reached a limit was saved on its branch. */
  | {
      readonly type: 'work_saved';
      readonly run: number;
      readonly effects: readonly Effect[];
      /** The commit is of our own making: the next one of a later run may take its place. */
      readonly isUnfinished?: true;
    }
  | { readonly type: 'run_ended'; readonly run: number; readonly end: RunEnd };

/** What GitHub shows of a session, and what it does not let us show. */
type PublishingEntry =
  | {
      readonly type: 'published';
      readonly key: string;
      readonly id: number;
      readonly url: string;
    }
  /** GitHub denied a publication; `null`: no longer, or it is about to be retried. */
  | { readonly type: 'publishing_blocked'; readonly block: PublishingBlock | null };

/** Why something is not published. */
export interface PublishingBlock {
  readonly reason: string;
  /** What GitHub denied, by the keys of the publications; `*`: everything. */
  readonly keys: readonly string[];
  /** When it is retried, an ISO time; `null`: only after new activity. */
  readonly until: string | null;
}

export type NewEntry =
  | LifeEntry
  | RunEntry
  | MergeEntry
  | NewAgentEntry
  | WaitEntry
  | PublishingEntry;

/** An entry as the journal holds it. */
export type Entry = NewEntry & JournalPlace;

export type EntryOf<T extends NewEntry['type']> = Extract<Entry, { type: T }>;

export type AdmissionVerdict = EntryOf<'admitted' | 'rejected'>;

/** What follows from waiting, and from finishing. */
type WaitEntry =
  /**
   * Nobody answered the question of the entry `question` in time. `defaults`: the work continues with the proposed answers; `pause`: it
   * keeps waiting.
   */
  | {
      readonly type: 'question_expired';
      readonly question: number;
      readonly action: 'defaults' | 'pause';
    }
  /**
   * The deadline of the question of the entry `question` is over, and what may be its answer cannot be judged. It is waited for
   * until an ISO time.
   */
  | { readonly type: 'expiry_deferred'; readonly question: number; readonly until: string }
  /** No single comment came in for a while: those admitted up to `upTo` may start a run. */
  | { readonly type: 'comments_gathered'; readonly upTo: number }
  /** Whoever approved the plan may not do so any more, and nothing was changed since: it needs approval again. */
  | { readonly type: 'approval_withdrawn'; readonly by: Person }
  /** The session is finished, and another issue was looked for; `null`: none was started. */
  | { readonly type: 'next_issue_started'; readonly run: number; readonly issue: number | null }
  /** Where the sub-issues stand. `started`: just now. `isOver`: all are done. `onTop`: none waits for the merge of the one before. */
  | {
      readonly type: 'sub_issues_read';
      readonly steps: readonly SubIssueStep[];
      readonly started?: number;
      readonly isOver?: true;
      readonly onTop?: true;
    }
  /** A sub-issue of the proposal of the entry `proposal` is open; `place`: its place there, from 0. `isLast`: all of them are. */
  | {
      readonly type: 'sub_issue_opened';
      readonly proposal: number;
      readonly place: number;
      readonly issue: number;
      readonly isLast?: true;
    }
  /** GitHub did not let us open the next one of that proposal. */
  | {
      readonly type: 'sub_issues_denied';
      readonly proposal: number;
      readonly reason: string;
    };
