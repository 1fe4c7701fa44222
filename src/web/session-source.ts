import type { Message, ToolSpec } from '../contracts/model.ts';
import type { MemoryList } from '../contracts/memory.ts';
import type { Cost } from '../session/parts/session-counts.ts';
import type { Entry } from '../session/entry.ts';
import type { WorthSum } from '../session/worth.ts';
import type { RepositoryAccess } from '../contracts/sign-in.ts';
import type { Session } from '../session/session.ts';

/** What an id in an address looks like. */
export const SESSION_ID = /^[\w-]{1,64}$/;

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  readonly repository: { readonly owner: string; readonly name: string };
  readonly issue: number;
  /** May be empty. */
  readonly title: string;
  /** One of the states of `session/state.ts`. */
  readonly state: string;
  /** The same in the words of its own page; empty if they are not known. */
  readonly outcome: string;
  /** Empty before its first run. */
  readonly model: string;
  readonly cost: Cost;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly pullRequest?: number | null | undefined;
}

/** Which sessions; those with everything that is given. */
export interface ListQuery {
  readonly state?: string | undefined;
  /** By GitHub's number. */
  readonly repositoryId?: number | undefined;
  readonly model?: string | undefined;
  readonly search?: string | undefined;
  /** The last session of the page before. */
  readonly after?: string | undefined;
}

interface NamedRepository {
  readonly id: number;
  readonly owner: string;
  readonly name: string;
}

/** What there is to choose from. */
export interface Choices {
  readonly repositories: readonly NamedRepository[];
  readonly models: readonly string[];
}

export interface SessionList {
  /** Newest first. */
  readonly sessions: readonly SessionSummary[];
  /** There are older ones. */
  readonly hasMore: boolean;
  readonly choices: Choices;
}

/** A row of a table of totals. */
export interface NamedSum extends WorthSum {
  readonly name: string;
}

export interface Totals {
  /** `undefined`: there are no sessions. */
  readonly all: WorthSum | undefined;
  readonly byRepository: readonly NamedSum[];
  readonly byModel: readonly NamedSum[];
  /** What was spent since then, also by sessions that began before. */
  readonly spent: readonly SpentSum[];
}

/** What was spent for one of them; `by` says what `name` is. */
export interface SpentSum extends Cost {
  readonly by: 'person' | 'repository' | 'model' | 'month';
  readonly name: string;
}

/** The input of a model. */
export interface SentPrompt {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: SentTools;
}

/** The tools of a request; `described`: the system prompt has them; `not recorded`: an older version wrote the journal. */
export type SentTools = readonly ToolSpec[] | 'described' | 'not recorded';

export interface ShownRequest {
  /** The reply to it, or the entry that it follows; `undefined` for the next one. */
  readonly at: number | undefined;
  /** The numbers of all replies of the session, in order. */
  readonly replies: readonly number[];
  readonly prompt: SentPrompt;
}

/** The data of the pages. */
export interface SessionSource {
  /** `within`: as if there were only these repositories. */
  list(query: ListQuery, within?: readonly number[]): Promise<SessionList>;
  /** Of sessions that were requested at that time or later. */
  totals(since: Date | undefined, within?: readonly number[]): Promise<Totals>;
  /** GitHub's number of a session's repository; `undefined` for an unknown session. */
  repositoryOf(id: string): Promise<number | undefined>;
  /** The `seq` of the newest entry of each of these sessions that exists. */
  newest(ids: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** `undefined` for an unknown session. */
  part(id: string, range: JournalRange): Promise<JournalPart | undefined>;
  /** The whole journal in batches, oldest entry first; `undefined` for an unknown session. */
  journal(id: string): Promise<AsyncIterable<readonly Entry[]> | undefined>;
  /** The memories of the session's repository, newest first; `undefined` for an unknown session. */
  memories(id: string): Promise<MemoryList | undefined>;
  /** What the model is sent, see `ShownRequest.at`; `undefined` for an unknown session or entry. */
  request(id: string, at?: number): Promise<ShownRequest | undefined>;
}

// Whom a page is for, and what of all sessions that person sees.

export interface Viewer {
  /** `undefined`: whoever has the operator's token. */
  readonly login: string | undefined;
  /** Sessions of all repositories, whatever GitHub says of the person. */
  readonly seesAll: boolean;
  /** What GitHub says, by its numbers. */
  readonly repositories: ReadonlyMap<number, RepositoryAccess>;
}

export const OPERATOR: Viewer = { login: undefined, seesAll: true, repositories: new Map() };

export const mayWrite = ({ repositories }: Viewer, repository: number): boolean =>
  repositories.get(repository) === 'write';

/** The same sessions, without those of repositories that the person cannot read: for them these do not exist. */
export function visibleTo({ seesAll, repositories }: Viewer, source: SessionSource): SessionSource {
  if (seesAll) return source;
  const within = [...repositories.keys()];
  const isVisible = async (id: string): Promise<boolean> => {
    const repository = await source.repositoryOf(id);
    return repository !== undefined && repositories.has(repository);
  };
  const ifVisible = async <T>(id: string, read: () => Promise<T>): Promise<T | undefined> =>
    (await isVisible(id)) ? read() : undefined;
  return {
    list: (query) => source.list(query, within),
    totals: (since) => source.totals(since, within),
    repositoryOf: (id) => ifVisible(id, () => source.repositoryOf(id)),
    newest: async (ids) => {
      const visible = await Promise.all(ids.map(isVisible));
      return source.newest(ids.filter((_id, at) => visible[at]));
    },
    part: (id, range) => ifVisible(id, () => source.part(id, range)),
    journal: (id) => ifVisible(id, () => source.journal(id)),
    memories: (id) => ifVisible(id, () => source.memories(id)),
    request: (id, at) => ifVisible(id, () => source.request(id, at)),
  };
}

// Which part of a journal a page shows, however long the journal is.

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
