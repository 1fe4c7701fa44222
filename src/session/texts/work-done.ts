// What the texts about done work share: our own words for an end of which the model said nothing, made of what was observed; what a
// review found; what is left to people; commits.
import { hasPassed, type Commit, type SessionWork } from '../parts/session-work.ts';
import type { Session } from '../session.ts';
import { firstLine, plural, shortSha } from './format.ts';
import type { Finding, LeftStep } from '../../contracts/effect.ts';
import { quotation, sections, code, oneLine, type Body } from './markdown.ts';
import type { FoundChange } from '../../contracts/git.ts';
import type { WithThread } from '../parts/session-thread.ts';

/** In place of the model's words. */
export const NO_SUMMARY = '_The model gave no summary._';

const MOST_COMMITS = 3;

/** Plain text, on one line. */
export function ownSummary(session: Session): string {
  const facts = [
    ...committed(session),
    ...planned(session),
    ...tested(session),
    ...checked(session),
  ];
  const seen = facts.length === 0 ? 'no change' : facts.join(', ');
  return `The model gave no summary. Issuewright observed: ${seen}.`;
}

function committed({ work: { commits } }: Session): string[] {
  if (commits.length === 0) return [];
  const last = commits
    .slice(-MOST_COMMITS)
    .map(({ message }) => `“${firstLine(message)}”`)
    .join(', ');
  const left = commits.length - MOST_COMMITS;
  return [`${plural(commits.length, 'commit')} (${left > 0 ? '…, ' : ''}${last})`];
}

const planned = ({ work: { plan } }: Session): string[] =>
  plan.length === 0
    ? []
    : [`${plan.filter(({ done }) => done).length} of ${plural(plan.length, 'planned step')} done`];

function tested({ work: { tests, changedSinceTests } }: Session): string[] {
  const last = tests.at(-1);
  if (last === undefined) return [];
  const old = changedSinceTests === 'code' ? ' before the last edit' : '';
  return [`tests ${hasPassed(last) ? 'passed' : 'failed'}${old}`];
}

const checked = ({ checks: { last } }: Session): string[] =>
  last?.result.kind === 'passed' || last?.result.kind === 'failed'
    ? [`checks ${last.result.kind}`]
    : [];

// What a model found in a change before people reviewed it.

const MAX_CHARACTERS = 8_000;

/** What was found last, and is as it was; empty without a review. Markdown. */
export function selfReview({ selfReview: review, changedSinceReview }: SessionWork): Body {
  if (review === undefined) return [];
  const { findings, failure } = review;
  const found = findings.length === 0 ? 'nothing found' : plural(findings.length, 'open finding');
  return sections(
    `**Self-review**: ${failure === undefined ? found : 'not done'}`,
    failure === undefined ? '' : quotation(failure, MAX_CHARACTERS),
    findings.length === 0 ? '' : quotation(findingList(findings), MAX_CHARACTERS),
    changedSinceReview ? OLD : '',
  );
}

const OLD = '⚠️ Reviewed before the newest commits.';

/** As a list. Markdown; the words of the findings are a model's. */
export const findingList = (findings: readonly Finding[]): string =>
  findings.map((finding) => `- ${findingLine(finding)}`).join('\n');

function findingLine({ path, line, text }: Finding): string {
  if (path === undefined) return oneLine(text);
  return `${code(line === undefined ? path : `${path}:${line}`)}: ${oneLine(text)}`;
}

// What people do themselves on the pull request, because GitHub denied it to the App. Markdown.

/** What is left on the pull request while it is open. */
export function leftSteps({ thread: { pullRequest } }: WithThread): readonly LeftStep[] {
  return pullRequest?.state === 'open' ? pullRequest.left : [];
}

/** For the status comment. */
export function leftToPeople(session: Session): string {
  const steps = leftSteps(session);
  if (steps.length === 0) return '';
  const number = session.thread.pullRequest?.number;
  const list = steps.map((one) => `- ${whatToDo(one)} (${oneLine(one.reason)})`).join('\n');
  return `⚠️ **Please do this on #${number}**, because GitHub did not let me:\n${list}`;
}

function whatToDo(left: LeftStep): string {
  if (left.step === 'ready_for_review') return 'Click **Ready for review**.';
  return `Request a review from ${left.reviewers.map(code).join(', ')}.`;
}

/** The newest `limit` commits as a list, oldest first. */
export function commitList(commits: readonly Commit[], limit: number): string {
  const lines = commits
    .slice(-limit)
    .map(({ sha, message }) => `- ${code(shortSha(sha))} ${oneLine(firstLine(message))}`);
  const left = commits.length - lines.length;
  return [...(left > 0 ? [`- … ${left} earlier`] : []), ...lines].join('\n');
}

/** What all commits together did to each file, by path. A file that was added and deleted is left out. */
export function combineChanges(commits: readonly Commit[]): FoundChange[] {
  const changed = new Map<string, FoundChange['status']>();
  for (const { path, status } of commits.flatMap(({ files }) => files)) {
    const together = combined(changed.get(path), status);
    if (together === undefined) changed.delete(path);
    else changed.set(path, together);
  }
  return [...changed]
    .map(([path, status]) => ({ path, status }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

type Status = FoundChange['status'];

function combined(before: Status | undefined, now: Status): Status | undefined {
  if (before === 'added') return now === 'deleted' ? undefined : 'added';
  if (before === 'deleted') return now === 'deleted' ? 'deleted' : 'modified';
  return now;
}
