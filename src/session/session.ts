// What a session is, computed from its journal (`fold/`). It has one part for each subject, and each
// part is filled by the file of the same name in `fold/`. Nothing here is stored anywhere else.
import type {
  AnswerDeadline,
  AskedQuestion,
  FinishOutcome,
  PlanItem,
} from '../contracts/effect.ts';
import type { DeferralCause, RunEnd, RunMode } from '../contracts/entries.ts';
import type { EntryOf, PublishingBlock, RunLimits, ShellKind } from './entry.ts';
import type {
  BackgroundComment,
  EarlierComment,
  LineComment,
  ShownIssue,
} from '../contracts/shown-text.ts';
import type {
  AskedFor,
  CommandName,
  Intent,
  Person,
  ReactionPlace,
  PlacedAsk,
  TextPlace,
} from '../contracts/intent.ts';
import type { Effort } from '../contracts/model.ts';
import type { Moment, Latest } from './moment.ts';
import type { Checks } from './parts/session-checks.ts';
import type { ApprovedWorkflows, OpeningSubIssues, Proposal } from './parts/session-proposals.ts';
import type { SessionProgress, Spending, Tally } from './parts/session-counts.ts';
import type { Reviews } from './parts/session-reviews.ts';
import type { Thread } from './parts/session-thread.ts';
import type { SessionWork, UnpushedMerge } from './parts/session-work.ts';

export interface Session {
  /** The last entry that is in it. */
  readonly seq: number;
  /** When that was journaled (ISO). */
  readonly at: string;
  readonly thread: Thread;
  readonly requests: Requests;
  readonly reviews: Reviews;
  readonly checks: Checks;
  /** The latest run; `undefined` before the first. */
  readonly run: RunInfo | undefined;
  readonly waiting: SessionWaiting;
  readonly work: SessionWork;
  readonly spending: Spending;
  readonly progress: SessionProgress;
  readonly tally: Tally;
}

/** What people asked for, and what came of it. */
export interface Requests {
  readonly requester: Person | undefined;
  /** All of them, each with the entry since which the work is theirs. */
  readonly requesters: readonly { readonly since: number; readonly person: Person }[];
  readonly triggers: readonly Trigger[];
  readonly commands: readonly PersonsCommand[];
  /** What people decided last, by when they did it. */
  readonly latest: Latest;
  /** Set if someone stopped the work; `reason` is a sentence. */
  readonly stop: { readonly reason: string } | undefined;
  /** Runs since a person last wrote. */
  readonly botOnlyRuns: number;
  /** The next run begins a new conversation. */
  readonly afresh: boolean;
  /** Received, and neither admitted nor rejected yet. */
  readonly awaitingAdmission: readonly ReceivedIntent[];
  /** Admitted, and not yet shown to the model. */
  readonly unread: readonly AdmittedIntent[];
  /** What authors who may not ask have said since the model last read something of someone who may. */
  readonly background: readonly UnreadBackground[];
  /** Comments that started nothing and were part of no run when they came, by their `received` entries. */
  readonly talk: readonly number[];
  /** The comments that were included when work began, by their ids. */
  readonly included: readonly number[];
  readonly rejected: readonly EntryOf<'rejected'>[];
  /** Read by the model, and not replied to yet. */
  readonly open: readonly OpenRequest[];
  readonly replies: readonly RequestReply[];
  /** The last entry that the model has read. */
  readonly readUpTo: number;
}

/** What has happened since a request came in. */
export interface NewsSince {
  /** The issue or its pull request was closed. */
  readonly closed?: true;
  /** The issue was reopened. */
  readonly reopened?: true;
  /** The work was stopped. */
  readonly stopped?: true;
  /** A run ended. */
  readonly runEnded?: true;
  /** People were asked whether to do it at all. */
  readonly doubted?: true;
  /** A run ended that could have read it: it was admitted by then. */
  readonly missedByRun?: true;
}

/** An intent in the journal. */
export interface ReceivedIntent {
  readonly seq: number;
  /** When it was done. */
  readonly when: Moment;
  readonly sender: Person;
  readonly intent: Intent;
  readonly since: NewsSince;
}

export interface AdmittedIntent extends ReceivedIntent {
  /** `seq` of the `admitted` entry; what the model has read is counted in these. */
  readonly admittedAt: number;
  readonly lineComments: readonly LineComment[];
  /** Whether a review has something to work on, whatever its verdict; `undefined`: the verdict says so. */
  readonly remarks: boolean | undefined;
  /** It waits for other comments, and starts no run before this time (ISO). */
  readonly gatherUntil: string | undefined;
  /** What it approves. */
  readonly approves: Proposal['of'] | undefined;
  /** It asks for that and says nothing else. */
  readonly isAlone: boolean;
  /** What it asks for. A command that was carried out at once is never among the unread. */
  readonly ask: AskedFor | undefined;
  /** It starts nothing, because it does not mention the App. */
  readonly needsMention: boolean;
  /** A comment that asks a question. */
  readonly isQuestion: boolean;
  /** Its author may answer questions, and request nothing. */
  readonly answersOnly: boolean;
  /** Where it asks for something. */
  readonly asks: readonly PlacedAsk[];
  readonly earlier: readonly EarlierComment[];
  /** The model has read it among the earlier comments. */
  readonly wasRead: boolean;
  /** What people see of its text; `undefined` if it has none. */
  readonly shown: EntryOf<'admitted'>['shown'];
  /** The issue that it asks to work on, if the model has not read that yet. */
  readonly issueText: ShownIssue | undefined;
}

interface UnreadBackground extends BackgroundComment {
  /** Of the verdict on it. */
  readonly seq: number;
  readonly in: TextPlace;
}

/** What a person wrote, which a run has read. */
export interface OpenRequest {
  /** The `seq` of its `received` entry. */
  readonly received: number;
  /** The run that read it. */
  readonly run: number;
  readonly login: string;
  readonly in: ReactionPlace;
  /** The issue or pull request that it was written on. */
  readonly on: number;
  /** A request waits for a reply; the label or assignment that began the work, for a pull request; anything else for words of the model. */
  readonly waitsFor: 'reply' | 'pull_request' | 'nothing';
  /** It asks a question. */
  readonly isQuestion: boolean;
  /** Of a review that does not name the App: the numbers of its threads. If each has a reply, that is enough. */
  readonly threads: readonly number[];
  /** It is a mere command, such as a retry: replies in all threads of a round are enough. */
  readonly isAlone: boolean;
  /** It is a review that requests changes. */
  readonly requestsChanges: boolean;
  /** The session had made so many commits when it was read. */
  readonly commitsBefore: number;
  /** The model's own words for its author, which nobody has read yet. */
  readonly reply: string | undefined;
  /** Files were changed since it was read, and not committed. */
  readonly needsPush: boolean;
  /** A review, or a patch, of the same run answers it. */
  readonly isAnswered: boolean;
}

/** One comment to everyone whose requests on one issue or pull request have the same reply. */
export interface RequestReply {
  readonly run: number;
  /** The first of the requests. */
  readonly received: number;
  readonly logins: readonly string[];
  readonly on: number;
  /** The model's words for them alone; without these, how the run ended says what came of it. */
  readonly words: string | undefined;
  readonly end: RunEnd;
  readonly finish: RunInfo['finish'];
  /** The commits since they were read. */
  readonly commits: readonly string[];
  /** The pull request of the session, if they were made elsewhere. */
  readonly pullRequest: number | undefined;
  /** What of the work the tests kept back. */
  readonly unpushed: UnpushedMerge | undefined;
}

/** The label, comment or review that requested work, and how that ended. */
export interface Trigger {
  readonly in: ReactionPlace;
  /** `seq` of the `admitted` entry. */
  readonly admittedAt: number;
  /** It asked for work on the sub-issues, which no run of this session does. */
  readonly isForSubIssues: boolean;
  readonly result: 'good' | 'unchanged' | 'bad' | undefined;
}

/** A command of a person; `applied`: there was something to do for it. */
export interface PersonsCommand {
  /** The `seq` of the entry. */
  readonly received: number;
  readonly in: ReactionPlace;
  readonly command: AskedFor;
  readonly applied: boolean;
  /** Of an unclear one: which command it is nearly. */
  readonly meant?: CommandName | undefined;
}

/** A run; its strings are empty until it is prepared. */
export interface RunInfo {
  readonly number: number;
  readonly model: string;
  /** How much it thinks; `undefined`: its default. */
  readonly effort: Effort | undefined;
  /** Since when the provider of the model has failed, and the last time (ISO) and reason; `undefined` since its last reply. */
  readonly outage:
    | { readonly since: string; readonly at: string; readonly reason: string }
    | undefined;
  /** Why its model continues the run of another one. */
  readonly fallback: EntryOf<'run_prepared'>['fallback'];
  /** Who receives the code and the comments. */
  readonly destination: string;
  readonly mode: RunMode;
  /** How its commands are run; `undefined` if it cannot run any. */
  readonly shell: ShellKind | undefined;
  /** The image that they run in; `undefined`: with the programs of the machine. */
  readonly image: EntryOf<'run_prepared'>['image'];
  readonly limits: RunLimits;
  /** Which of the repository's settings it does not follow, and why. Markdown. */
  readonly warnings: readonly string[];
  /** Another issue is started once it has finished. */
  readonly continuous: boolean;
  /** Its model did not see the conversation of the runs before. */
  readonly afresh: boolean;
  /** Each request that it reads gets a reply where it was made; what its model says to people, while it works. */
  readonly repliesToRequests: boolean;
  readonly repliesAtOnce: boolean;
  readonly branch: string;
  readonly baseBranch: string;
  readonly baseCommit: string;
  readonly startedAt: string;
  /** Replies of the model in this run. */
  readonly turns: number;
  /** Comments by the agent itself in this run, and memories that it stored. */
  readonly comments: number;
  readonly memories: number;
  /** It began with an open pull request: whoever asks for something there is no reviewer because of that. */
  readonly beganOnPullRequest: boolean;
  /** It reviews the pull request of someone else and changes nothing: all of it, or what is new since the last time. */
  readonly reviews: 'all' | 'news' | undefined;
  /** It proposes sub-issues of the issue, and changes nothing. */
  readonly splits: boolean;
  /** People did not let it push when it began. */
  readonly beganWithoutPush: boolean;
  /** When the sub-issues were proposed that this run replaces by others. */
  readonly replacesProposalOf: Moment | undefined;
  /** The model was asked for the reason why nothing was changed. */
  readonly wasAskedWhy: boolean;
  /** A review of the change held it back once. */
  readonly heldBack: boolean;
  /** How often someone else pushed to its branch. */
  readonly timesMoved: number;
  /** How often it was left because there was no room to write. */
  readonly timesWithoutRoom: number;
  /** How often it was resumed since the model's last reply. */
  readonly resumesWithoutReply: number;
  /** It stopped for now and resumes at an ISO time. */
  readonly deferred:
    | { readonly reason: string; readonly until: string; readonly cause?: DeferralCause }
    | undefined;
  /** It stopped because someone paused it. */
  readonly paused: boolean;
  /** When someone last stopped the work, or closed the issue or pull request, if that was during the run. */
  readonly interruptedAt: Moment | undefined;
  readonly end: RunEnd | undefined;
  readonly endedAt: string | undefined;
  /** The final answer of a run without tools. */
  readonly answer: string | undefined;
  /** How the agent finished its work, in its own words; `summary` is empty if it had none. */
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
export interface SessionWaiting {
  readonly question: Question | undefined;
  /** Whether its plan needs approval before anything is changed; `given`: someone has approved it. */
  readonly approval: 'undecided' | 'not_needed' | 'needed' | 'given';
  /** The login of the person who approved the plan. */
  readonly approvedBy: string | undefined;
  /** The plan that they approved; empty in journals of which that is not known. */
  readonly approvedPlan: readonly PlanItem[];
  /** Something was changed under that approval. */
  readonly approvalUsed: boolean;
  readonly proposal: Proposal | undefined;
  readonly approvedWorkflows: ApprovedWorkflows | undefined;
  /** The sub-issues that are opened now. */
  readonly openingSubIssues: OpeningSubIssues | undefined;
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
  /** When it was asked, with its comment once that is published. */
  readonly when: Moment;
  /** The service asked it itself. */
  readonly about: 'push' | undefined;
  readonly text: string;
  /** One by one. */
  readonly items: readonly AskedQuestion[];
  /** Its comment, once that is published. */
  readonly url: string | undefined;
  readonly deadline: AnswerDeadline | undefined;
  /** Nobody answered in time, and what follows. */
  readonly expired: AnswerDeadline['action'] | undefined;
  /** It does not expire before this ISO time while what may be its answer cannot be judged; set once, after the deadline. */
  readonly deferredUntil: string | undefined;
}
