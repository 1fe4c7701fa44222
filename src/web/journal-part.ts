// Which part of a journal a page shows, however long the journal is.
import type { Entry } from '../session/entry.ts';
import type { Session } from '../session/session.ts';

/** Part of a journal, with what the rest says about it. */
export interface JournalPart {
  /** As of the newest entry. */
  readonly session: Session;
  /** In order. */
  readonly entries: readonly Entry[];
  /** What people did and how runs went, of the whole journal. */
  readonly marks: readonly Entry[];
  /** How many replies of the model come before `entries`. */
  readonly repliesBefore: number;
}

/** The newest entries; those before one; or what is new after one, with the entries that it changes. */
export type JournalRange = { readonly before?: number } | { readonly after: number };

/** A journal of which parts can be read. */
export interface ReadableJournal extends Pick<JournalPart, 'session' | 'marks'> {
  readonly lastReply: number;
  /** Those after `afterSeq` up to `upTo`. */
  read(afterSeq: number, upTo: number): Promise<readonly Entry[]>;
  /** How many replies come before an entry. */
  repliesBefore(seq: number): Promise<number>;
}

/** So many entries at least, if there are as many: about a hundred turns. */
const SHOWN = 400;

export const partOf = (journal: ReadableJournal, range: JournalRange): Promise<JournalPart> =>
  'after' in range ? newsAfter(journal, range.after) : pageBefore(journal, range.before);

async function pageBefore(journal: ReadableJournal, before?: number): Promise<JournalPart> {
  const { session, marks } = journal;
  const last = Math.min(session.seq, (before ?? Infinity) - 1);
  const entries = await pageUpTo(journal, last);
  const first = entries[0]?.seq ?? 1;
  const repliesBefore =
    before === undefined
      ? session.progress.replies - repliesIn(entries)
      : await journal.repliesBefore(first);
  return { session, marks, entries, repliesBefore };
}

/** A page begins with a reply, so that the calls of each are on its own page. */
async function pageUpTo(journal: ReadableJournal, last: number): Promise<readonly Entry[]> {
  for (let count = SHOWN; ; count *= 2) {
    const from = Math.max(0, last - count);
    const read = await journal.read(from, last);
    const start = from === 0 ? 0 : read.findIndex(({ type }) => type === 'reply');
    if (start !== -1) return read.slice(start);
  }
}

async function newsAfter(journal: ReadableJournal, after: number): Promise<JournalPart> {
  const { session, marks, lastReply } = journal;
  const news = await journal.read(after, session.seq);
  const replies = news.flatMap((entry) => ('reply' in entry ? [entry.reply] : []));
  // The calls that were interrupted say so.
  if (news.some(({ type }) => type === 'run_resumed')) replies.push(lastReply);
  const from = Math.min(after, ...replies.map((reply) => Math.max(0, reply - 1)));
  const entries = from === after ? news : await journal.read(from, session.seq);
  const received = new Set(news.flatMap((e) => ('received' in e ? [e.received] : [])));
  const judged = marks.filter(({ seq }) => seq <= from && received.has(seq));
  const repliesBefore = session.progress.replies - repliesIn(entries);
  return { session, marks, entries: [...judged, ...entries], repliesBefore };
}

const repliesIn = (entries: readonly Entry[]): number =>
  entries.filter(({ type }) => type === 'reply').length;
