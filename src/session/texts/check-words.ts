// What people are told of checks. Names and words of checks are by others. Markdown.
import { faultyLines } from '../../lib/fingerprint.ts';
import type { Excuse, FailedCheck, LeftBecause } from '../../contracts/checks.ts';
import type { FailedChecks } from '../parts/session-checks.ts';
import type { Session } from '../session.ts';
import { addressed, sections, code, mention, oneLine, type Body } from './markdown.ts';
import { plural, shortSha } from './format.ts';
import type { CheckButton } from '../github-names.ts';
import { hasBrokenOff, isUnfinished, stateOf, type State } from '../state.ts';
import { hasFailingChecks } from '../checks/due.ts';
import { headline } from './headline.ts';
import { selfReview } from './work-done.ts';

// Together well below what GitHub takes.
const MAX_LISTED = 10;
const MAX_LOGS = 5;
const MAX_LOG = 3_000;

/** The comment on the pull request about checks that failed: a question, or why they are left to people. */
export function checksComment(session: Session, sha: string, result: FailedChecks): Body {
  const { failures, more, next } = result;
  const count = plural(failures.length + more, 'check');
  const shown = failures.slice(0, MAX_LISTED);
  const list = shown.map(failureLine);
  if (more > 0) list.push(`- … and ${more} more`);
  return sections(
    addressed(session, `${count} failed on ${code(shortSha(sha))}:`),
    list.join('\n'),
    next.do === 'leave'
      ? leftWords(next.because, result)
      : 'To let me fix this, react with 👍 or write `/issuewright fix`.',
    [...new Set(failures.flatMap((one) => one.noLog ?? []))].join(' '),
    ...shown.slice(0, MAX_LOGS).map(foldedLog),
  );
}

/** What a failure says is its line; the rest is there for those who want it. */
const foldedLog = ({ name, log }: FailedCheck): Body =>
  log === ''
    ? []
    : [
        // Within HTML, code is no code.
        `<details><summary>Log of ${oneLine(name.replaceAll(/[^\p{L}\p{N} .,()/-]/gu, ' '))}</summary>`,
        { code: log.slice(-MAX_LOG).toWellFormed(), language: '' },
        '</details>',
      ];

/** The comment on the pull request once GitHub took it out of a merge queue. */
export function dequeuedComment({ requests: { requester } }: Session): Body {
  const to = requester === undefined ? '' : `${mention(requester.login)} `;
  return [
    `${to}Checks failed in the merge queue, so GitHub removed this pull request from it. Write \`/issuewright resolve\` to merge the base branch in: the same checks then run here.`,
  ];
}

function leftWords(because: LeftBecause, { rounds }: FailedChecks): string {
  switch (because) {
    case 'base':
      return 'The base branch fails in the same way, so I left this alone.';
    case 'flaky':
      return 'This is not about the change, so I left it alone. Please run the checks again.';
    case 'same':
      return `My last fix didn't help: the failures are the same. ${AGAIN}`;
    case 'rounds':
      return `I stopped after ${plural(rounds, 'fix', 'fixes')} (\`limits.ci_rounds\`). ${AGAIN}`;
    default:
      return because satisfies never;
  }
}

const AGAIN = 'To let me try again, write `/issuewright fix`, with a hint if you have one.';

const EXCUSES: Readonly<Record<Excuse, string>> = {
  base: 'the base branch fails too',
  passed_before: 'it passed on the same commit before',
  no_result: 'it ended without a result',
  runner_lost: 'its runner was lost',
};

function failureLine(failure: FailedCheck): string {
  const { name, conclusion, url, excuse } = failure;
  const what = url === null ? code(name) : `[${code(name)}](${linkable(url)})`;
  const reason = reasonOf(failure);
  const words = reason === '' ? oneLine(conclusion.replaceAll('_', ' ')) : oneLine(reason);
  return `- ${what}: ${words}${excuse === undefined ? '' : ` (${EXCUSES[excuse]})`}`;
}

/** The lines of a log that say what the fault is; then those that name a test. */
const CLEAREST = [
  /(?:error|exception)(?:\[\w{1,60}\]|\s\w{0,30}\d)?: |panicked at|^E {2,}/i,
  /^\s*(?:[●✕✗✖×]|not ok|--- FAIL)/,
];

/** What says why it failed: its own summary, a line of the code, or the last such lines of its log. */
function reasonOf({ summary, annotations, log }: FailedCheck): string {
  if (summary !== '') return summary;
  // GitHub's own, of a step that ended with an exit code, are on the folder of the workflows.
  const onCode = annotations.find(({ path }) => path !== '.github');
  if (onCode !== undefined) return `${onCode.path}:${onCode.line}: ${onCode.message}`;
  const lines = log.split('\n').filter((line) => !line.startsWith('##['));
  const clearest = CLEAREST.map((sign) => lines.find((line) => sign.test(line)));
  const line = clearest.find((found) => found !== undefined) ?? faultyLines(lines.join('\n'))[0];
  return line?.trim() ?? annotations[0]?.message ?? '';
}

const linkable = (url: string): string =>
  encodeURI(url).replaceAll('(', '%28').replaceAll(')', '%29');

/** What the status comment says about the checks; empty if there is nothing to say. */
export function checksLine({ checks, thread: { pullRequest } }: Session): string {
  const { last, fixes, due } = checks;
  if (last === undefined || pullRequest?.state !== 'open') return '';
  const { result } = last;
  switch (result.kind) {
    case 'unreadable':
      return `I can't see the checks of #${pullRequest.number}. ${result.reason}`;
    case 'passed':
      return fixes === 0 ? '' : `✅ The checks passed after ${plural(fixes, 'round')} of fixes.`;
    case 'failed': {
      const count = plural(result.failures.length + result.more, 'check');
      const next = due === undefined ? NEXT[result.next.do] : NEXT.fix;
      return `❌ ${count} failed on ${code(shortSha(last.sha))}. ${next} #${pullRequest.number}.`;
    }
    default:
      return result satisfies never;
  }
}

const NEXT = {
  fix: "I'm fixing",
  ask: 'May I fix this? See',
  leave: 'I left this to you, see',
} as const;

// What the check run on the head of the pull request says.

export interface CheckRunText {
  /** `undefined` while work is in progress. */
  readonly conclusion: 'success' | 'neutral' | 'failure' | 'cancelled' | undefined;
  readonly title: string;
  readonly summary: Body;
}

/** GitHub takes labels of 20 characters, and descriptions of 40. */
export const BUTTONS: Readonly<Record<CheckButton, { label: string; description: string }>> = {
  fix: { label: 'Fix checks', description: 'Let the agent fix what failed' },
  resolve: { label: 'Resolve conflicts', description: 'Merge the base branch into this branch' },
  stop: { label: 'Stop', description: 'Stop the work on this pull request' },
};

const MOST_STEPS = 50;

export function checkRunText(session: Session): CheckRunText {
  const { words } = headline(session);
  const summary = sections(steps(session), selfReview(session.work));
  return {
    conclusion: conclusionOf(session),
    title: words,
    summary: summary.length === 0 ? [words] : summary,
  };
}

/** Waiting for people is neither good nor bad: nobody should be kept from merging by it. */
function conclusionOf(session: Session): CheckRunText['conclusion'] {
  const state = stateOf(session);
  const isLess = isUnfinished(session.run) || hasBrokenOff(session) || hasFailingChecks(session);
  return state === 'waiting(review)' && isLess ? 'neutral' : CONCLUSIONS[state];
}

const CONCLUSIONS: Readonly<Record<State, CheckRunText['conclusion']>> = {
  ignored: 'neutral',
  queued: undefined,
  working: undefined,
  'waiting(answer)': 'neutral',
  'waiting(approval)': 'neutral',
  'waiting(review)': 'success',
  'waiting(pause)': 'neutral',
  'waiting(person)': 'neutral',
  'waiting(sub-issues)': 'neutral',
  done: 'neutral',
  failed: 'failure',
  stopped: 'cancelled',
};

const steps = ({ work: { plan } }: Session): string =>
  plan
    .slice(0, MOST_STEPS)
    .map(({ done, title }) => `- [${done ? 'x' : ' '}] ${oneLine(title)}`)
    .join('\n');
