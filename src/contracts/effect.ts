// What calls change beyond the files of the workspace.
import type { AskedCall } from './mcp.ts';
import type { FoundChange } from './git.ts';
import type { Usage } from './model.ts';
import type { CommandDone } from './shell.ts';
import type { ProposedSubIssue } from './sub-issue-work.ts';

export interface PlanItem {
  readonly id: string;
  readonly title: string;
  readonly done: boolean;
}

/** `partial`: a part is done, and stays a draft. */
export type FinishOutcome = 'done' | 'partial' | 'nothing_to_do' | 'cannot';

export interface AskedQuestion {
  readonly text: string;
  /** The answer that the agent proposes. */
  readonly proposedAnswer?: string;
}

/** How long a question waits, and what comes then: the answers that it proposes, or a pause. */
export interface AnswerDeadline {
  /** ISO time. */
  readonly until: string;
  readonly action: 'defaults' | 'pause';
}

/** A command that ran in the workspace, as it was seen to run. */
export interface CommandRun {
  readonly command: string;
  /** `null` if it was killed; `ended` says why. */
  readonly exitCode: number | null;
  readonly ended: CommandDone['ended'];
  /** Milliseconds. */
  readonly durationMs: number;
  /** How many tests failed and passed, if its output has the results of tests; `null` if it does not say how many. */
  readonly failed?: number | null;
  readonly passed?: number | null;
  /** It was to run the tests, and no runner was there: the first line of what it said. */
  readonly notRun?: string;
}

/** Something in a change that should be looked at. */
export interface Finding {
  /** The file that it is about; missing if it is about no single one. */
  readonly path?: string;
  readonly line?: number;
  readonly text: string;
}

/** What requests to a model have used. */
interface ModelSpending {
  readonly usage: Usage;
  /** US dollars; `null` if it is not known. */
  readonly cost: number | null;
}

/** A review of the whole change by a model, before it was submitted. */
export interface SelfReview extends ModelSpending {
  /** A digest of what was reviewed: equal for the same change. */
  readonly change: string;
  readonly findings: readonly Finding[];
  /** Why no model reviewed it; the findings are then those that need none. */
  readonly failure?: string;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** A review of a pull request of someone else, with so many comments on lines. */
export interface GivenReview {
  readonly url: string;
  readonly comments: number;
  /** Of the pull request then. Missing in journals of before it was noted, like its id. */
  readonly head?: string;
  readonly id?: number;
  /** As GitHub shows it; missing: it only comments. */
  readonly verdict?: 'approved' | 'changes_requested' | undefined;
  /** GitHub does not let the App dismiss it. */
  readonly isKept?: true;
}

/** What no commit takes: links that lead out, nested repositories, names that are not UTF-8, pipes and the like. */
export interface WithheldFiles {
  /** The first paths, as they are shown. */
  readonly paths: readonly string[];
  /** How many there are. */
  readonly total: number;
}

/** A change that people are given, relative to the commit `base`. It is in the comment, or on a branch. */
export interface Patch {
  readonly type: 'patch';
  readonly base: string;
  readonly summary: string;
  readonly files: readonly FoundChange[];
  /** As `git apply` reads it, without secrets; missing if it is on a branch. */
  readonly text?: string;
  /** Secrets were taken out of it, so git may not apply it. */
  readonly isRedacted?: true;
  /** A branch of this repository, with one commit on top of `base`. */
  readonly branch?: string;
  /** The commit there has the workflow files of the base branch too, which are no part of the change. */
  readonly hasNewWorkflows?: true;
}

/** What came of `cache` of the repository's settings, before the first command of a workspace. */
export interface DependencyUse {
  readonly type: 'dependencies';
  /** `found`: an earlier session's; `kept`: installed now, and kept for later ones; `unused`: neither, for a reason. */
  readonly cache: 'found' | 'kept' | 'unused';
  /** The directories that were put into the workspace, as the settings name them. */
  readonly paths: readonly string[];
  /** They are all that `setup` makes, so it did not run in the workspace. */
  readonly isAll: boolean;
  /** A sentence without its end. */
  readonly reason?: string;
  /** Milliseconds. */
  readonly durationMs: number;
}

/** A step on an open pull request that GitHub denied the App, so that people take it. `reason`: why. */
export type LeftStep = { readonly reason: string } & (
  | { readonly step: 'ready_for_review' }
  | {
      readonly step: 'review_request';
      /** Logins. */
      readonly reviewers: readonly string[];
    }
);

/** What a tool call changed beyond the files of the workspace. Views are computed from these. */
export type Effect =
  | {
      readonly type: 'plan';
      readonly items: readonly PlanItem[];
      /** It waits for approval. */
      readonly needsApproval?: true;
    }
  | {
      readonly type: 'question';
      /** The service asks it itself, before the model is asked anything. */
      readonly about?: 'push';
      /** All of it as one text. */
      readonly text: string;
      /** One by one. Journals written before there were several have the text alone. */
      readonly items?: readonly AskedQuestion[];
      /** Without it an answer is waited for without end. */
      readonly deadline?: AnswerDeadline;
    }
  /** A question of an MCP server; what people read of it is a `question` beside this. */
  | { readonly type: 'server_question'; readonly call: AskedCall }
  /** The changes that the next commit takes, by path; `null`: all again. */
  | { readonly type: 'staged'; readonly paths: readonly string[] | null }
  /** A change of workflow files waits for an administrator; `digest` is equal for exactly this change. */
  | {
      readonly type: 'workflow_change';
      readonly digest: string;
      readonly files: readonly FoundChange[];
      /** All of it, as people are shown it. */
      readonly diff: string;
    }
  /** Sub-issues of the issue, in their order, that wait for approval. */
  | { readonly type: 'sub_issues_proposed'; readonly items: readonly ProposedSubIssue[] }
  /** The words at the end of the name of the session's branch. */
  | { readonly type: 'branch'; readonly suffix: string }
  | {
      readonly type: 'commit';
      readonly sha: string;
      readonly message: string;
      readonly files: readonly FoundChange[];
      /** Changes were left out of it: those stored before it are still to be committed. */
      readonly partial?: true;
      /** What the workspace held then and no commit takes. */
      readonly withheld?: WithheldFiles;
      /** What changed, or was to be changed, and Git LFS would have to store first. */
      readonly inLfs?: WithheldFiles;
      /** The commit of the base branch that it merges, as its second parent. */
      readonly merges?: string;
    }
  /** A change of a fork's branch, which nothing can be pushed to: people apply it themselves. */
  | Patch
  /** A message for the commit that the round of review ends with: its changes are pushed once. */
  | { readonly type: 'commit_held'; readonly message: string }
  /** What is to be said in a review thread, by its number, once the changes are pushed. */
  | { readonly type: 'thread_reply'; readonly thread: number; readonly text: string }
  /** What is to be said to this person (a login) where they asked, once the work ends. */
  | { readonly type: 'reply'; readonly to: string; readonly text: string }
  | {
      readonly type: 'pull_request';
      readonly number: number;
      readonly url: string;
      readonly title: string;
      readonly description: string;
    }
  | {
      readonly type: 'review_requested';
      readonly pullRequest: number;
      /** Logins. */
      readonly reviewers: readonly string[];
    }
  /** All that is left to people of submitting the pull request; none: nothing is any more. */
  | {
      readonly type: 'left_to_people';
      readonly pullRequest: number;
      readonly steps: readonly LeftStep[];
    }
  | ({ readonly type: 'review' } & GivenReview)
  | ({ readonly type: 'command' } & CommandRun)
  | ({
      readonly type: 'tests';
      /** How many tests failed and passed; `null` if the output does not say. */
      readonly failed: number | null;
      readonly passed: number | null;
      /** A fingerprint of each failure; missing if there was none, or they were killed. */
      readonly failing?: readonly string[];
      /** Only some of the tests were asked for. */
      readonly isPartial: boolean;
      /** The workspace held changes of this work when they ran. */
      readonly onChanges: boolean;
    } & CommandRun)
  /** A command of the repository's settings that prepares a workspace, and the end of its output. */
  | ({ readonly type: 'setup'; readonly output: string } & CommandRun)
  | DependencyUse
  /** Hosts that a command wanted to reach and was not allowed to, `host:port`. */
  | { readonly type: 'disallowed_hosts'; readonly hosts: readonly string[] }
  /** `heldBack`: the agent got the findings, and the change was not submitted. */
  | ({ readonly type: 'self_reviewed'; readonly heldBack?: true } & SelfReview)
  /** It was stored for later sessions, under this number. */
  | { readonly type: 'memory'; readonly number: number }
  /** Texts were sent to an embedding server. */
  | ({
      readonly type: 'embedded';
      /** Who received them: "OpenAI (api.openai.com)". */
      readonly destination: string;
    } & ModelSpending)
  /** The model has read words of people who may not write to the repository. */
  | { readonly type: 'strangers_read' }
  /** A comment in the agent's own words, on any issue or pull request. */
  | { readonly type: 'comment'; readonly issue: number; readonly url: string }
  /** `finish` was called without a word where nothing was changed, and the model was asked why. */
  | { readonly type: 'reason_asked' }
  /** `summary`: empty if the model gave none. */
  | { readonly type: 'finish'; readonly outcome: FinishOutcome; readonly summary: string };
