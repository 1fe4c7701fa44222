// Whether a label that was added or removed counts.
import type { GitHubRepository } from '../../github/repository.ts';
import type { RejectionReason } from '../../session/entry.ts';
import type { Session } from '../../session/session.ts';
import type { JournalTracker } from '../service/journal-tracker.ts';
import { isRepeatedStart, type Start } from './repeated-start.ts';
import type { Rules } from './settings.ts';
import type { ShownTexts } from './shown-texts.ts';

type Issues = Pick<GitHubRepository, 'issueState'>;

interface Parts {
  readonly github: Issues;
  readonly tracker: Pick<JournalTracker, 'session' | 'entries'>;
  readonly texts: ShownTexts;
  readonly rules: Rules;
}

/** Why an added label starts nothing. `seq`: of the entry that received it. */
export async function againstLabel(
  seq: number,
  start: Start,
  { github, tracker, texts, rules }: Parts,
): Promise<RejectionReason | undefined> {
  if (start.label !== rules.label) return 'other_label';
  if (isRepeatedStart(start, seq, tracker)) return 'duplicate';
  const issue = await github.issueState(tracker.session.thread.issue);
  texts.fetchedIssue(issue);
  return issue.isOpen && issue.labels.includes(start.label) ? undefined : 'outdated';
}

/** Why a removed label stops nothing. It needs no permission; but the label may have been added again. */
export async function againstUnlabeled(
  label: string,
  { thread }: Pick<Session, 'thread'>,
  github: Issues,
  rules: Rules,
): Promise<RejectionReason | undefined> {
  if (label !== (thread.label === '' ? rules.label : thread.label)) return 'other_label';
  const { labels } = await github.issueState(thread.issue);
  return labels.includes(label) ? 'outdated' : undefined;
}
