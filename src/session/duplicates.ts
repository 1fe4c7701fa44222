// What seems to solve an issue already, judged from what GitHub has around it. Pure.
import type {
  Duplicate,
  RelatedCommit,
  RelatedPull,
  RelatedWork,
} from '../contracts/related-work.ts';
import { issueOf } from './github-names.ts';

/** The issue that work is requested on. */
export interface AboutIssue {
  readonly issue: number;
  readonly title: string;
  readonly body: string;
  readonly repository: { readonly owner: string; readonly name: string };
}

/** Of each of the two sorts. */
const MOST = 5;

/**
 * Those that are clear first. `isTrusted`: whether this person may decide about the repository; it matters only
 * for pull requests from forks, which anyone may open.
 */
export function duplicatesIn(
  found: RelatedWork,
  about: AboutIssue,
  isTrusted: (login: string) => boolean,
): readonly Duplicate[] {
  const all = [
    ...found.pulls.flatMap((pull) => pullDuplicate(pull, found, about, isTrusted)),
    ...commitDuplicates(found, about),
    ...found.branches.filter((name) => namesIssue(name, about.issue)).flatMap(branchDuplicate),
  ];
  const pulled = new Set(found.pulls.map(({ branch }) => branch));
  const each = all.filter((one) => one.kind !== 'branch' || !pulled.has(one.name));
  const clear = each.filter(isClear);
  const possible = each.filter((one) => !isClear(one));
  return [...clear.slice(0, MOST), ...possible.slice(0, MOST)];
}

/** The people whose pull requests from forks say that they close the issue: whether they may is to be looked up. */
export function claimants(found: RelatedWork, { issue }: AboutIssue): readonly string[] {
  const pulls = found.pulls.filter(
    (pull) => pull.closes && pull.isFromFork && isCurrent(pull, found) && !isOwn(pull, issue),
  );
  return [...new Set(pulls.flatMap(({ author }) => author ?? []))];
}

export const isClear = (one: Duplicate): boolean => 'isClear' in one && one.isClear === true;

function pullDuplicate(
  pull: RelatedPull,
  found: RelatedWork,
  about: AboutIssue,
  isTrusted: (login: string) => boolean,
): Duplicate[] {
  const { number, state } = pull;
  if (state === 'closed' || isOwn(pull, about.issue) || !isCurrent(pull, found)) return [];
  const of = { kind: 'pull_request', number, state } as const;
  if (pull.closes) {
    const { isFromFork, author } = pull;
    const may = !isFromFork || (author !== undefined && isTrusted(author));
    return [may ? { ...of, why: 'closes', isClear: true } : { ...of, why: 'unproven' }];
  }
  if (state !== 'open') return [];
  if (pull.mentions) return [{ ...of, why: 'mentions' }];
  return isSimilar(pull, about) ? [{ ...of, why: 'similar' }] : [];
}

/** The branch of this issue's session. In a fork, anyone may choose that name. */
const isOwn = ({ branch, isFromFork }: RelatedPull, issue: number): boolean =>
  !isFromFork && issueOf(branch) === issue;

/** People reopened the issue in spite of what was merged before that. */
const isCurrent = ({ state, mergedAt = '' }: RelatedPull, found: RelatedWork): boolean =>
  state !== 'merged' || isSince(mergedAt, found);

const isSince = (at: string, { openedAt, reopenedAt = openedAt }: RelatedWork): boolean =>
  Date.parse(at) >= Date.parse(reopenedAt);

const ALIKE = 0.6;
/** Titles that also change a file which the issue names. */
const ALIKE_WITH_PATH = 0.35;

function isSimilar({ title, paths }: RelatedPull, about: AboutIssue): boolean {
  const alike = similarity(title, about.title);
  if (alike >= ALIKE) return true;
  if (alike < ALIKE_WITH_PATH) return false;
  const named = pathsIn(`${about.title}\n${about.body}`);
  return named.some((name) => paths.some((path) => path === name || path.endsWith(`/${name}`)));
}

const MOST_PATHS = 50;
const LONGEST_PATH = 200;

/** Words that look like the path of a file. */
const pathsIn = (text: string): readonly string[] =>
  text
    .split(/[\s`'"()<>[\]{},;:*]+/)
    .filter((word) => word.length <= LONGEST_PATH && /^[\w./-]*\w\.[a-z]\w{0,5}\.?$/i.test(word))
    .map((word) => word.replace(/^\.?\/|\.$/g, ''))
    .slice(0, MOST_PATHS);

/** `16-days`, as GitHub names a branch for an issue, `issue-16`, `fix/16`, `gh-16-days`; not `release-16`. */
const namesIssue = (branch: string, issue: number): boolean =>
  new RegExp(
    String.raw`(?:^|/)(?:(?:issues?|gh|bug|fix(?:es)?|feat(?:ure)?|task)[-_/#]?)?#?${issue}(?:[-_/]|$)`,
    'i',
  ).test(branch);

/** Names that need no escaping anywhere. */
const PLAIN_NAME = /^[\w./-]{1,100}$/;

const branchDuplicate = (name: string): Duplicate[] =>
  PLAIN_NAME.test(name) && issueOf(name) === undefined ? [{ kind: 'branch', name }] : [];

function commitDuplicates(found: RelatedWork, about: AboutIssue): Duplicate[] {
  const reverted = new Set(found.commits.flatMap(({ message }) => revertedBy(message) ?? []));
  return found.commits
    .filter(({ sha, at }) => isSince(at, found) && !reverted.has(sha))
    .flatMap((commit) => commitDuplicate(commit, about));
}

const revertedBy = (message: string): string | undefined =>
  /\bThis reverts commit ([\da-f]{40})\b/.exec(message)?.[1];

const LONGEST_MESSAGE = 20_000;

function commitDuplicate({ sha, message }: RelatedCommit, about: AboutIssue): Duplicate[] {
  const { issue, repository } = about;
  if (revertedBy(message) !== undefined) return [];
  const pattern = `${repository.owner}/${repository.name}`.replaceAll(/[.-]/g, String.raw`\$&`);
  const name = `(?:${pattern}#|(?<![\\w/])#|\\bGH-)${issue}(?!\\d)`;
  const text = message.slice(0, LONGEST_MESSAGE);
  const keyword = String.raw`\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t]{1,5}`;
  if (new RegExp(`${keyword}${name}`, 'i').test(text))
    return [{ kind: 'commit', sha, why: 'closes', isClear: true }];
  return new RegExp(name, 'i').test(text) ? [{ kind: 'commit', sha, why: 'mentions' }] : [];
}

/** Words that say nothing about the subject. */
const COMMON: ReadonlySet<string> = new Set(
  `a an and are as at be been but by can cannot could do does doing done for from get gets has have how i if in into
  is it its it's make makes my no not of on or our please shall should so some than that the their then there these
  they this to too us use uses was we were what when where which while who why will with without would you your
  add adds added adding allow allows bug bugfix change changes chore ci docs feat feature fix fixed fixes fixing
  implement improve issue perf refactor remove support test tests update wip wrong`.split(/\s+/),
);

/** Written without spaces between words. */
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+$/u;
const RUNS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{N}]+/gu;

function titleWords(title: string): ReadonlySet<string> {
  const words = title.toLowerCase().match(RUNS) ?? [];
  const all = words.flatMap((word) => (UNSPACED.test(word) ? pairsOf(word) : [stemOf(word)]));
  return new Set(all.filter((word) => !COMMON.has(word)));
}

const pairsOf = (text: string): string[] =>
  Array.from({ length: Math.max(1, text.length - 1) }, (_, at) => text.slice(at, at + 2));

const LONG = 5;

/** Without the endings that English words change most. */
function stemOf(word: string): string {
  if (COMMON.has(word) || word.length < LONG) return word.replace(/(?<=[a-z]{2}[^s])s$/, '');
  return word.replace(/(?:ing|ed|es|s)$/, '').replace(/e$/, '');
}

/** 0 to 1: the share of the words that both have. Fewer than two words in common are none. */
export function similarity(one: string, other: string): number {
  const [words, others] = [titleWords(one), titleWords(other)];
  const common = [...words].filter((word) => others.has(word)).length;
  return common < 2 ? 0 : (2 * common) / (words.size + others.size);
}
