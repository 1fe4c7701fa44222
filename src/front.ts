// What people and GitHub reach: webhooks, health checks and session pages.
import type { Logger } from 'pino';
import type { MissedEvents } from './app/receive/missed-events.ts';
import { MissedWatch } from './app/receive/missed-watch.ts';
import type { PauseWatch } from './app/service/service.ts';
import { sessionReader } from './app/session-reader.ts';
import type { Config } from './config.ts';
import type { ServiceNeed } from './contracts/service.ts';
import type { GitHub } from './github/index.ts';
import { hasCode } from './lib/errors.ts';
import { holderOfPort } from './lib/port-holder.ts';
import { reasonOf, shownHost } from './lib/reason.ts';
import type { Store } from './store/store.ts';
import { TOOLS } from './tools/index.ts';
import { renderingsOf } from './tools/define-tool.ts';
import type { HttpServer } from './web/http-server.ts';
import { createPageServer } from './web/page-server.ts';
import { createWebhookServer } from './web/webhook-server.ts';

/** The longest that the work waits for what was missed. */
const FIRST_LOOK_MS = 30_000;

interface FrontDeps {
  readonly store: Store;
  readonly github: GitHub;
  readonly missed: MissedEvents;
  readonly pause: PauseWatch;
  readonly needs: readonly ServiceNeed[];
  readonly log: Logger;
  /** What opens the pages. */
  readonly pagesToken: string;
}

/** Resolves when both servers listen. Rejects with an error for the operator. */
export async function openFront(config: Config, behind: FrontDeps) {
  const { github, missed, pause, needs, log } = behind;
  const watch = new MissedWatch({
    receive: (delivery) => github.receive(delivery),
    look: (signal, isThorough) => missed.look(signal, isThorough),
    log,
  });
  const web = createWebhookServer({
    log,
    webhooks: {
      checkSignature: (signature) => github.checkSignature(signature),
      receive: (delivery) => watch.receive(delivery),
    },
    needs,
    paused: async () => pause.look(),
  });
  const url = await listenOrExplain(web, config.http, 'HOST and PORT');
  watch.start();
  const pages = await openPages(config, behind);
  return {
    addresses: { url, pages: pages.url },
    link: pages.link,
    /** Resolves when what was missed is received, or after a while. */
    caughtUp: () => watch.first(FIRST_LOOK_MS),
    lookForMissed: () => watch.lookSoon(),
    drain: () => Promise.all([web.drain(), pages.server.drain(), watch.stop()]),
    close: () => Promise.all([web.close(), pages.server.close()]),
  };
}

/** The server of the session pages, and the link that opens them. The operator's own token is never printed. */
async function openPages(
  { pages: { publicUrl, ...pages }, signIn }: Config,
  { store, github, log, pagesToken }: FrontDeps,
) {
  const people = signIn && {
    ...signIn,
    authorization: github.userAuthorization(signIn),
    store: store.signIns,
  };
  const server = createPageServer({
    log,
    pages: sessionReader(store),
    token: pagesToken,
    publicUrl,
    proxies: pages.proxies,
    people,
    githubUrl: github.url,
    renderings: renderingsOf(TOOLS),
  });
  const url = await listenOrExplain(server, pages, 'PAGES_HOST and PAGES_PORT');
  const token = pages.token === undefined ? pagesToken : '<PAGES_TOKEN>';
  return { server, url, link: `${publicUrl ?? url}/?token=${token}` };
}

/** Resolves with the address. Rejects with an error for the operator that names the `settings`. */
export async function listenOrExplain(
  server: HttpServer,
  { host, port }: Config['http'],
  settings: string,
): Promise<string> {
  try {
    return await server.listen(host, port);
  } catch (error) {
    const shown = shownHost(host);
    const address = shown === undefined ? 'the address' : `${shown}:${port}`;
    const holder = holderOfPort(port) ?? 'another program';
    const why = hasCode(error, 'EADDRINUSE') ? `it is in use by ${holder}` : reasonOf(error);
    throw new Error(
      `Cannot listen on ${address}: ${why}. Set ${settings} to an address of this machine with a free port.`,
      { cause: error },
    );
  }
}
