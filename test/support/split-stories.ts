// Sub-issues of an issue are proposed, approved and opened.
import type { ProposedSubIssue } from '../../src/contracts/sub-issue-work.ts';
import { Journal } from './journal.ts';

export const SUB_ISSUES: readonly ProposedSubIssue[] = [
  { title: 'Read names', text: 'Read the name from the arguments.' },
  { title: 'Greet by name', text: 'Use it in `greet`.' },
];

/** Two sub-issues wait for approval. */
export const subIssuesProposed = (): Journal =>
  new Journal()
    .start()
    .command('stop')
    .command('split')
    .run()
    .effect({ type: 'sub_issues_proposed', items: SUB_ISSUES }, 'asked')
    .end({ kind: 'asked' });

/** Someone says yes to them. */
export const subIssuesApproved = (): Journal => {
  const journal = subIssuesProposed().comment('approve');
  const received = journal.entries.length;
  return journal.add({ type: 'admitted', received, lineComments: [], approves: 'sub_issues' });
};

/** Both were opened. */
export function subIssuesOpened(): Journal {
  const journal = subIssuesApproved();
  const proposal = journal.session.waiting.openingSubIssues?.proposal.seq ?? 0;
  return journal
    .add({ type: 'sub_issue_opened', proposal, place: 0, issue: 31 })
    .add({ type: 'sub_issue_opened', proposal, place: 1, issue: 32, isLast: true });
}
