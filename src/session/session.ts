import type {
  CommittedFile,
  EntryOf,
  FinishOutcome,
  LineComment,
  PlanItem,
  RunEnd,
  RunMode,
  Usage,
} from './entry.ts';
import type { Intent, Person, RepositoryRef } from './intent.ts';

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
}

export interface Commit {
  readonly sha: string;
  readonly message: string;
  readonly files: readonly CommittedFile[];
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

/** A question that nobody has answered yet. */
interface Question {
  readonly seq: number;
  readonly text: string;
  /** Its comment, once that is published. */
  readonly url: string | undefined;
}

/** A run; its strings are empty until it is prepared. */
export interface RunInfo {
  readonly number: number;
  readonly model: string;
  /** Who receives the code and the comments. */
  readonly destination: string;
  readonly mode: RunMode;
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
  readonly parked: { readonly reason: string; readonly until: string } | undefined;
  readonly end: RunEnd | undefined;
  readonly endedAt: string | undefined;
  /** The final answer of a run without tools. */
  readonly answer: string | undefined;
  /** `seq` of the entry that ended it. */
  readonly endSeq: number | undefined;
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
  /** Received, and neither admitted nor refused yet. */
  readonly unjudged: readonly Received[];
  /** Admitted, and not yet shown to the model. */
  readonly unseen: readonly Admitted[];
  readonly refused: readonly EntryOf<'refused'>[];
  readonly seenUpTo: number;
  readonly run: RunInfo | undefined;
  readonly plan: readonly PlanItem[];
  readonly question: Question | undefined;
  readonly finish: { readonly outcome: FinishOutcome; readonly summary: string } | undefined;
  /** What the agent does or did last, in a few words. */
  readonly activity: string;
  readonly commits: readonly Commit[];
  readonly pullRequest: PullRequest | undefined;
  /** Pull requests of this session that were closed; the next one gets a branch of its own. */
  readonly closedPullRequests: number;
  readonly issueClosed: boolean;
  /** Entry that closed the issue or a pull request last. */
  readonly closedAt: number;
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
