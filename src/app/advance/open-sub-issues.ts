// Opens the sub-issues that someone approved, one after the other.
import type { ProposedSubIssue } from '../../contracts/sub-issue-work.ts';
import { besideTheWork } from '../../lib/errors.ts';
import { entryAt } from '../../session/kept-entries.ts';
import { subIssueKey } from '../../session/github-names.ts';
import { isClosed } from '../../session/state.ts';
import { proposedIn, subIssueBody } from '../../session/texts/sub-issue-proposal.ts';
import type { SessionScope } from '../service/service.ts';

type Parts = Pick<SessionScope, 'tracker' | 'github'> & {
  readonly service: Pick<SessionScope['service'], 'pause' | 'log' | 'pageUrl'>;
};

/**
 * Each is journaled once it is open. After a crash, one that GitHub has already is found by its marker: none is opened twice. If
 * GitHub denies one, people are told why, and an approval continues there.
 */
export async function openApprovedSubIssues(parts: Parts): Promise<void> {
  const { tracker, service } = parts;
  const { openingSubIssues: opening } = tracker.session.waiting;
  if (opening === undefined || !isDue(parts) || (await service.pause.look()) !== undefined) return;
  const { seq: proposal } = opening.proposal;
  const entry = entryAt(tracker.entries, proposal);
  const items = entry === undefined ? [] : proposedIn(entry);
  const denied = await besideTheWork(
    () => openEach(parts, { proposal, at: entry?.at ?? '', items }),
    (reason) => reason,
  );
  if (denied === undefined) return;
  service.log.warn({ reason: denied }, 'failed to open a sub-issue');
  await tracker.append({ type: 'sub_issues_denied', proposal, reason: denied });
}

/** People may have stopped or paused it meanwhile. */
const isDue = ({ tracker: { session } }: Parts): boolean =>
  session.waiting.openingSubIssues !== undefined &&
  session.waiting.pausedBy === undefined &&
  session.requests.stop === undefined &&
  !isClosed(session);

/** The numbers of those that earlier proposals opened, by title: one that is proposed again with its title is the same. */
const openedBefore = ({ tracker: { entries } }: Parts): ReadonlyMap<string, number> =>
  new Map(
    entries.flatMap((entry): [string, number][] => {
      if (entry.type !== 'sub_issue_opened') return [];
      const of = entryAt(entries, entry.proposal);
      const item = of === undefined ? undefined : proposedIn(of)[entry.place];
      return item === undefined ? [] : [[item.title, entry.issue]];
    }),
  );

interface Proposal {
  readonly proposal: number;
  /** When it was made. */
  readonly at: string;
  readonly items: readonly ProposedSubIssue[];
}

async function openEach(parts: Parts, { proposal, at, items }: Proposal): Promise<undefined> {
  const { tracker, github, service } = parts;
  const { issue: parent } = tracker.session.thread;
  const done = new Set(
    tracker.entries.flatMap((entry) =>
      entry.type === 'sub_issue_opened' && entry.proposal === proposal ? [entry.place] : [],
    ),
  );
  const opened = openedBefore(parts);
  for (const [place, item] of items.entries()) {
    if (done.has(place)) continue;
    await tracker.refresh();
    if (!isDue(parts)) return;
    const issue =
      opened.get(item.title) ??
      (await github.openSubIssue({
        session: tracker.id,
        key: subIssueKey(proposal, place),
        parent,
        since: at,
        title: item.title,
        body: subIssueBody(parent, item),
        whole: service.pageUrl(tracker.id),
      }));
    await tracker.append({
      type: 'sub_issue_opened',
      proposal,
      place,
      issue,
      ...(place === items.length - 1 ? { isLast: true } : {}),
    });
  }
}
