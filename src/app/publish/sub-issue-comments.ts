// The comments about sub-issues: those that wait, or waited, for approval, and those that strangers changed.
import type { Entry } from '../../session/entry.ts';
import { changedSubIssueKey, proposalKey } from '../../session/github-names.ts';
import { entryAt } from '../../session/kept-entries.ts';
import { changedSubIssueComment } from '../../session/texts/sub-issues.ts';
import {
  proposedIn,
  replacedSubIssuesComment,
  subIssuesComment,
  type ProposalOutcome,
} from '../../session/texts/sub-issues.ts';
import { asOf, comment, type Publication, type View } from './publication.ts';

/** One for each proposal; it says which of them are open by now, or that a newer one follows. */
export function proposedSubIssues(view: View): Publication[] {
  const all = view.entries.flatMap((entry) => {
    const items = proposedIn(entry);
    return items.length === 0 ? [] : [{ seq: entry.seq, items }];
  });
  return all.map(({ seq, items }, index) => {
    const then = asOf(view, seq);
    const outcome = proposalOutcome(view, seq);
    const isReplaced = index < all.length - 1 && outcome.opened.length === 0;
    const body = isReplaced
      ? replacedSubIssuesComment(items)
      : subIssuesComment(then.session, items, outcome);
    return comment(then, { key: proposalKey({ of: 'sub_issues', seq }), body });
  });
}

/** While it waits, nobody has approved it: GitHub may have denied to open what someone approved. */
function proposalOutcome({ session, entries }: View, proposal: number): ProposalOutcome {
  const opened: number[] = [];
  let by: string | undefined;
  let denied: string | undefined;
  for (const entry of entries) {
    if (entry.seq < proposal) continue;
    if (entry.seq > proposal && proposedIn(entry).length > 0) break;
    if (entry.type === 'admitted' && entry.approves === 'sub_issues') {
      const words = entryAt(entries, entry.received);
      by = words?.type === 'received' ? words.sender.login : by;
    }
    if (entry.type === 'sub_issue_opened' && entry.proposal === proposal) opened.push(entry.issue);
    if (entry.type === 'sub_issues_denied' && entry.proposal === proposal) denied = entry.reason;
  }
  const isAsked = session.waiting.proposal?.seq === proposal;
  return { by: isAsked ? undefined : by, opened, denied: isAsked ? denied : undefined };
}

/** Whoever may add issues to the parent decides how many there are: the status comment shows all. */
const MOST_TOLD = 3;

/**
 * One for each sub-issue that holds up the rest because someone who cannot start work changed it: a person has to read it. After
 * that, it is told again only once a person who may request work has asked for something.
 */
export function changedSubIssues(view: View): Publication[] {
  const told = new Set<number>();
  return view.entries.flatMap((entry) => {
    if (isRequest(entry, view)) told.clear();
    if (entry.type !== 'sub_issues_read') return [];
    const changed = entry.steps.find(({ stands }) => stands === 'changed');
    if (changed === undefined || told.has(changed.number) || told.size === MOST_TOLD) return [];
    told.add(changed.number);
    const then = asOf(view, entry.seq);
    const body = changedSubIssueComment(then.session, changed);
    return [comment(then, { key: changedSubIssueKey(entry.seq), body })];
  });
}

function isRequest(entry: Entry, { entries }: View): boolean {
  if (entry.type !== 'admitted' || entry.answersOnly === true) return false;
  const received = entryAt(entries, entry.received);
  return (
    entry.ask !== undefined || (received?.type === 'received' && received.intent.kind === 'start')
  );
}
