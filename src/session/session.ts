// What a session is, computed from its journal (`fold/`). It has one part for each subject, and each
// part is filled by the file of the same name in `fold/`. Nothing here is stored anywhere else.
import type { AnswerDeadline, AskedQuestion, FinishOutcome } from '../contracts/effect.ts';
import type { DeferralCause, RunEnd, RunMode } from '../contracts/entries.ts';
import type { Usage } from '../contracts/model.ts';
import type { EntryOf, ShellKind, PublishingBlock } from './entry.ts';
import type { EarlierComment, LineComment, ShownIssue } from '../contracts/shown-text.ts';
import type { AskedFor, Intent, Person, RepositoryRef } from '../contracts/intent.ts';
import type { Work } from './session-work.ts';

export interface Session {
  /** The last entry that is in it. */
  readonly seq: number;
  readonly thread: Thread;
  readonly requests: Requests;
  /** The latest run; `undefined` before the first. */
  readonly run: RunInfo | undefined;
  readonly waiting: Waiting;
  readonly work: Work;
  readonly spending: Spending;
}

/** The issue and its pull request, as GitHub has them. */
export interface Thread {
  readonly installation: number;
  readonly repository: RepositoryRef;
  readonly issue: number;
  readonly title: string;
  /** The label that started the work. */
  readonly label: string;
  readonly openedAt: string;
  /** The issue as it was when work was last requested. */
  readonly issueText: ShownIssue | undefined;
  /** The issue after which this one was started automatically. */
  readonly previousIssue: number | undefined;
  /** This session was finished, and another issue was started after it. */
  readonly nextIssueStarted: boolean;
  readonly issueClosed: boolean;
  /** GitHub's time of the latest news whether the issue is closed; empty before any. */
  readonly issueStateAt: string;
  /** When the issue or its pull request was last closed, by our journal; empty before any. */
  readonly closedAt: string;
  readonly pullRequest: PullRequest | undefined;
  /** Pull requests of this session that were closed; the next one gets a new branch. */
  readonly closedPullRequests: number;
}

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  /** What the agent says about it; the body shows this apart from what was observed. */
  readonly description: string;
  /** Logins of the people who were asked to review it. */
  readonly reviewers: readonly string[];
  readonly state: 'open' | 'merged' | 'closed';
}

/** What people asked for, and what came of it. */
export interface Requests {
  readonly requester: Person | undefined;
  /** All of them, each with the entry since which the work is theirs. */
  readonly requesters: readonly { readonly since: number; readonly person: Person }[];
  readonly triggers: readonly Trigger[];
  readonly commands: readonly CommandRequest[];
  /** Set if someone stopped the work; `reason` is a sentence. */
  readonly stop: { readonly reason: string } | undefined;
  /** Runs since a person last wrote. */
  readonly botOnlyRuns: number;
  /** The next run begins a new conversation. */
  readonly afresh: boolean;
  /** Received, and neither admitted nor rejected yet. */
  readonly awaitingAdmission: readonly Received[];
  /** Admitted, and not yet shown to the model. */
  readonly unread: readonly Admitted[];
  readonly rejected: readonly EntryOf<'rejected'>[];
  /** The last entry that the model has read. */
  readonly readUpTo: number;
}

/** What has happened since a request came in. */
export interface Since {
  /** The issue or its pull request was closed. */
  readonly closed?: true;
  /** The issue was reopened. */
  readonly reopened?: true;
  /** The work was stopped. */
  readonly stopped?: true;
  /** A run ended. */
  readonly runEnded?: true;
  /** A run ended that could have read it: it was admitted by then. */
  readonly missedByRun?: true;
}

/** An intent in the journal. */
export interface Received {
  readonly seq: number;
  readonly sender: Person;
  readonly intent: Intent;
  readonly since: Since;
}

export interface Admitted extends Received {
  /** `seq` of the `admitted` entry; what the model has read is counted in these. */
  readonly admittedAt: number;
  readonly lineComments: readonly LineComment[];
  /** It approves the plan. */
  readonly approves: boolean;
  /** What it asks for. A command that was carried out at once is never among the unread. */
  readonly ask: AskedFor | undefined;
  readonly earlier: readonly EarlierComment[];
  /** What people see of its text; `undefined` if it has none. */
  readonly shown: EntryOf<'admitted'>['shown'];
  /** The issue that it asks to work on, if the model has not read that yet. */
  readonly issueText: ShownIssue | undefined;
}

/** The label or comment that requested work, and how that ended. */
export interface Trigger {
  /** `id` is the number of the issue, or the id of the comment. */
  readonly on: 'issue' | 'comment';
  readonly id: number;
  readonly result: 'good' | 'bad' | undefined;
}

/** A command in a comment; `applied`: there was something to do for it. */
export interface CommandRequest {
  /** The `seq` of the entry. */
  readonly received: number;
  readonly commentId: number;
  readonly command: AskedFor;
  readonly applied: boolean;
}

/** A run; its strings are empty until it is prepared. */
export interface RunInfo {
  readonly number: number;
  readonly model: string;
  /** Who receives the code and the comments. */
  readonly destination: string;
  readonly mode: RunMode;
  /** How its commands are run; `undefined` if it cannot run any. */
  readonly shell: ShellKind | undefined;
  /** Which of the repository's settings it does not follow, and why. Markdown. */
  readonly warnings: readonly string[];
  /** Another issue is started once it has finished. */
  readonly continuous: boolean;
  /** Its model did not see the conversation of the runs before. */
  readonly afresh: boolean;
  readonly branch: string;
  readonly baseBranch: string;
  readonly baseCommit: string;
  readonly startedAt: string;
  /** Replies of the model in this run. */
  readonly turns: number;
  /** Comments by the agent itself in this run. */
  readonly comments: number;
  /** Memories that it stored in this run. */
  readonly memories: number;
  /** A review of the change held it back once. */
  readonly heldBack: boolean;
  /** How often it was resumed since the model's last reply. */
  readonly resumesWithoutReply: number;
  /** It stopped for now and resumes at an ISO time. */
  readonly deferred:
    | { readonly reason: string; readonly until: string; readonly cause?: DeferralCause }
    | undefined;
  /** It stopped because someone paused it. */
  readonly paused: boolean;
  /** Someone stopped the work, or closed the issue or pull request, during the run. */
  readonly stopRequested: boolean;
  readonly end: RunEnd | undefined;
  readonly endedAt: string | undefined;
  /** The final answer of a run without tools. */
  readonly answer: string | undefined;
  /** How the agent finished its work, in its own words. */
  readonly finish: { readonly outcome: FinishOutcome; readonly summary: string } | undefined;
  /** What the agent does or did last, in a few words. */
  readonly activity: string;
  /** The last call that was journaled before it acted. */
  readonly startedCall: string;
  /** The last call that finished; empty before the first. */
  readonly lastCall: string;
  /** Calls of the last reply that have not finished. */
  readonly callsLeft: number;
  /** Since when the model is asked; `undefined` while it is not. */
  readonly modelAskedAt: string | undefined;
  /** It finished, and another issue was looked for. */
  readonly nextIssueSearched: boolean;
}

/** What the session waits for, or was told to wait for. */
export interface Waiting {
  readonly question: Question | undefined;
  readonly approval: Approval;
  /** The login of the person who approved the plan. */
  readonly approvedBy: string | undefined;
  readonly proposedPlan: ProposedPlan | undefined;
  /** The login of the person who paused the session. */
  readonly pausedBy: string | undefined;
  /** Why the operator paused the service, while that holds this session up. */
  readonly servicePauseReason: string | undefined;
  /** What GitHub does not let us write, since when, and when it is tried again. */
  readonly publishingBlock: (PublishingBlock & { readonly since: string }) | undefined;
}

/** A question that has no answer yet. */
interface Question {
  readonly seq: number;
  readonly text: string;
  /** One by one. */
  readonly items: readonly AskedQuestion[];
  /** Its comment, once that is published. */
  readonly url: string | undefined;
  readonly deadline: AnswerDeadline | undefined;
  /** Nobody answered in time, and what follows. */
  readonly expired: AnswerDeadline['action'] | undefined;
}

/** A plan that is not approved yet. */
interface ProposedPlan {
  readonly seq: number;
  /** Its comment, once that is published. */
  readonly comment: { readonly id: number; readonly url: string } | undefined;
}

/** Whether its plan needs approval before anything is changed; `given`: someone has approved it. */
type Approval = 'undecided' | 'not_needed' | 'needed' | 'given';

export interface Spending {
  readonly usage: Usage;
  /** Who has received a change to review it. */
  readonly reviewers: readonly string[];
  /** Who has received memories and queries, to search them by meaning. */
  readonly embedders: readonly string[];
  /** What all runs have cost. */
  readonly cost: Cost;
  /** Who has received code and comments, the latest one last. */
  readonly destinations: readonly string[];
}

export interface Cost {
  /** US dollars, of the replies whose price is known. */
  readonly dollars: number;
  /** Whether there were replies whose price is not known. */
  readonly isPartial: boolean;
}
