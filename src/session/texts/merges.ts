// What people read of merges: of the base branch, and by GitHub when a pull request is ready.
import type { Person } from '../../contracts/intent.ts';
import type { MergeAnswer, MergeObstacle } from '../../contracts/pull-request.ts';
import type { UnpushedMerge } from '../parts/session-work.ts';
import { details, quotation, sections, code, mention, oneLine, type Body } from './markdown.ts';
import type { AdoptedPullRequestInSession } from '../parts/session-thread.ts';

/** To whoever asked for a merge into the branch of a fork, where nothing can be pushed. */
export const noMergeInFork = (
  login: string,
  { baseBranch, fork = '', author }: AdoptedPullRequestInSession,
): string =>
  `${mention(login)} I can't push to the fork ${code(fork)}. ${oneLine(author)} can merge ${code(baseBranch)}: with *Update branch* or *Resolve conflicts* on this page, or in a clone of the fork.`;

/** Whether the result was tested before it was pushed. */
export type MergeTestOutcome =
  | { readonly kind: 'passed' | 'failed_before'; readonly command: string }
  /** A sentence says why not. */
  | { readonly kind: 'not_run'; readonly reason: string };

export const COMMANDS_OFF = 'Commands are not allowed here.';

/** The message of the commit that ends a merge without conflicts. */
export function mergeMessage(from: string, into: string, tested: MergeTestOutcome): string {
  return `Merge branch '${from}' into ${into}\n\n${testedWords(tested)}`;
}

/** For the message of a commit. */
export function testedWords(tested: MergeTestOutcome): string {
  switch (tested.kind) {
    case 'passed':
      return `The tests passed: ${tested.command}`;
    case 'failed_before':
      return `The tests fail as they did before the merge: ${tested.command}`;
    case 'not_run':
      return `Pushed without tests. ${tested.reason}`;
    default:
      return tested satisfies never;
  }
}

const MOST_OUTPUT = 8_000;

/** What the agent leaves to people: a merge that the tests fail with. Empty if there is none. */
export function unpushedMerge(merge: UnpushedMerge | undefined): Body {
  if (merge === undefined) return [];
  return sections(
    `I haven't pushed the merge of ${code(merge.branch)}, because tests failed with it.`,
    details('Output of the tests', quotation(merge.failedTests, MOST_OUTPUT)),
  );
}

/** How people are told of a limit with conflicts in its way; `undefined` if there are none. */
export const unresolvedConflicts = ({
  conflictsWith,
}: {
  readonly conflictsWith?: string;
}): string | undefined =>
  conflictsWith === undefined
    ? undefined
    : `The conflicts with ${code(conflictsWith)} are not resolved`;

const MOST_PATHS = 10;

/** The conflicts that only people can resolve. */
export const conflictsForPeople = (branch: string, paths: readonly string[]): string =>
  conflictsIn('files that I may not change, or in submodules', branch, paths);

/** Those in a repository of which sessions have a part. */
export const conflictsOutside = (branch: string, paths: readonly string[]): string =>
  conflictsIn('files outside of the directories that the setting `sparse` names', branch, paths);

function conflictsIn(files: string, branch: string, paths: readonly string[]): string {
  const named = paths.slice(0, MOST_PATHS).map(code).join(', ');
  const more = paths.length > MOST_PATHS ? `, and ${paths.length - MOST_PATHS} more` : '';
  return (
    `There are conflicts with ${code(branch)} in ${files}: ${named}${more}. ` +
    `Please merge ${code(branch)} yourself and push; I continue from there.`
  );
}

export const notMerged = (reason: string): string =>
  `I didn't merge the base branch: ${reason}. Please merge it yourself and push; I continue from there.`;

export const TOO_LARGE_TO_MERGE = notMerged(
  'the files that git needs for that are larger than `WORKSPACE_MAX_BYTES`, which the operator can raise',
);

/** `limit`: what it has more of than it may, in words. */
export const historyTooLarge = (limit: string): string =>
  notMerged(
    `the history that git needs for that is too large (${limit}; the operator can raise \`WORKSPACE_MAX_BYTES\`)`,
  );

/** Git did not get all that it needs for the merge in this time. */
export const fetchTooSlow = (seconds: number): string =>
  `I didn't merge the base branch: its history had not arrived after ${seconds} seconds. ` +
  'To try again, write `/issuewright resolve`. Or merge it yourself and push; I continue from there.';

export const TOO_MANY_BASES = notMerged('it has too many merge bases with the branch');

export const TOO_MANY_TO_MERGE = notMerged('it differs from the branch in too many files');

const ON =
  'GitHub merges this pull request once its rules allow that. My own pushes leave that on; a push by someone without write access ends it. I switch it off when you write `/issuewright do not merge`, and when you stop me.';

const NOT_ON: Readonly<Record<Exclude<MergeObstacle, 'denied'>, string>> = {
  not_in_settings:
    'The settings of this repository do not allow that. `merge_when_ready: true` in `.github/issuewright.yml` does.',
  no_pull_request: 'There is no pull request to merge yet. Ask again once there is one.',
  closed: 'The pull request is closed.',
  draft: 'The pull request is a draft. Mark it as ready for review, then ask again.',
  late: 'I read that too late: what you saw may have changed. Ask again if you still want it.',
  head_moved: 'The pull request got another commit after you asked. Look at it, then ask again.',
  not_in_repository:
    'This repository does not allow auto-merge. An administrator can: *Settings*, *General*, *Allow auto-merge*.',
  no_rules:
    'No rule protects the base branch, so there is nothing that GitHub could wait for. Require reviews or status checks there, or merge by hand.',
  ready_now:
    'The pull request can be merged now, so there is nothing that GitHub could wait for. Merge it by hand.',
};

const MOST_DETAILS = 1_000;

/** What became of a command to merge when ready, or not to. */
export function mergeAnswerComment({ login, operator }: Person, answer: MergeAnswer): Body {
  const to = operator === true ? '' : `${mention(login)} `;
  switch (answer.kind) {
    case 'on':
      return [
        `${to}${answer.isQueued === true ? 'It is in the merge queue' : 'Auto-merge is on'}: ${ON}`,
      ];
    case 'off':
      return [`${to}Auto-merge is off: nothing is merged until someone does it.`];
    case 'was_off':
      return [`${to}Auto-merge is not on.`];
    case 'merged':
      return [`${to}The pull request is merged already.`];
    case 'not_on':
      return answer.because === 'denied'
        ? sections(`${to}I couldn't do that:`, quotation(answer.details ?? '', MOST_DETAILS))
        : [`${to}${NOT_ON[answer.because]}`];
    default:
      return answer satisfies never;
  }
}
