// What is said on a pull request: about the one that it is based on, in review threads, and with a patch for a fork. Markdown.
import type { Patch } from '../../contracts/effect.ts';
import {
  code,
  codeBlock,
  mention,
  oneLine,
  quotation,
  sections,
  unquoted,
  type Body,
} from './markdown.ts';
import { NO_SUMMARY } from './work-done.ts';
import { plural, shortSha } from './format.ts';
import type { RunEnd } from '../../contracts/entries.ts';
import type { ReviewRound, Reviews, RoundThread } from '../parts/session-reviews.ts';
import type { Session } from '../session.ts';
import { stateOf } from '../state.ts';
import type { EntryOf } from '../entry.ts';
import type { NotBased } from '../merge-entry.ts';
import { basedOn, mayNotPush } from '../merging.ts';

// The pull request that another one is based on.

/** For the body of the pull request; empty if it is based on no other. */
export function basedOnLine(session: Session): string {
  const base = basedOn(session);
  if (base === undefined) return '';
  return base.state === 'closed'
    ? `⚠️ **Based on #${base.pullRequest}**, which was closed without being merged.`
    : `**Based on #${base.pullRequest}**; merge that first.`;
}

/** For the status comment. */
export function baseLine(session: Session): string {
  const { base, notBased } = session.thread;
  if (notBased !== undefined) return notBasedWords(notBased);
  if (base?.state === 'merged')
    return `#${base.pullRequest}, which this was based on, was merged. This goes to ${code(base.baseBranch)} now.`;
  return basedOnLine(session);
}

const WHY = {
  none: 'I have no open pull request there',
  merged: 'my pull request there is merged',
  itself: 'that is this work itself',
} as const;

function notBasedWords(found: NotBased): string {
  if (found.kind === 'several') {
    const list = found.pullRequests.map((number) => `#${number}`).join(', ');
    return `Not based on another pull request: several are open (${list}). Choose one with \`/issuewright base #${found.pullRequests[0] ?? 0}\` before I open mine.`;
  }
  const each = found.named.map(({ number, because }) => `#${number}: ${WHY[because]}`).join('; ');
  return `Not based on another pull request. ${each}.`;
}

/** The comment about a pull request below that was closed, or that could not be left; `undefined`: nothing to say. */
export function baseComment(session: Session, entry: EntryOf<'base_changed'>): Body | undefined {
  const { requester } = session.requests;
  const { pullRequest: own } = session.thread;
  const to = requester === undefined ? '' : `${mention(requester.login)} `;
  const what = own === undefined ? 'this work' : 'this pull request';
  if (entry.problem !== undefined)
    return [
      `${to}#${entry.pullRequest}, which ${what} is based on, was merged, but I couldn't change the base: ${oneLine(entry.problem)} Please choose it with *Edit*, next to the title.`,
    ];
  if (entry.state !== 'closed') return undefined;
  return [
    `${to}#${entry.pullRequest}, which ${what} is based on, was closed without a merge; its commits are still in here. ${
      own === undefined
        ? 'Reopen it, or write `/issuewright stop`.'
        : 'Reopen it, close this too, or choose another base with *Edit*, next to the title, and tell me what to take out.'
    }`,
  ];
}

// Review threads, once the round of review is over.

/** The agent's words, or what is known without them. GitHub makes a link of a commit's name. */
export function threadReply(
  { threads, suggestions }: Reviews,
  round: ReviewRound,
  { thread, reply, comments }: RoundThread,
): Body {
  const isApplied = suggestions.some(
    ({ comment, outcome }) => outcome === 'applied' && comments.includes(comment),
  );
  const path = threads[thread - 1]?.path ?? '';
  const changed = commitsOf(round, path).map(shortSha).join(', ');
  const deed = isApplied ? 'Applied' : `Changed ${code(path)}`;
  if (reply !== undefined && changed === '') return [unquoted(reply)];
  // "Removed.", "Renamed it": a few words, to which the commit is added.
  const isDeed = /^(?:\p{L}+ed|Done)(?: [\p{L}\p{N}]+){0,3}\.?$/u.test(reply?.trim() ?? '');
  if (reply !== undefined && isDeed && !isApplied)
    return [unquoted(`${reply.trim().replace(/\.$/, '')} in ${changed}.`)];
  if (reply !== undefined) return [`${deed} in ${changed}.`, unquoted(reply)];
  if (changed !== '') return [`${deed} in ${changed}.`];
  return [nothingDone(round.end)];
}

/** The commits of a round that changed a file. */
export const commitsOf = ({ commits }: ReviewRound, path: string): readonly string[] =>
  commits.flatMap(({ sha, paths }) => (paths.includes(path) ? [sha] : []));

function nothingDone(end: RunEnd | undefined): string {
  switch (end?.kind) {
    case 'limit':
    case 'failed':
    case 'stopped':
      return `I didn't get to this: ${oneLine(end.reason)}`;
    case 'finished':
    case 'answered':
    case 'asked':
    case undefined:
      return 'I changed nothing for this. If something should change, reply and say what.';
    default:
      return end satisfies never;
  }
}

/** Said in the comment that is kept up to date, while work may follow. Empty for an issue. */
export function aboutAdopted(session: Session): string {
  const { adopted } = session.thread;
  if (adopted === undefined || stateOf(session) === 'done') return '';
  const { author, branch, fork } = adopted;
  const whose = `${oneLine(author)}'s pull request`;
  if (fork !== undefined)
    return `I'm working on ${whose}. Its branch is in a fork, so I answer with a patch and run none of its code.`;
  if (mayNotPush(session))
    return `I only look at ${whose}: nobody has let me push to ${code(branch)}.`;
  return `I'm working on ${whose}. I push to ${code(branch)}, never by force.`;
}

// A pull request that has been reviewed again and again.

export const roundsReached = ({ sinceAsked: { runs } }: Reviews): string =>
  `${plural(runs, 'round')} of review are done, the limit of this pull request (\`limits.review_rounds\`), so I stopped.`;

/** On the pull request, or at the end of a review of it. */
export const DISMISSAL_DENIED =
  'My earlier verdict no longer holds, and GitHub does not let me dismiss it: someone who may dismiss reviews of this branch has to.';

export function roundLimitComment({ reviews, requests: { requester } }: Session): Body {
  const to = requester === undefined ? '' : `${mention(requester.login)} `;
  return [
    `${to}${roundsReached(reviews)} To continue with your latest comments, write \`/issuewright retry\`.`,
  ];
}

// A change of a fork's branch, as people are given it.

export interface PatchWords {
  /** Logins of those who are told: whoever asked, and the author of the pull request. */
  readonly to: readonly string[];
  /** Where people see the repository. */
  readonly repositoryUrl: string | undefined;
  /** There is a newer one for the same commit, which has all of this. */
  readonly isReplaced: boolean;
}

const MAX_SUMMARY = 15_000;
/** No line of a diff is this. */
const END = 'END_OF_PATCH';

export const patchComment = (patch: Patch, words: PatchWords): Body =>
  sections(
    `${words.to.map((login) => `${mention(login)} `).join('')}I can't push to a fork, so here is a patch for ${code(shortSha(patch.base))}:`,
    words.isReplaced ? '**There is a newer patch below, which has all of this one.**' : '',
    patch.summary === '' ? NO_SUMMARY : quotation(patch.summary, MAX_SUMMARY),
    patch.text === undefined ? onBranch(patch, words) : inComment(patch, patch.text),
  );

const HOW = 'Run this at the root of a clone, with the head of this pull request checked out:';

const inComment = ({ files, isRedacted }: Patch, text: string): Body =>
  sections(
    isRedacted === true
      ? '⚠️ Something in it looked like a secret and was taken out, so git may not apply it.'
      : '',
    `<details><summary>Patch (${plural(files.length, 'file')}) with <code>git apply</code></summary>`,
    HOW,
    { code: `git apply <<'${END}'\n${text}${END}`, language: 'diff' },
    '</details>',
  );

/** Takes out of the change what the commit has besides: the workflow files of the base branch. */
const WITHOUT_WORKFLOWS = ' && git restore --source=HEAD --staged --worktree -- .github/workflows';

function onBranch(
  { base, branch = '', files, hasNewWorkflows }: Patch,
  { repositoryUrl }: PatchWords,
): Body {
  const url = repositoryUrl ?? 'origin';
  const compared = `${url}/compare/${base}...${branch}`;
  const where =
    repositoryUrl === undefined ? code(branch) : `[${code(branch)}](${encodeURI(compared)})`;
  const from = repositoryUrl === undefined ? url : `${url}.git`;
  return sections(
    `Patch (${plural(files.length, 'file')}) on the branch ${where}, because it is too large for a comment or has more than plain text. ${HOW}`,
    codeBlock(
      `git fetch '${from}' ${branch} && git cherry-pick --no-commit FETCH_HEAD${hasNewWorkflows === true ? WITHOUT_WORKFLOWS : ''}`,
      'sh',
    ),
    'Delete the branch once you have it. No workflows run on it, because it has code of a fork.',
  );
}
