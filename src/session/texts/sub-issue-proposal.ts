// Sub-issues that a model proposed: what people approve, and what is opened then. Markdown.
import type { ProposedSubIssue } from '../../contracts/sub-issue-work.ts';
import type { Entry } from '../entry.ts';
import type { Session } from '../session.ts';
import {
  details,
  quotation,
  sections,
  oneLine,
  wholeLine,
  type Body,
  type Section,
} from './markdown.ts';
import { addressed } from './comments.ts';
import { plural } from './format.ts';

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
