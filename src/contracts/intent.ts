/** A GitHub account, as an event names it. */
export interface Person {
  readonly login: string;
  readonly id: number;
  /** No person at all: one that the operator lets ask. */
  readonly bot?: true;
  /** No account: the operator of the service, by its command line. */
  readonly operator?: true;
}

export interface RepositoryName {
  readonly owner: string;
  readonly name: string;
}

export interface RepositoryRef extends RepositoryName {
  readonly id: number;
}

/** A repository on this machine that someone works in by hand: there is no issue, and no pull request. */
export interface Folder {
  /** The commit at which the work begins, in full. */
  readonly commit: string;
  /** The branch that is checked out, or that commit if none is. */
  readonly base: string;
  /** The branch that the work goes to. */
  readonly branch: string;
}

/** An issue that a person works on by hand, with a token of their own in place of an App's. */
export interface HandWork {
  /** The branch that the work goes to: each run by hand finds what the ones before it did. */
  readonly branch: string;
  /** Runs before this one left commits on it. */
  readonly continues?: true;
}

/** What a session begins with. */
export interface SessionOpening {
  readonly installation: number;
  readonly repository: RepositoryRef;
  /** 0 in a folder. */
  readonly issue: number;
  /** Where the work is if it is not on GitHub. */
  readonly folder?: Folder;
  readonly byHand?: HandWork;
}

export type ReviewVerdict = 'approved' | 'changes_requested' | 'commented';

export type CommandName =
  | 'stop'
  | 'approve'
  | 'pause'
  | 'resume'
  | 'status'
  | 'retry'
  | 'fix'
  | 'new'
  | 'resolve'
  | 'base'
  | 'split'
  | 'merge'
  | 'plan'
  | 'cost'
  | 'memory'
  | 'forget'
  | 'help';

/** What people can do with our check run: its buttons, and GitHub's own to run it again. */
export type CheckAction = 'fix' | 'resolve' | 'stop' | 'rerun';

/** What the operator can ask of any session. */
export type OperatorCommand = Extract<CommandName, 'stop' | 'retry'>;

/** What a comment asks for: a command, work in its own words, or a word that is nearly a command. */
export type AskedFor = CommandName | 'work' | 'unclear';

export interface Ask {
  /** The login that it mentions, in lower case; `/` if it needs none. */
  readonly to: string;
  readonly for: AskedFor;
  /** The comment says nothing else. */
  readonly alone: boolean;
  /** Of `memory` and `forget`: the numbers of memories. */
  readonly numbers?: readonly number[];
  /** Of `merge`: GitHub is not to merge it by itself. */
  readonly isOff?: true;
  /** Of a word that is nearly a command: which. */
  readonly meant?: CommandName;
}

/** What people react to, by its id; an issue or pull request by its number. */
export type ReactionPlace =
  | { readonly on: 'issue'; readonly id: number }
  | { readonly on: 'comment' | 'line_comment'; readonly id: number }
  | { readonly on: 'review'; readonly id: number; readonly pullRequest: number };

/** Where someone wrote something, other than a new issue. */
export type TextPlace = Exclude<ReactionPlace, { readonly on: 'issue' }>;

/** What one text of a review asks for: its own words, or a comment on a line. */
export interface PlacedAsk extends Pick<Ask, 'for' | 'alone' | 'meant'> {
  readonly in: ReactionPlace;
}

/** Who wrote an issue or pull request that someone else wants worked on. */
export type IssueAuthor = Pick<Person, 'login' | 'id'>;

/** An issue or pull request as of some moment. */
export interface ThreadText {
  readonly title: string;
  readonly body: string;
  readonly isOpen: boolean;
  /** Missing if the sender wrote it, and in journals from before it was noted. */
  readonly author?: IssueAuthor;
}

/** What asks for a review of a pull request: a person, or the settings once something happened to it. */
export type ReviewCause = 'label' | 'request' | 'opened' | 'ready' | 'pushed';

/** What someone wants of a session, or what happened to it, in our own terms. Times are ISO 8601. */
export type Intent =
  | {
      readonly kind: 'start';
      /** Empty if the text of a new issue requests work, or an assignment does, or its type, or nothing. */
      readonly label: string;
      /** The issue got this type. */
      readonly type?: string;
      /** The issue was assigned to this account: the App itself, or the one that stands for it. */
      readonly assignee?: string;
      readonly title: string;
      readonly body: string;
      /** Who wrote the issue; missing as in `ThreadText`. */
      readonly author?: IssueAuthor;
      /** When the issue got the label, or was assigned. */
      readonly at?: string;
      /** The issue was opened with it: GitHub tells of a label in two events. */
      readonly atOpening?: true;
      /** Nobody requested it just now: it starts because this issue is finished. */
      readonly afterIssue?: number;
      /** Nobody requested it just now: it is the next sub-issue of this issue, on which work was requested. */
      readonly subIssueOf?: number;
      /** When that was requested: later changes count only if they are by people who may request work. */
      readonly requestedAt?: string;
      /** It begins at the pull request of this sub-issue before it, as long as that is open. */
      readonly onTopOf?: number;
      /** Its text mentions the App, so it may request work. */
      readonly addressed?: true;
      /** A review of this pull request of someone else is wanted, and no work on it. */
      readonly review?: ReviewCause;
    }
  | {
      readonly kind: 'comment';
      readonly on: 'issue' | 'pull_request';
      readonly commentId: number;
      readonly body: string;
      readonly at?: string;
      /** The issue or pull request that it is on was open then. */
      readonly onOpen?: true;
      /** By the author of the issue or pull request. */
      readonly byAuthor?: true;
      /** Its text mentions the App, so it may request something: admission reads what. */
      readonly addressed?: true;
      /** If it is addressed: the issue or pull request that it is on. */
      readonly thread?: ThreadText;
    }
  | {
      readonly kind: 'review';
      readonly pullRequest: number;
      readonly reviewId: number;
      /** Missing if one of its comments came first: admission looks up the verdict and the body. */
      readonly verdict?: ReviewVerdict;
      readonly body: string;
      /** When it was submitted, if that is known: its comments may be older. */
      readonly at?: string;
      /** The pull request was open then. */
      readonly onOpen?: true;
      /** Its words, or the comment that came first, mention the App, so it may request something. */
      readonly addressed?: true;
      /** If it is addressed: the pull request that it is on. */
      readonly thread?: ThreadText;
    }
  /**
   * Someone changed their own words there: they count as they are now if the model has not read them yet. What asked for nothing
   * before may ask for something now.
   */
  | {
      readonly kind: 'edited';
      readonly in: TextPlace;
      readonly body: string;
      /** GitHub's time of it. */
      readonly at?: string;
      /** It mentions the App now, as a comment may. */
      readonly addressed?: true;
      /** If it is addressed: what it is on, and that as of then. */
      readonly on?: 'issue' | 'pull_request';
      readonly thread?: ThreadText;
    }
  /** What was written there is gone, whoever deleted it. */
  | { readonly kind: 'deleted'; readonly in: TextPlace }
  /** A thread of its line comments was resolved, or opened again. `root`: the id of its first comment. */
  | {
      readonly kind: 'review_thread';
      readonly pullRequest: number;
      readonly root: number;
      readonly isResolved: boolean;
      readonly at: string;
    }
  | {
      readonly kind: 'pull_request_closed';
      readonly pullRequest: number;
      readonly merged: boolean;
      /** GitHub's time of it. */
      readonly at?: string;
    }
  /** A 👍 on the comment that shows the plan, which is the entry `plan`. `at`: GitHub's time of it. */
  | { readonly kind: 'thumbs_up'; readonly plan: number; readonly at?: string }
  /** A 👍 on the comment that says which checks failed, which is the entry `checks`. */
  | { readonly kind: 'fix_approved'; readonly checks: number; readonly at?: string }
  /** Someone used a button of our check run on this commit, or asked for the check run again. We know of no time of GitHub's for that (unproven). */
  | { readonly kind: 'check_action'; readonly action: CheckAction; readonly sha: string }
  /** The operator asks for that, by the command line of the service. */
  | { readonly kind: 'operator_command'; readonly command: OperatorCommand }
  /** The checks of a commit may have changed: only a reason to read them. */
  | { readonly kind: 'checks_changed'; readonly sha: string }
  | {
      readonly kind: 'pull_request_reopened';
      readonly pullRequest: number;
      /** GitHub's time of it. */
      readonly at?: string;
    }
  /** Someone other than this App took it out of draft. */
  | { readonly kind: 'marked_ready'; readonly pullRequest: number }
  /** GitHub took it out of a merge queue, because checks failed there. */
  | { readonly kind: 'dequeued'; readonly pullRequest: number }
  /** GitHub cannot merge it: it was looked up, with the branch it goes to and the commits of both. */
  | {
      readonly kind: 'conflict';
      readonly pullRequest: number;
      readonly branch: string;
      readonly head: string;
      readonly base: string;
    }
  /** `at`: GitHub's time of the event. */
  | { readonly kind: 'issue_closed' | 'issue_reopened'; readonly at: string }
  /** It is gone. `movedTo`: its new address; it was deleted if there is none. */
  | { readonly kind: 'issue_gone'; readonly movedTo?: string }
  | { readonly kind: 'unlabeled'; readonly label: string; readonly at?: string }
  | { readonly kind: 'unassigned'; readonly assignee: string; readonly at?: string }
  /** It has that type no more, and no other one. */
  | { readonly kind: 'untyped'; readonly type: string; readonly at?: string };

/** An intent with its origin. `meaning` is equal for two deliveries of the same event. */
export interface Arrival {
  readonly installation: number;
  readonly repository: RepositoryRef;
  readonly thread: {
    readonly on: 'issue' | 'pull_request';
    readonly number: number;
    /**
     * The issue that the pull request's branch is for: what people do with it may come in before we
     * have written down that we opened it.
     */
    readonly issue?: number;
  };
  readonly sender: Person;
  readonly meaning: string;
  /** Only if the thread has no session yet. */
  readonly onlyNew?: true;
  /** What it says, if the intent does not hold that: a comment of a review. */
  readonly says?: string;
  readonly intent: Intent;
}
