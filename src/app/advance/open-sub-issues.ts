// Opens the sub-issues that someone approved, one after the other.
import type { ProposedSubIssue } from '../../contracts/sub-issue-work.ts';
import { besideTheWork } from '../../lib/errors.ts';
import type { Entry } from '../../session/entry.ts';
import { entryAt } from '../../session/kept-entries.ts';
import { subIssueKey } from '../../session/github-names.ts';
import { isClosed } from '../../session/state.ts';
import { proposedIn, subIssueBody } from '../../session/texts/sub-issues.ts';
import type { SessionScope } from '../service/service.ts';

/**
 * Each is journaled once it is open. After a crash, one that GitHub has already is found by its marker: none is opened twice. If
 * GitHub denies one, people are told why, and an approval continues there.
 */
export async function openApprovedSubIssues(scope: SessionScope): Promise<void> {
  const { tracker, service } = scope;
  const { openingSubIssues: opening } = tracker.session.waiting;
  if (opening === undefined || !isDue(scope) || (await service.pause.look()) !== undefined) return;
  const { seq: proposal } = opening.proposal;
  const entry = entryAt(tracker.entries, proposal);
  const items = entry === undefined ? [] : proposedIn(entry);
  const denied = await besideTheWork(
    () => openEach(scope, { proposal, items }),
    (reason) => reason,
  );
  if (denied === undefined) return;
  service.log.warn({ reason: denied }, 'failed to open a sub-issue');
  await tracker.append({ type: 'sub_issues_denied', proposal, reason: denied });
}

/** People may have stopped or paused it meanwhile. */
const isDue = ({ tracker: { session } }: SessionScope): boolean =>
  session.waiting.openingSubIssues !== undefined &&
  session.waiting.pausedBy === undefined &&
  session.requests.stop === undefined &&
  !isClosed(session);

interface FirstProposal {
  readonly key: string;
  /** When it was made. */
  readonly at: string;
}

/** One that is proposed again with its title is the same: GitHub may have it already. */
function firstProposalOf(entries: readonly Entry[], title: string): FirstProposal | undefined {
  for (const entry of entries) {
    const place = proposedIn(entry).findIndex((one) => one.title === title);
    if (place >= 0) return { key: subIssueKey(entry.seq, place), at: entry.at };
  }
  return undefined;
}

interface Proposal {
  readonly proposal: number;
  readonly items: readonly ProposedSubIssue[];
}

async function openEach(scope: SessionScope, { proposal, items }: Proposal): Promise<undefined> {
  const { tracker, github, service, admit } = scope;
  const { issue: parent } = tracker.session.thread;
  const done = new Set(
    tracker.entries.flatMap((entry) =>
      entry.type === 'sub_issue_opened' && entry.proposal === proposal ? [entry.place] : [],
    ),
  );
  for (const [place, item] of items.entries()) {
    if (done.has(place)) continue;
    await tracker.refresh();
    await admit();
    if (!isDue(scope)) return;
    const first = firstProposalOf(tracker.entries, item.title);
    if (first === undefined) return;
    const issue = await github.openSubIssue({
      session: tracker.id,
      key: first.key,
      parent,
      since: first.at,
      title: item.title,
      body: subIssueBody(parent, item),
      whole: service.pageUrl(tracker.id),
    });
    await tracker.append({
      type: 'sub_issue_opened',
      proposal,
      place,
      issue,
      ...(place === items.length - 1 ? { isLast: true } : {}),
    });
  }
}
