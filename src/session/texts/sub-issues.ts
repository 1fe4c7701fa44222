// The sub-issues of an issue: what a model proposes and people approve, and where the work on them stands. Markdown.
import type { ProposedSubIssue, SubIssueStep } from '../../contracts/sub-issue-work.ts';
import { sumOfCosts } from '../parts/session-counts.ts';
import { isSubIssueOver } from '../parts/session-thread.ts';
import type { Session } from '../session.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { cost, plural } from './format.ts';
import {
  addressed,
  details,
  oneLine,
  quotation,
  sections,
  wholeLine,
  type Body,
  type Section,
} from './markdown.ts';
import type { Entry } from '../entry.ts';

/** Those of a call; none if it proposed none. */
export function proposedIn(entry: Entry): readonly ProposedSubIssue[] {
  if (entry.type !== 'call_finished') return [];
  return entry.effects.find((effect) => effect.type === 'sub_issues_proposed')?.items ?? [];
}

/** What became of a proposal. */
export interface ProposalOutcome {
  /** Login of who approved it. */
  readonly by?: string | undefined;
  /** Their numbers, in the order of the proposal. */
  readonly opened: readonly number[];
  /** Why GitHub did not let us open the next one, or add it. */
  readonly denied?: string | undefined;
}

/** Waits for approval, or says what was opened. */
export function subIssuesComment(
  session: Session,
  items: readonly ProposedSubIssue[],
  { by, opened, denied }: ProposalOutcome,
): Body {
  if (opened.length === items.length || (by !== undefined && denied === undefined)) {
    const approved = by === undefined ? '' : `Approved by ${by}.`;
    return sections(approved, openedList(items, opened), STARTED_BY_LABEL);
  }
  const count = plural(items.length, 'sub-issue');
  const opening =
    denied === undefined
      ? `I propose ${count}, to be worked on in this order. I open them once you approve:`
      : `GitHub did not let me make ${opened.length === 0 ? 'the first one' : 'the next one'} a sub-issue: ${oneLine(denied)} Approve again once that is fixed.`;
  return sections(
    addressed(session, opening),
    openedList(items, opened),
    ...items.flatMap((item, index) => (index < opened.length ? [] : shown(item, index))),
    `Reply **approve**, or react with 👍. To change them, say what should be different. ${STARTED_BY_LABEL}`,
  );
}

const STARTED_BY_LABEL = 'None is worked on until it, or this issue, gets the label.';

/** GitHub makes a link of the number. */
const openedList = (items: readonly ProposedSubIssue[], opened: readonly number[]): string =>
  opened
    .map((number, index) => `${index + 1}. #${number} ${oneLine(items[index]?.title ?? '')}`)
    .join('\n');

const heading = ({ title }: ProposedSubIssue, index: number): string =>
  `**${index + 1}.** ${wholeLine(title)}`;

/** Quoted, so that no line of it is a command, whoever reads it. The marks that make a text safe may double it. */
const quoted = ({ text }: ProposedSubIssue): Section =>
  quotation(text, 2 * text.length + ROOM_OF_SHORT_TEXT);

const ROOM_OF_SHORT_TEXT = 200;

const shown = (item: ProposedSubIssue, index: number): readonly Section[] => [
  heading(item, index),
  quoted(item),
];

/** Of a proposal that a newer one follows: nobody approves the old one by mistake. */
export const replacedSubIssuesComment = (items: readonly ProposedSubIssue[]): Body =>
  sections(
    'Replaced by what follows.',
    details('The former proposal', items.map(heading).join('\n\n')),
  );

/** The text of a sub-issue. */
export const subIssueBody = (parent: number, item: ProposedSubIssue): Body =>
  sections(`Part of #${parent}, as I proposed it there:`, quoted(item));

// Where the work on them stands.

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
  'added, reopened or changed by someone who cannot start work, or GitHub does not say by whom. Read it, then write `/issuewright retry` here';

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
