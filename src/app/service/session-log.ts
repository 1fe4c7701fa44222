import type { Logger } from 'pino';
import type { JournalTracker } from './journal-tracker.ts';

/** A log whose lines all say which session they are about, and on which issue of which repository. */
export const sessionLog = (
  log: Logger,
  { id, session: { thread } }: Pick<JournalTracker, 'id' | 'session'>,
): Logger =>
  log.child({
    session: id,
    repository: `${thread.repository.owner}/${thread.repository.name}`,
    issue: thread.issue,
  });
