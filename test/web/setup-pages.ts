// The pages of setup, each with a lot in it.
import { pino } from 'pino';
import type { SetupView } from '../../src/web/setup/setup-page.ts';
import { createSetupServer } from '../../src/web/setup/setup-server.ts';
import { TOKEN } from './support.ts';

const LONG = 'long-name-'.repeat(20);
const WEBHOOK = `https://${'long-name.'.repeat(18)}example.com/api/github/webhooks`;

/** What setup shows, by the path of the page. */
const SETUP: Readonly<Record<string, SetupView>> = {
  address: { step: 'address' },
  wrong: { step: 'address', fault: 'Not a valid address.', given: `ftp://${LONG}` },
  create: { step: 'create', action: 'https://github.com/', manifest: '{}', webhookUrl: WEBHOOK },
  failed: { step: 'failed', why: `GitHub did not answer: ${LONG}` },
  install: {
    step: 'install',
    slug: LONG,
    install: 'https://github.com/',
    owners: [],
    isReached: false,
    webhookUrl: WEBHOOK,
    next: [],
  },
  done: {
    step: 'install',
    slug: LONG,
    install: 'https://github.com/',
    owners: [LONG, 'example'],
    isReached: true,
    webhookUrl: WEBHOOK,
    next: [`Set ${LONG}`, 'issuewright start'],
  },
};

async function open() {
  let view = SETUP['address']!;
  const server = createSetupServer({
    log: pino({ level: 'silent' }),
    source: {
      view: () => view,
      shown: () => {},
      giveAddress: () => undefined,
      accept: () => Promise.resolve(),
    },
    token: TOKEN,
    githubUrl: 'https://github.com',
  });
  const url = await server.listen('127.0.0.1', 0);
  return {
    link: `${url}/?token=${TOKEN}`,
    address: (path: string): string => {
      view = SETUP[path]!;
      return `${url}/setup`;
    },
    close: () => server.close(),
  };
}

export const SETUP_PAGES = {
  open,
  pages: {
    'the address': 'address',
    'an address that was not taken': 'wrong',
    'the App to create': 'create',
    'what went wrong': 'failed',
    'the App to install': 'install',
    'what is left to do': 'done',
  },
};
