// What people are told of checks. Names and words of checks are by others. Markdown.
import type { Excuse, FailedCheck, LeftBecause } from '../../contracts/checks.ts';
import type { FailedChecks } from '../parts/session-checks.ts';
import type { Session } from '../session.ts';
import { sections, type Body } from './body.ts';
import { plural, shortSha } from './format.ts';
import { code, mention, oneLine } from './markdown.ts';

const MAX_LISTED = 10;

/** The comment on the pull request about checks that failed: a question, or why they are left to people. */
export function checksComment(
  { requests: { requester } }: Session,
  sha: string,
  result: FailedChecks,
): Body {
  const { failures, more, next } = result;
  const to = requester === undefined ? '' : `${mention(requester.login)} `;
  const count = plural(failures.length + more, 'check');
  const list = failures.slice(0, MAX_LISTED).map(failureLine);
  if (more > 0) list.push(`- … and ${more} more`);
  const all = list.join('\n');
  const noLog = [...new Set(failures.flatMap((one) => one.noLog ?? []))].join(' ');
  const opening = `${to}${count} failed on ${code(shortSha(sha))}:`;
  if (next.do !== 'leave')
    return sections(
      opening,
      all,
      'To let me fix this, react to this comment with 👍, or write `/issuewright fix`.',
      noLog,
    );
  return sections(opening, all, leftWords(next.because, result), noLog);
}

/** The comment on the pull request once GitHub took it out of a merge queue. */
export function dequeuedComment({ requests: { requester } }: Session): Body {
  const to = requester === undefined ? '' : `${mention(requester.login)} `;
  return sections(
    `${to}GitHub took this pull request out of the merge queue, because checks failed there. They ran on a commit of the queue, with the base branch merged in.`,
    'To see and fix the failure here, write `/issuewright resolve`: I merge the base branch in, and the same checks run on this pull request.',
  );
}

function leftWords(because: LeftBecause, { rounds }: FailedChecks): string {
  switch (because) {
    case 'base':
      return "The base branch has the same failures, so they don't come from this pull request, and I left them alone.";
    case 'flaky':
      return 'This says nothing about the change, so I changed nothing. Someone with write access can run these checks again.';
    case 'same':
      return `My last fix didn't change this: the same checks fail in the same way. I stopped here. ${AGAIN}`;
    case 'rounds':
      return `I've tried ${plural(rounds, 'fix', 'fixes')} in a row, which is the limit (\`limits.ci_rounds\`). I stopped here. ${AGAIN}`;
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

function failureLine({ name, conclusion, url, summary, annotations, excuse }: FailedCheck): string {
  const what = url === null ? code(name) : `[${code(name)}](${linkable(url)})`;
  const said = summary === '' ? (annotations[0]?.message ?? '') : summary;
  const words = said === '' ? '' : `: ${oneLine(said)}`;
  const why = excuse === undefined ? '' : ` (${EXCUSES[excuse]})`;
  return `- ${what}, ${oneLine(conclusion.replaceAll('_', ' '))}${words}${why}`;
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
      return `I can't see the checks of #${pullRequest.number}, so I won't fix failures. ${result.reason}`;
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
  ask: 'I asked whether to fix this in',
  leave: 'I said why I left this to you in',
} as const;
