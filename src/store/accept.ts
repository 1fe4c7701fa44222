import type { NewEntry } from '../session/entry.ts';
import { mayOpenSession } from '../session/asks.ts';
import { titleOf } from '../session/request-title.ts';
import type { Arrival } from '../contracts/intent.ts';
import { executeIn, inTransaction, type DatabaseTransaction } from './database.ts';
import { writeEntries } from './entries.ts';
import { lockSession, newSessionId, type StoreParts } from './sessions.ts';
import type { Accepted, SessionRow } from './store.ts';
import type { Delivery } from '../contracts/delivery.ts';
import { notifyWake } from './wake.ts';

/** The state of a session whose start was rejected. Only another start changes it. */
const IGNORED = 'ignored';

/** Rolls back the transaction: this delivery, or another with the same meaning, was accepted before. */
class SeenBefore extends Error {}

/** See `Store.accept`. It always locks the session before the delivery, so that there is no deadlock. */
export async function accept(
  { database, queue }: StoreParts,
  arrival: Arrival,
  delivery: Delivery,
): Promise<Accepted> {
  try {
    return await inTransaction(database, async (transaction) => {
      const id = await findOrOpen(transaction, arrival);
      if (id === undefined) return { outcome: 'no_session' };
      const session = await lockSession(transaction, id);
      if (arrival.onlyNew === true && session.lastSeq > 0) return { outcome: 'exists' };
      await recordDelivery(transaction, arrival, delivery, id);
      await updateRow(transaction, session, arrival);
      await journalArrival(transaction, session, arrival, delivery);
      await queue.wake('advance', id, transaction);
      await queue.wake('publish', id, transaction);
      await notifyWake(transaction, id);
      return { outcome: 'accepted', session: id };
    });
  } catch (error) {
    if (error instanceof SeenBefore) return { outcome: 'duplicate' };
    throw error;
  }
}

async function findOrOpen(
  transaction: DatabaseTransaction,
  arrival: Arrival,
): Promise<string | undefined> {
  const starts = mayOpenSession(arrival.intent);
  const found = await findByThread(transaction, arrival);
  if (found !== undefined) return starts || found.state !== IGNORED ? found.id : undefined;
  return starts ? open(transaction, arrival) : undefined;
}

/** Issues and pull requests share their numbers, so `issue` may be the number of a pull request. */
async function findByThread(
  transaction: DatabaseTransaction,
  { repository, thread }: Arrival,
): Promise<{ id: string; state: string } | undefined> {
  const by = (column: 'issue' | 'pull_request', number: number) =>
    transaction
      .selectFrom('sessions')
      .select(['id', 'state'])
      .where('repository_id', '=', repository.id)
      .where(column, '=', number)
      .orderBy('created_at', 'desc')
      .executeTakeFirst();
  const own = thread.on === 'pull_request' ? await by('pull_request', thread.number) : undefined;
  return own ?? by('issue', thread.issue ?? thread.number);
}

/** If two deliveries do this at once, the second waits for the first one's transaction and finds its session. */
async function open(transaction: DatabaseTransaction, arrival: Arrival): Promise<string> {
  const { installation, repository, thread } = arrival;
  const opened = await transaction
    .insertInto('sessions')
    .values({
      id: newSessionId(),
      installation,
      repository_id: repository.id,
      owner: repository.owner,
      name: repository.name,
      issue: thread.number,
      title: titleIn(arrival) ?? firstTitle(arrival),
    })
    .onConflict((conflict) => conflict.columns(['repository_id', 'issue']).doNothing())
    .returning('id')
    .executeTakeFirst();
  if (opened !== undefined) return opened.id;
  const { id } = await transaction
    .selectFrom('sessions')
    .select('id')
    .where('repository_id', '=', repository.id)
    .where('issue', '=', thread.number)
    .executeTakeFirstOrThrow();
  return id;
}

/** PostgreSQL takes no NUL in a text. */
const titleIn = ({ intent }: Arrival): string | undefined =>
  titleOf({ intent })?.replaceAll('\0', '');

/** Of the pull request on which a comment opens a session. */
const firstTitle = ({ intent }: Arrival): string =>
  intent.kind === 'comment' ? (intent.thread?.title ?? '').replaceAll('\0', '') : '';

/** A repository can be renamed or moved, and the App installed again, in the middle of a session. */
async function updateRow(
  transaction: DatabaseTransaction,
  before: SessionRow,
  arrival: Arrival,
): Promise<void> {
  const { installation, repository } = arrival;
  const { owner, name } = repository;
  const title = titleIn(arrival) ?? before.title;
  const isSamePlace = owner === before.repository.owner && name === before.repository.name;
  if (title === before.title && isSamePlace && installation === before.installation) return;
  await transaction
    .updateTable('sessions')
    .set({ title, installation, owner, name })
    .where('id', '=', before.id)
    .execute();
}

async function recordDelivery(
  transaction: DatabaseTransaction,
  { meaning }: Arrival,
  { id, event }: Delivery,
  session: string,
): Promise<void> {
  const recorded = await transaction
    .insertInto('deliveries')
    .values({ id, event, meaning, session_id: session })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (recorded === undefined) throw new SeenBefore();
}

async function journalArrival(
  transaction: DatabaseTransaction,
  session: SessionRow,
  { installation, repository, thread, sender, intent }: Arrival,
  delivery: Delivery,
): Promise<void> {
  const opened: NewEntry = { type: 'opened', installation, repository, issue: thread.number };
  const received: NewEntry = {
    type: 'received',
    delivery: delivery.id,
    installation,
    repository,
    sender,
    intent,
  };
  const entries = session.lastSeq === 0 ? [opened, received] : [received];
  const projection = session.state === IGNORED ? { state: 'queued' } : {};
  await writeEntries(executeIn(transaction), session.id, entries, { projection });
}
