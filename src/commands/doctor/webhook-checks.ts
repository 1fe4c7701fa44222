import { setTimeout as pause } from 'node:timers/promises';
import type { DeliveryAttempt, SentDeliveries } from '../../contracts/delivery.ts';
import { isInstallationEvent } from '../../app/receive/installations.ts';
import { missedOf } from '../../app/receive/missed-events.ts';
import type { Config } from '../../config.ts';
import { READERS } from '../../events/index.ts';
import { holderOfPort } from '../../lib/port-holder.ts';
import { WEBHOOK_PATH } from '../../web/webhook-route.ts';
import { isProxy } from '../event-proxy.ts';
import { askLocalService } from '../local-service.ts';
import {
  fault,
  hint,
  NotExamined,
  ok,
  warning,
  type DoctorCheck,
  type DoctorFinding,
  type Examination,
} from './examination.ts';
import { inDatabase } from './machine-checks.ts';
import { spellCommand } from '../../lib/program-name.ts';

/** As long as GitHub waits. */
const TIMEOUT_MS = 10_000;
/** GitHub waits ten seconds for an answer, and lists an attempt when it has ended. */
const DELIVERED_WITHIN_MS = 25_000;
const POLL_MS = 500;
/** A thousand deliveries. */
const MOST_PAGES = 10;

const service: DoctorCheck = {
  name: 'service',
  cure: 'Read its log',
  look: async ({ config }) => {
    const { url, said } = await askLocalService(config.http);
    const { status, reason, paused } = said ?? {};
    if (status !== 'ready' && status !== 'not ready') return notStarted(config, url);
    if (status === 'not ready')
      return fault(
        `The service at ${url} is not ready${typeof reason === 'string' ? `: ${reason}` : ''}.`,
        'Read its log.',
      );
    if (paused !== undefined)
      return warning('The service is paused.', `Resume it: \`${spellCommand('resume')}\`.`);
    return ok(`The service at ${url} is ready.`);
  },
};

/** No service is there: it cannot start either if another program has one of its ports. */
function notStarted({ http, pages, metrics }: Config, url: string): readonly DoctorFinding[] {
  const ports = { PORT: http.port, PAGES_PORT: pages.port, METRICS_PORT: metrics?.port };
  const taken = Object.entries(ports).flatMap(([setting, port]) => {
    const holder = port === undefined ? undefined : holderOfPort(port);
    return holder === undefined
      ? []
      : [
          fault(
            `${holder} has port ${port} (${setting}), and no service answers at ${url}.`,
            `Stop that program, or set ${setting} to a free port.`,
          ),
        ];
  });
  if (taken.length > 0) return taken;
  return [
    fault(
      `No service answers at ${url}.`,
      `Start it: \`${spellCommand('start')}\`. If it runs in a container or on another machine, run this command there.`,
    ),
  ];
}

const webhook: DoctorCheck = {
  name: 'webhook',
  cure: 'If GitHub is down, try again later',
  look: async (examination) => {
    const { github } = examination;
    const { settings } = await examination.app();
    const { url, contentType, hasSecret } = await github.setUp.hook();
    const cure = `Correct it at ${settings}, under Webhook`;
    if (url === undefined)
      return fault(
        'The App has no webhook address.',
        `${cure}: https://YOUR-ADDRESS${WEBHOOK_PATH}.`,
      );
    const faults: DoctorFinding[] = [];
    const isOurs = URL.parse(url)?.pathname === WEBHOOK_PATH;
    const proxied = !isOurs && (await isProxy(url, AbortSignal.timeout(TIMEOUT_MS)));
    if (!isOurs && !proxied)
      faults.push(
        fault(
          `The App's webhook address is ${url}, which is not the path of Issuewright.`,
          `${cure}: it ends with ${WEBHOOK_PATH}.`,
        ),
      );
    if (contentType !== 'json')
      faults.push(
        fault(
          'The App sends its webhooks as a form.',
          `${cure}: the content type is application/json.`,
        ),
      );
    if (!hasSecret)
      faults.push(
        fault("The App's webhook has no secret.", `${cure}: the secret is WEBHOOK_SECRET.`),
      );
    if (faults.length > 0) return faults;
    const place = proxied
      ? `Webhooks go to the proxy ${url}, from which \`${spellCommand('start')} --tunnel ${url}\` gets them.`
      : `Webhooks go to ${url}.`;
    return [ok(place), ...(await secretInUse(examination))];
  },
};

const DELIVERIES_READ = 5;

/** While the secret is replaced, both are accepted: how far that is. */
async function secretInUse({ github, config }: Examination): Promise<readonly DoctorFinding[]> {
  const { webhookSecrets: secrets } = config.github;
  if (secrets.length < 2) return [];
  const found = await newestSecret(github.deliveries, secrets);
  if (found === 1)
    return [
      warning(
        'The service accepts two webhook secrets, and GitHub signs with the second one.',
        'Remove the first one from the file of WEBHOOK_SECRET_FILE.',
      ),
    ];
  const which = found === 0 ? 'signs with the first one' : 'does not show which one it signs with';
  return [
    warning(
      `The service accepts two webhook secrets, and GitHub ${which}.`,
      "Set the second one in the App's settings, under Webhook. Run this command again after the next webhook.",
    ),
  ];
}

async function newestSecret(
  deliveries: SentDeliveries,
  secrets: readonly string[],
): Promise<number> {
  for await (const page of deliveries.pages())
    for (const { attempt } of page.slice(0, DELIVERIES_READ)) {
      const found = await deliveries.secretOf(attempt, secrets);
      if (found >= 0 || attempt === page.at(DELIVERIES_READ - 1)?.attempt) return found;
    }
  return -1;
}

/** What to do about an answer to a webhook. */
function cureFor(status: number, url: string): string {
  if (status === 401) return "Set the App's webhook secret and WEBHOOK_SECRET to the same value.";
  if (status === 413)
    return 'Let the proxy in front of the service accept bodies of 25 MB, the most that GitHub sends: `client_max_body_size` of nginx.';
  if (status === 404) return `Set the App's webhook address to one that ends with ${WEBHOOK_PATH}.`;
  if (status === 0)
    return `Start the service, its proxy or its tunnel, so that ${url} reaches its PORT; or correct the address in the App's settings.`;
  return "Read the logs of the service and of the proxy in front of it; the App's page lists each response, under Advanced.";
}

const answered = (status: number): string =>
  status === 0 ? 'GitHub could not connect' : `the answer was ${status}`;

const delivery: DoctorCheck = {
  name: 'delivery',
  cure: 'If GitHub is down, try again later',
  look: async (examination) => {
    const { github } = examination;
    await examination.app();
    const { url = '' } = await github.setUp.hook();
    const chosen = await harmlessOf(examination);
    if (chosen === undefined)
      return hint(
        'Could not test whether GitHub reaches this machine: repeating any of its deliveries might start work.',
        'Start work on an issue, then run this command again: an accepted webhook has no effect the second time.',
      );
    const status = await deliverAgain(github.deliveries, chosen);
    if (status === undefined) throw new NotExamined('GitHub has not reported the result yet');
    if (status >= 200 && status < 300) return ok(`GitHub reaches ${url}.`);
    // A 5xx may be a proxy's, or GitHub's own if nothing at the address answers (*unproven*).
    const isReached = status >= 300 && status < 500;
    return fault(
      `GitHub ${isReached ? 'reaches' : 'does not reach'} ${url}${isReached ? ', but' : ':'} ${answered(status)}.`,
      cureFor(status, url),
    );
  },
};

/** One that does nothing if it arrives again: a ping, or one that the service accepted. */
async function harmlessOf(examination: Examination): Promise<DeliveryAttempt | undefined> {
  const received: DeliveryAttempt[] = [];
  for await (const page of firstPages(examination.github.deliveries)) {
    const ping = page.find(({ event }) => event === 'ping');
    if (ping !== undefined) return ping;
    received.push(...page.filter(({ isReceived }) => isReceived));
  }
  if (received.length === 0) return undefined;
  const ids = received.map(({ id }) => id);
  const known = await knownTo(examination, ids);
  return received.find(({ id }) => known?.has(id));
}

/** Those of these deliveries that the service has accepted, or read from GitHub's list; `undefined` if none has run. */
const knownTo = (
  examination: Examination,
  ids: readonly string[],
): Promise<ReadonlySet<string> | undefined> =>
  inDatabase(examination, (one) => one.knownDeliveries(ids)).catch((cause: unknown) => {
    throw new NotExamined('the database does not answer', { cause });
  });

async function* firstPages(deliveries: SentDeliveries): AsyncGenerator<readonly DeliveryAttempt[]> {
  let pages = 0;
  for await (const page of deliveries.pages()) {
    yield page;
    if ((pages += 1) === MOST_PAGES) return;
  }
}

/** Resolves with the status of the new attempt; `undefined` if GitHub does not list it in time. */
async function deliverAgain(
  deliveries: SentDeliveries,
  { attempt, id }: DeliveryAttempt,
): Promise<number | undefined> {
  const before = new Set<number | bigint>([attempt]);
  const newest = async (): Promise<readonly DeliveryAttempt[]> => {
    for await (const page of deliveries.pages()) return page.filter((one) => one.id === id);
    return [];
  };
  for (const one of await newest()) before.add(one.attempt);
  await deliveries.deliverAgain(attempt);
  for (const deadline = Date.now() + DELIVERED_WITHIN_MS; Date.now() < deadline;) {
    const found = (await newest()).find((one) => !before.has(one.attempt));
    if (found !== undefined) return found.status;
    await pause(POLL_MS);
  }
  return undefined;
}

const deliveries: DoctorCheck = {
  name: 'deliveries',
  cure: 'If GitHub is down, try again later',
  look: async (examination) => {
    const { github } = examination;
    await examination.app();
    const { url = '' } = await github.setUp.hook();
    const attempts: DeliveryAttempt[] = [];
    for await (const page of firstPages(github.deliveries)) attempts.push(...page);
    // Nothing is lost with one that the service does not read, such as a ping.
    const missed = missedOf(attempts).filter(
      ({ name }) => READERS.has(name) || isInstallationEvent(name) || name === 'push',
    );
    const ids = missed.map(({ id }) => id);
    const known = missed.length === 0 ? new Set<string>() : await knownTo(examination, ids);
    // `setup` answers 503, so that the service gets them.
    if (known === undefined)
      return hint(
        `Deliveries of the last days wait for the service, which has not run yet: ${missed.length}.`,
        `Start it: \`${spellCommand('start')}\`. It reads them from GitHub's list.`,
      );
    const lost = missed.filter(({ id }) => !known.has(id));
    const newest = lost.at(-1);
    if (newest === undefined)
      return ok(
        missed.length === 0
          ? 'All deliveries of the past days arrived.'
          : `All deliveries of the past days arrived, or were read from GitHub's list (${missed.length}).`,
      );
    return warning(
      `${lost.length} of the deliveries of the last days did not arrive, the last one at ${newest.at}: ${answered(newest.status)}.`,
      `${cureFor(newest.status, url)} A running service fetches what it missed from GitHub.`,
    );
  },
};

export const WEBHOOK_CHECKS: readonly DoctorCheck[] = [service, webhook, delivery, deliveries];
