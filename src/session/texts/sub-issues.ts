// Where the work on the sub-issues of an issue stands. Markdown.
import type { SubIssueStep } from '../../contracts/sub-issue-work.ts';
import { sumOfCosts } from '../parts/session-counts.ts';
import { isSubIssueOver } from '../parts/session-thread.ts';
import type { Session } from '../session.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { sections, type Body } from './body.ts';
import { addressed } from './comments.ts';
import { cost } from './format.ts';
import { oneLine } from './markdown.ts';

const MOST = 100;
/** Characters of a title with its signs escaped, which may take five for one: all lines have to fit into a comment. */
const LONGEST_TITLE = 300;
const MOST_FOR_ONE = 5;

const SIGNS: Readonly<Record<SubIssueStep['stands'], string>> = {
  to_do: '⚪',
  changed: '❓',
  working: '🔧',
  in_review: '👀',
  asks: '💬',
  failed: '❌',
  closed: '⏹️',
  done: '✅',
};

const CHANGED =
  'added, reopened or changed by someone who cannot start work. Read it, then write `/issuewright retry` here';

const WORDS: Readonly<Record<SubIssueStep['stands'], string>> = {
  to_do: '',
  changed: `: ${CHANGED}`,
  working: '',
  in_review: ': review and merge its pull request',
  asks: ': it waits for you there',
  failed: ': write `/issuewright retry` there, or close it to continue with the next one',
  closed: ': closed before its work was done',
  done: '',
};

/** To the person for whom the sub-issues are worked on. */
export const changedSubIssueComment = (session: Session, { number }: SubIssueStep): Body =>
  sections(addressed(session, `Since you asked for work, #${number} was ${CHANGED}.`));

const stepsOf = ({ thread }: Session): readonly SubIssueStep[] => thread.subIssues?.steps ?? [];

/** Such as *Sub-issues: 1 of 3 done*. */
export function subIssueCount(session: Session): string {
  const steps = stepsOf(session);
  const done = steps.filter(({ stands }) => stands === 'done').length;
  return steps.length === 0 ? 'Sub-issues' : `Sub-issues: ${done} of ${steps.length} done`;
}

/** The one that holds up those after it. */
export function subIssueNow(session: Session): string {
  const open = stepsOf(session).filter((step) => !isSubIssueOver(step));
  const isOnTop = session.thread.subIssues?.onTop === true;
  const now = isOnTop ? open.find(({ stands }) => stands !== 'in_review') : open[0];
  if (now !== undefined) return `${ABOUT[now.stands]} #${now.number}.`;
  const [merged] = open;
  return merged === undefined ? '' : `Waiting for the merge of #${merged.number}.`;
}

const ABOUT: Readonly<Record<SubIssueStep['stands'], string>> = {
  to_do: 'Next is',
  changed: 'Held up by',
  working: 'Working on',
  in_review: 'The next one starts after the merge of',
  asks: 'Waiting for a person on',
  failed: 'Held up by',
  closed: '',
  done: '',
};

/** GitHub makes a link, with the state of the issue, of its number. */
export function subIssueList(session: Session): string {
  const steps = stepsOf(session);
  const lines = steps
    .slice(0, MOST)
    .map(
      ({ number, title, stands }) =>
        `- ${SIGNS[stands]} #${number} ${shortTitle(title)}${WORDS[stands]}`,
    );
  return lines.join('\n');
}

/** Of all their sessions, as the parent read it last. */
export function subIssueCost(session: Session): string {
  const known = stepsOf(session).flatMap((step) => step.cost ?? []);
  return known.length === 0 ? '' : `Cost of the sub-issues: ${cost(sumOfCosts(known))}`;
}

function shortTitle(title: string): string {
  const line = oneLine(title);
  if (line.length <= LONGEST_TITLE) return line;
  return oneLine(cutCharacters(title, LONGEST_TITLE / MOST_FOR_ONE, '…'));
}
