import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Entry } from '../session/entry.ts';
import { serveEvents, SessionFeed, type StreamLimits, type Update } from './live/event-streams.ts';
import { send, sendNew, unknownSession } from './page-answers.ts';
import { promptPage } from './pages/prompt-page.ts';
import { isLive, sessionPage } from './pages/session-page.ts';
import type { Renderings } from './pages/value.ts';
import { mayWrite, SESSION_ID, type SessionSource, type Viewer } from './session-source.ts';
import type { Memory, MemoryList } from '../contracts/memory.ts';
import { html, type Html } from '../lib/text/html.ts';
import { day, plural } from '../session/texts/format.ts';
import { page } from './pages/layout.ts';

interface SessionRoutesOptions {
  readonly log: Logger;
  readonly pages: SessionSource;
  /** As far as whoever asks may see it. */
  readonly sourceFor: (request: FastifyRequest) => SessionSource;
  readonly viewerOf: (request: FastifyRequest) => Viewer;
  readonly githubUrl: string;
  readonly renderings?: Renderings | undefined;
  readonly streams?: Partial<StreamLimits> | undefined;
}

/** An address of one session. */
type SessionAddress = { Params: { id: string; '*': string } };

/** The pages of one session, what is new in it, and its journal. */
export function serveSessions(server: FastifyInstance, shown: SessionRoutesOptions): void {
  const { pages, sourceFor, log, streams: limits } = shown;
  const isKnown = async (request: FastifyRequest, id: string) =>
    (await sourceFor(request).newest([id])).has(id);
  const isWriter = async (request: FastifyRequest, id: string) =>
    mayWrite(shown.viewerOf(request), (await sourceFor(request).repositoryOf(id)) ?? -1);
  const feed = new SessionFeed(
    { newest: (ids) => pages.newest(ids), update: updatesOf(shown) },
    log,
  );
  const loginOf = (request: FastifyRequest) => shown.viewerOf(request).login;
  serveEvents(server, { feed, isKnown, loginOf, mayWrite: isWriter, limits });
  servePage(server, shown);
  server.get<SessionAddress>('/sessions/:id/memory', async (request, reply) => {
    const { id } = request.params;
    const found = SESSION_ID.test(id) ? await sourceFor(request).memories(id) : undefined;
    return found === undefined
      ? send(reply, 404, unknownSession())
      : send(reply, 200, memoryPage(id, found));
  });
  server.get<SessionAddress>('/sessions/:id/prompt*', async (request, reply) => {
    const { id, '*': rest } = request.params;
    const isAddress = SESSION_ID.test(id) && /^(?:\/\d{1,9})?$/.test(rest);
    const at = rest === '' ? undefined : Number(rest.slice(1));
    const found = isAddress ? await sourceFor(request).request(id, at) : undefined;
    return found === undefined
      ? send(reply, 404, unknownSession())
      : send(reply, 200, promptPage(id, found));
  });
  serveJournal(server, sourceFor);
}

function servePage(
  server: FastifyInstance,
  { sourceFor, viewerOf, githubUrl, renderings = new Map() }: SessionRoutesOptions,
): void {
  server.get<SessionAddress>('/sessions/:id', async (request, reply) => {
    const { id } = request.params;
    const before = seqIn(request.query);
    const range = before === undefined ? {} : { before };
    const part = SESSION_ID.test(id) ? await sourceFor(request).part(id, range) : undefined;
    if (part === undefined) return send(reply, 404, unknownSession());
    const isEarlier = before !== undefined;
    const isWriter = mayWrite(viewerOf(request), part.session.thread.repository.id);
    const { said, outdated } = request.query as Readonly<Record<'said' | 'outdated', unknown>>;
    const content = sessionPage(id, part, githubUrl, {
      renderings,
      isEarlier,
      isWriter,
      isSaid: isWriter && said === '1',
      isOutdated: isWriter && outdated === '1',
    });
    return sendNew(reply, request.headers['if-none-match'], content);
  });
}

/** `?before=SEQ`: the first entry of the page that comes after this one. */
function seqIn(query: unknown): number | undefined {
  const { before } = query as { readonly before?: unknown };
  return typeof before === 'string' && /^\d{1,9}$/.test(before) ? Number(before) : undefined;
}

/** A page that has been away for longer is loaded again. */
const MOST_NEWS = 1000;

const updatesOf =
  ({ pages: source, githubUrl, renderings = new Map() }: SessionRoutesOptions) =>
  async (id: string, after: number, isWriter: boolean): Promise<Update | undefined> => {
    const newest = (await source.newest([id])).get(id) ?? 0;
    if (newest - after > MOST_NEWS) return { seq: newest, html: undefined, isLast: true };
    const part = await source.part(id, { after });
    if (part === undefined) return undefined;
    const { text: html } = sessionPage(id, part, githubUrl, { renderings, after, isWriter });
    return { seq: part.session.seq, html, isLast: !isLive(part.session) };
  };

function serveJournal(server: FastifyInstance, sourceFor: SessionRoutesOptions['sourceFor']): void {
  server.get<SessionAddress>(
    '/sessions/:id/journal.json',
    { exposeHeadRoute: false },
    async (request, reply) => {
      const { id } = request.params;
      const journal = SESSION_ID.test(id) ? await sourceFor(request).journal(id) : undefined;
      if (journal === undefined) return send(reply, 404, unknownSession());
      return reply
        .header('content-disposition', `attachment; filename="issuewright-${id}.json"`)
        .type('application/json; charset=utf-8')
        .send(Readable.from(jsonOf(journal)));
    },
  );
}

/** An array with a line for each entry, sent as it is read. */
async function* jsonOf(journal: AsyncIterable<readonly Entry[]>): AsyncGenerator<string> {
  let before = '[\n';
  for await (const entries of journal) {
    yield before + entries.map((entry) => JSON.stringify(entry)).join(',\n');
    before = ',\n';
  }
  yield before === '[\n' ? '[]\n' : '\n]\n';
}

/** The memories of a session's repository. The pages change nothing, so it says how one is deleted. */
const memoryPage = (id: string, { total, memories }: MemoryList): Html =>
  page({
    title: `Memory · session ${id}`,
    live: false,
    content: html`<h1>Memory of the repository</h1>
      <p class="soft">
        What sessions of the repository of <a href="/sessions/${id}">session ${id}</a> stored for
        later ones, newest first. To delete one, comment <code>/issuewright forget 3</code> on an
        issue of the repository.
      </p>
      ${
        total === 0
          ? html`<p class="empty">
              No memories yet. The model stores some if the repository's settings enable the tools
              <code>remember</code> and <code>search_memory</code>.
            </p>`
          : html`${memories.map(section)}${rest(total - memories.length)}`
      }`,
  });

const section = ({ number, text, session, issue, at, fromStrangers }: Memory): Html =>
  html`<section class="request" id="memory-${number}">
    <h2>Memory ${number}</h2>
    <p class="soft">
      By <a href="/sessions/${session}">the session of issue #${issue}</a>,
      ${day(at)}.${fromStrangers ? html` <strong>The session had read words of people without write access.</strong>` : ''}
    </p>
    <pre>${text}</pre>
  </section>`;

const rest = (count: number): Html | string =>
  count > 0
    ? html`<p class="soft">${plural(count, 'older memory is', 'older memories are')} not shown.</p>`
    : '';
