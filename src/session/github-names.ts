// The names that the service uses on GitHub: branches, labels, and the keys of its comments.
import type { CheckAction } from '../contracts/intent.ts';
import type { Proposal } from './parts/session-proposals.ts';
import type { Session } from './session.ts';
import { withoutShortcodes } from '../lib/text/emoji.ts';

/** What the name of a branch is made of. */
export type BranchSource = {
  readonly thread: Pick<
    Session['thread'],
    'issue' | 'closedPullRequests' | 'adopted' | 'folder' | 'byHand'
  >;
  readonly work: Pick<Session['work'], 'branchSuffix' | 'patches'>;
};

/**
 * The session's branch, with the suffix that the agent gave it, if any. The number keeps the branches
 * of sessions apart; after a closed pull request there is a new one. On the pull request of someone else, its branch;
 * but never that of a fork, which may have the name of any branch here: each patch that needs a branch has one of its own.
 */
export function branchOf({ thread, work }: BranchSource, branchSuffix = work.branchSuffix): string {
  const own = thread.folder ?? thread.byHand;
  if (own !== undefined) return own.branch;
  if (thread.adopted?.fork !== undefined) {
    const nth = work.patches.length === 0 ? '' : `-${work.patches.length + 1}`;
    return `issuewright/pull-${thread.adopted.number}${nth}`;
  }
  if (thread.adopted !== undefined) return thread.adopted.branch;
  const count = thread.closedPullRequests === 0 ? '' : `-${thread.closedPullRequests + 1}`;
  const suffix = branchSuffix === undefined ? '' : `-${branchSuffix}`;
  return `${issueBranch(thread.issue)}${count}${suffix}`;
}

/** How the branches of sessions of an App begin. */
export const issueBranch = (issue: number): string => `issuewright/issue-${issue}`;

/** The branches of work by hand on an issue, which no session of the App takes for its own. `count`: from 1 on. */
export const handBranch = (issue: number, count: number): string =>
  `issuewright/run-${issue}${count === 1 ? '' : `-${count}`}`;

/** The issue whose session has this branch; `undefined` for any other one. */
export function issueOf(branch: string): number | undefined {
  const [, issue] = /^issuewright\/issue-([1-9]\d{0,8})(?:-|$)/.exec(branch) ?? [];
  return issue === undefined ? undefined : Number(issue);
}

/** The buttons of our check run. */
export type CheckButton = Exclude<CheckAction, 'rerun'>;

/**
 * The identifier of a button, by which GitHub says that it was used. `uses`: how often any of them was used before, so
 * that two events of one use are equal, and those of two uses are not.
 */
export const buttonId = (button: CheckButton, uses: number): string => `${button}-${uses}`;

/** `undefined` if it is none of ours. */
export function buttonOf(identifier: string): CheckButton | undefined {
  const [, button] = /^([a-z]+)-\d{1,9}$/.exec(identifier) ?? [];
  return BUTTONS.find((one) => one === button);
}

const BUTTONS: readonly CheckButton[] = ['fix', 'resolve', 'stop'];

/** A label on an issue that asks for the plan first, whatever the settings say. */
export const PLAN_LABEL = 'issuewright:plan';
/** What begins labels on an issue that choose the model and its effort. */
export const MODEL_LABEL = 'issuewright:';
/** A label on an issue while people can answer a question there. */
export const QUESTION_LABEL = 'issuewright:question';

/** The keys under which the comments with a question, and with what people are to approve, are published. */
export const questionKey = (seq: number): string => `question:${seq}`;
export const proposalKey = ({ of, seq }: Pick<Proposal, 'of' | 'seq'>): string => `${of}:${seq}`;
/** Of a sub-issue: its place in the proposal of that entry. */
export const subIssueKey = (proposal: number, place: number): string =>
  `sub-issue:${proposal}:${place}`;
/** Of a comment about a sub-issue that was changed. */
export const changedSubIssueKey = (seq: number): string => `changed:${seq}`;
/** Of a comment with a patch. */
export const patchKey = (seq: number): string => `patch:${seq}`;
/** Of a comment about the pull request that another one is based on. */
export const baseKey = (seq: number): string => `base:${seq}`;
/** Of a comment about a pull request that left a merge queue. */
export const dequeuedKey = (seq: number): string => `dequeued:${seq}`;
/** Of a comment about checks that failed. */
export const dismissalKey = (seq: number): string => `dismissal:${seq}`;

export const checksKey = (seq: number): string => `checks:${seq}`;

// One label is written in several ways: GitHub shows `:robot: agent` as it shows `🤖 agent`, and takes both for names of their own
// (mdn/browser-compat-data#4807, TimonVS/pr-labeler-action#65). People who see two equal names mean one label.

/** Asks for a picture in place of a sign, and is left out as often as not. */
const AS_EMOJI = '\uFE0F';

/** Whether people see one name. As on GitHub, case does not matter. */
export const isSameLabel = (one: string | undefined, other: string): boolean =>
  one !== undefined && shownName(one) === shownName(other);

/** Whether two names are of one issue type: case does not matter (rule `issue-types`). */
export const isSameType = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && one.toLowerCase() === other?.toLowerCase();

/** Whether it may have another name on GitHub that looks the same. */
export const hasEmoji = (label: string): boolean =>
  shownName(label) !== label.toLowerCase() || /\p{Extended_Pictographic}|\p{RI}/u.test(label);

const shownName = (label: string): string =>
  withoutShortcodes(label).replaceAll(AS_EMOJI, '').trim().toLowerCase();
