// What the commands of the operator read and write, from another process than the service.
import { bindFirst } from '../lib/bind-first.ts';
import { sql } from 'kysely';
import type { OperatorCommand, Person } from '../contracts/intent.ts';
import type { Entry } from '../session/entry.ts';
import { executeIn, inTransaction, type Database } from './database/database.ts';
import { readJournal, writeEntries } from './journal/journal.ts';
import { WAKE } from './session-queue/queue-statements.ts';
import { findSession, lockSession, toSessionRow, listSessions } from './sessions.ts';
import type { SessionRow, Store } from './store.ts';
import { notifyWake } from './queue/wakes.ts';

/** What names sessions, besides their whole id: its beginning, or where they work. */
export type SessionName =
  | { readonly prefix: string }
  | { readonly owner: string; readonly name: string; readonly number: number };

export interface SessionReads extends Pick<Store, 'session' | 'sessions' | 'journal'> {
  /** The newest first, at most `limit`. The number is that of an issue or a pull request. */
  named(name: SessionName, limit: number): Promise<readonly SessionRow[]>;
  /** The numbers of the repositories with this `owner/name`, in any case. */
  repositories(fullName: string): Promise<readonly number[]>;
}

export const sessionReads = (database: Database): SessionReads => ({
  ...bindFirst(database, {
    session: findSession,
    sessions: listSessions,
    journal: readJournal,
    named: namedSessions,
  }),
  repositories: async (fullName) => {
    const { rows } = await sql<{ id: number }>`
      select distinct repository_id as id from issuewright.sessions
      where lower(owner || '/' || name) = lower(${fullName})`.execute(database);
    return rows.map(({ id }) => id);
  },
});

async function namedSessions(
  database: Database,
  name: SessionName,
  limit: number,
): Promise<readonly SessionRow[]> {
  const isNamed =
    'prefix' in name
      ? sql<boolean>`starts_with(id, ${name.prefix})`
      : sql<boolean>`lower(owner) = lower(${name.owner}) and lower(name) = lower(${name.name})
          and (issue = ${name.number} or pull_request = ${name.number})`;
  const rows = await database
    .selectFrom('sessions')
    .selectAll()
    .where(isNamed)
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(toSessionRow);
}

/** No account of GitHub has a blank in its login. */
const OPERATOR: Person = { login: 'the operator', id: 0, operator: true };

/** See `Control.ask`. `lastSeq`: up to where the caller has read the journal, and found no such command without a verdict. */
export async function storeCommand(
  database: Database,
  { id, lastSeq }: SessionRow,
  command: OperatorCommand,
): Promise<void> {
  await inTransaction(database, async (transaction) => {
    const { installation, repository } = await lockSession(transaction, id);
    const news = await readJournal(transaction, id, lastSeq);
    if (news.some((entry) => isCommand(entry, command))) return;
    const delivery = `operator-${lastSeq + 1}`;
    const intent = { kind: 'operator_command', command } as const;
    const entry = { delivery, installation, repository, sender: OPERATOR, intent };
    const execute = executeIn(transaction);
    await writeEntries(execute, id, [{ type: 'received', ...entry }]);
    await execute(WAKE, [id]);
    await notifyWake(execute, id);
  });
}

const isCommand = (entry: Entry, command: OperatorCommand): boolean =>
  entry.type === 'received' &&
  entry.intent.kind === 'operator_command' &&
  entry.intent.command === command;
