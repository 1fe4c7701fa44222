import type {
  AnswerWait,
  AskedQuestion,
  FinishOutcome,
  PlanItem,
  RanCommand,
} from '../contracts/effect.ts';
import type { FoundChange } from '../contracts/git.ts';
import type { RunEnd, RunMode } from '../contracts/entries.ts';
import type { Usage } from '../contracts/model.ts';
import type { EarlierComment, EntryOf, LineComment, ShellKind } from './entries/entry.ts';
import type { PublishingRefusal } from './entries/publishing-entry.ts';
import type { AskedFor, Intent, Person, RepositoryRef, ThreadText } from './entries/intent.ts';
import type { ParkedOn } from './entries/wait-entry.ts';

/** An intent in the journal, with the entry that let it in where there is one. */
export interface Received {
  readonly seq: number;
  readonly sender: Person;
  readonly intent: Intent;
}

export interface Admitted extends Received {
  /** `seq` of the `admitted` entry: what a run has seen is counted in these. */
  readonly admittedAt: number;
  readonly lineComments: readonly LineComment[];
  /** It agrees to the plan. */
  readonly approves: boolean;
  /** What it asks of us; a command that could be carried out at once is not among what is unseen. */
  readonly ask: AskedFor | undefined;
  readonly earlier: readonly EarlierComment[];
  /** The issue that it asks to be worked on, where the model has not read that yet. */
  readonly brief: Brief | undefined;
}

type Brief = Pick<ThreadText, 'title' | 'body'>;

/** The label or comment that asked for work, and how that ended. */
export interface Trigger {
  /** `id` is the number of the issue, or the id of the comment. */
  readonly on: 'issue' | 'comment';
  readonly id: number;
  readonly outcome: 'good' | 'bad' | undefined;
}

/** A command in a comment; `taken`: there was something to do for it. */
interface Order {
  readonly commentId: number;
  readonly for: AskedFor;
  readonly taken: boolean;
}

export interface Commit {
  readonly sha: string;
  readonly message: string;
  readonly files: readonly FoundChange[];
}

interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  /** What the agent says of it; the body shows it apart from what was observed. */
  readonly said: string;
  /** Logins that were asked to review it. */
  readonly reviewers: readonly string[];
  readonly state: 'open' | 'merged' | 'closed';
}

/** A run of the tests, as observed. */
export interface TestRun extends RanCommand {
  /** The entry that it stands in. */
  readonly seq: number;
  readonly failed: number | null;
  readonly passed: number | null;
  readonly isPart: boolean;
  readonly onChanges: boolean;
}

/** A question that nobody has answered yet. */
interface Question {
  readonly seq: number;
  readonly text: string;
  /** One by one. */
  readonly items: readonly AskedQuestion[];
  /** Its comment, once that is published. */
  readonly url: string | undefined;
  readonly waits: AnswerWait | undefined;
  /** Nobody answered in time, and what comes of it. */
  readonly expired: AnswerWait['action'] | undefined;
}

/** A plan that nobody has agreed to yet. */
interface Proposal {
  readonly seq: number;
  /** Its comment, once that is published. */
  readonly comment: { readonly id: number; readonly url: string } | undefined;
}

/** Whether its plan has to be agreed to before anything is changed; `given`: somebody has. */
type Approval = 'undecided' | 'not_needed' | 'needed' | 'given';

/** A run; its strings are empty until it is prepared. */
export interface RunInfo {
  readonly number: number;
  readonly model: string;
  /** Who receives the code and the comments. */
  readonly destination: string;
  readonly mode: RunMode;
  /** How its commands are run; `undefined` where it cannot run any. */
  readonly shell: ShellKind | undefined;
  /** What of the repository's settings it does not follow, and why. Markdown. */
  readonly warnings: readonly string[];
  /** Another issue is taken up once it has finished. */
  readonly continuous: boolean;
  readonly branch: string;
  readonly baseBranch: string;
  readonly baseCommit: string;
  readonly startedAt: string;
  /** Replies of the model in this run. */
  readonly turns: number;
  /** Comments of the agent's own in this run. */
  readonly comments: number;
  /** Times that it was taken up again since the model's last reply. */
  readonly resumed: number;
  /** Put aside for a reason that may pass, until an ISO time. */
  readonly parked:
    | { readonly reason: string; readonly until: string; readonly on?: ParkedOn }
    | undefined;
  /** Put aside because somebody paused it. */
  readonly paused: boolean;
  readonly end: RunEnd | undefined;
  readonly endedAt: string | undefined;
  /** The final answer of a run without tools. */
  readonly answer: string | undefined;
  /** `seq` of the entry that ended it. */
  readonly endSeq: number | undefined;
  /** `seq` of what somebody did to stop it, while it went on. */
  readonly stopSeq: number | undefined;
}

/** The state of a session, computed from its journal; nothing here is stored anywhere else. */
export interface Session {
  readonly seq: number;
  readonly installation: number;
  readonly repository: RepositoryRef;
  readonly issue: number;
  readonly title: string;
  /** The label that started it. */
  readonly label: string;
  readonly openedAt: string;
  readonly requester: Person | undefined;
  /** All of them, each with the entry from which on it was theirs. */
  readonly requesters: readonly { readonly since: number; readonly person: Person }[];
  /** The issue in the words of the last request for work. */
  readonly brief: Brief | undefined;
  readonly triggers: readonly Trigger[];
  readonly orders: readonly Order[];
  /** Somebody stopped the work: `seq` of what they did, and who did what, in words. */
  readonly stop: { readonly seq: number; readonly words: string } | undefined;
  /** The login of who paused the work. */
  readonly pausedBy: string | undefined;
  /** Why the operator paused the service, while that holds this session up. */
  readonly held: string | undefined;
  /** What GitHub does not let us write, since when, and when it is tried again. */
  readonly unpublished: (PublishingRefusal & { readonly since: string }) | undefined;
  /** Runs since a person last had a word in it. */
  readonly runsWithoutPerson: number;
  /** Received, and neither admitted nor refused yet. */
  readonly unjudged: readonly Received[];
  /** Admitted, and not yet shown to the model. */
  readonly unseen: readonly Admitted[];
  readonly refused: readonly EntryOf<'refused'>[];
  readonly seenUpTo: number;
  readonly run: RunInfo | undefined;
  readonly plan: readonly PlanItem[];
  readonly question: Question | undefined;
  readonly approval: Approval;
  /** The login of who agreed to the plan. */
  readonly approvedBy: string | undefined;
  readonly proposal: Proposal | undefined;
  /** The issue after which it was taken up, where nobody asked for it just then. */
  readonly after: number | undefined;
  /** The run after which another issue was looked for last; `Infinity` once one was taken. */
  readonly lookedForNext: number;
  readonly finish: { readonly outcome: FinishOutcome; readonly summary: string } | undefined;
  /** What the agent does or did last, in a few words. */
  readonly activity: string;
  readonly commits: readonly Commit[];
  readonly pullRequest: PullRequest | undefined;
  /** Pull requests of this session that were closed; the next one gets a branch of its own. */
  readonly closedPullRequests: number;
  readonly issueClosed: boolean;
  /** ISO time of GitHub's last word on whether the issue is closed. */
  readonly closedOrNotAt: string;
  /** Entry that closed the issue or a pull request last. */
  readonly closedAt: number;
  /** Entry that opened the issue again last. */
  readonly reopenedAt: number;
  /** The commit that the stored file changes apply to: the last one made, or the run's base. */
  readonly head: string | undefined;
  /** The workspace stands at another commit than the one that the model has read. */
  readonly moved: boolean;
  /** Entry after which the stored file changes are not yet in a commit of the branch. */
  readonly changesAfter: number;
  /** What the next commit takes, by path; `undefined`: all that changed. */
  readonly chosen: readonly string[] | undefined;
  /** What the agent named its branch, see `branchOf`. */
  readonly branchWords: string | undefined;
  /** The last commands that ran for the work, and how many there were. */
  readonly commands: { readonly count: number; readonly last: readonly RanCommand[] };
  readonly tests: readonly TestRun[];
  /** The entry that changed the files of the work last. */
  readonly changedAt: number;
  /** Who has received code and comments, the last one last. */
  readonly destinations: readonly string[];
  readonly usage: Usage;
  /** What all runs have cost. */
  readonly cost: Cost;
}

export interface Cost {
  /** US dollars, of the replies whose price is known. */
  readonly dollars: number;
  /** Whether there were replies whose price is not known. */
  readonly isPartial: boolean;
}
