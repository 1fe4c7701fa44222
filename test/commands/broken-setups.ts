// Set-ups that are broken on purpose, and what `issuewright start` says of each: the setting, the fault and the cure.
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { GOOD } from '../config/good.ts';

/** In a set-up that is well otherwise: variables, of which empty ones are unset, and what is done to the machine. */
interface Broken {
  readonly settings?: Readonly<Record<string, string>>;
  readonly role?: 'serve' | 'work';
  readonly undo?: () => void;
}

export interface BrokenSetup {
  readonly what: string;
  /** `databaseUrl`: of a database that answers. */
  readonly break: (directory: string, databaseUrl: string) => Broken | Promise<Broken>;
  readonly setting: string;
  readonly fault: RegExp;
  readonly cure: RegExp;
  /** Nothing is wrong for this user. */
  readonly isNotForRoot?: boolean;
}

const setting = (
  what: string,
  name: string,
  value: string,
  fault: RegExp,
  cure: RegExp,
  others: Readonly<Record<string, string>> = {},
): BrokenSetup => ({
  what,
  break: () => ({ settings: { [name]: value, ...others } }),
  setting: name,
  fault,
  cure,
});

/** A file with this content, in place of the variable that it is for. */
const keyFile = (
  what: string,
  name: string,
  content: string | undefined,
  fault: RegExp,
  cure: RegExp,
  mode = 0o600,
): BrokenSetup => ({
  what,
  break: (directory) => {
    const file = join(directory, 'key');
    if (content !== undefined) {
      writeFileSync(file, content);
      chmodSync(file, mode);
    }
    return { settings: { [name]: file, [name.replace(/_(?:PATH|FILE)$/, '')]: '' } };
  },
  setting: name,
  fault,
  cure,
  isNotForRoot: mode === 0,
});

const PUBLIC_KEY = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();

const NOWHERE = 'postgres://127.0.0.1:1/x';

const OF_THE_APP: readonly BrokenSetup[] = [
  setting('no App id', 'APP_ID', '', /missing/, /settings page of your GitHub App/),
  setting('a client id', 'APP_ID', 'Iv23liAbCdEf', /must be a number/, /settings page of your/),
  setting('no key', 'PRIVATE_KEY', '', /missing/, /Generate a private key.*PRIVATE_KEY_PATH/),
  setting(
    'a broken key',
    'PRIVATE_KEY',
    'MIIEow',
    /must be a PEM private key/,
    /Generate a private/,
  ),
  setting('a public key', 'PRIVATE_KEY', PUBLIC_KEY, /must be/, /private key|GitHub generates/),
  keyFile('no key file', 'PRIVATE_KEY_PATH', undefined, /\(ENOENT\)/, /Correct the path/),
  keyFile(
    'an empty key file',
    'PRIVATE_KEY_PATH',
    '',
    /must be a PEM private key/,
    /settings page/,
  ),
  keyFile(
    'a key file of another user',
    'PRIVATE_KEY_PATH',
    GOOD.PRIVATE_KEY,
    /cannot be read \(EACCES\)/,
    /let the service's user read it/,
    0,
  ),
  setting('no webhook secret', 'WEBHOOK_SECRET', '', /missing/, /openssl rand -hex 32/),
  setting('a short secret', 'WEBHOOK_SECRET', 'abc', /at least 16 characters/, /openssl rand/),
  setting('a common secret', 'WEBHOOK_SECRET', 'development', /common word/, /openssl rand/),
  setting('a secret in quotes', 'WEBHOOK_SECRET', `"${GOOD.WEBHOOK_SECRET}"`, /quotes/, /without/),
  keyFile('no secret file', 'WEBHOOK_SECRET_FILE', undefined, /\(ENOENT\)/, /Correct the path/),
  {
    what: 'a secret given twice',
    break: (directory) => {
      const file = join(directory, 'secret');
      writeFileSync(file, `${GOOD.WEBHOOK_SECRET}\n`);
      return { settings: { WEBHOOK_SECRET_FILE: file } };
    },
    setting: 'WEBHOOK_SECRET_FILE',
    fault: /so is WEBHOOK_SECRET/,
    cure: /Remove one/,
  },
  setting('no accounts', 'ALLOWED_OWNERS', '', /missing/, /List the accounts/),
  setting(
    'an address',
    'ALLOWED_OWNERS',
    'https://github.com/acme',
    /names of accounts/,
    /such as/,
  ),
  setting('a client without secret', 'CLIENT_ID', 'Iv23liAbCdEf', /CLIENT_SECRET/, /Set both|set/i),
  setting('github.com', 'GHE_HOST', 'github.com', /github\.com/, /left unset|Remove/),
  setting('a host with https', 'GHE_HOST', 'https://ghe.example', /must be a host/, /without/),
];

const OF_MODELS: readonly BrokenSetup[] = [
  setting('no model', 'MODEL', '', /missing/, /`provider:name`/),
  setting(
    'no provider',
    'MODEL',
    'gpt-5.2',
    /no provider before the name/,
    /Name a model as `openai:…`/,
  ),
  setting('a provider misspelled', 'MODEL', 'opnai:m', /`opnai` is no provider/, /`openai:…`/),
  setting('no key of OpenAI', 'OPENAI_API_KEY', '', /missing/, /OPENAI_BASE_URL|key/),
  setting('a key of another', 'OPENAI_API_KEY', 'sk-ant-api03-z', /of Anthropic/, /ANTHROPIC_API/),
  setting('no key of Anthropic', 'ANTHROPIC_API_KEY', '', /missing/, /key/i, {
    MODEL: 'anthropic:m',
  }),
  setting('no key of Google', 'GEMINI_API_KEY', '', /missing/, /key/i, { MODEL: 'gemini:m' }),
  setting('no address', 'AZURE_OPENAI_ENDPOINT', '', /missing/, /Keys and Endpoint/, {
    MODEL: 'azure:m',
    AZURE_OPENAI_API_KEY: 'k4711',
  }),
  setting('no scheme', 'OLLAMA_BASE_URL', 'localhost:11434', /http\(s\) address/, /such as/, {
    MODEL: 'ollama:m',
  }),
  setting(
    'a path of requests',
    'OPENAI_BASE_URL',
    'https://models.example/v1/chat/completions',
    /path of a request/,
    /before/,
  ),
  {
    what: 'a second model without a key',
    break: () => ({ settings: { REVIEW_MODEL: 'gemini:m' } }),
    setting: 'GEMINI_API_KEY',
    fault: /missing/,
    cure: /Create one at https/,
  },
  setting('no such file', 'MODEL_CATALOG', '/nowhere/p.json', /\(ENOENT\)/, /Correct the path/),
  {
    what: 'prices that are no JSON',
    break: (directory) => {
      const file = join(directory, 'prices.json');
      writeFileSync(file, '{"openai:m": }');
      return { settings: { MODEL_CATALOG: file } };
    },
    setting: 'MODEL_CATALOG',
    fault: /not JSON \(line 1, column 14\)/,
    cure: /docs\/models\.md has an example/,
  },
  setting('no such protocol', 'PROTOCOL', 'xml', /must be/, /`auto`, `native`/),
];

const OF_NUMBERS: readonly BrokenSetup[] = [
  setting('a port that is a word', 'PORT', 'http', /whole number/, /from 0 to 65535/),
  setting('a port beyond all', 'PORT', '70000', /whole number/, /from 0 to 65535/),
  setting('one port for both', 'PAGES_PORT', '3000', /another port than PORT/, /another port/, {
    PORT: '3000',
  }),
  setting('a budget with a sign', 'BUDGET_RUN', '$5', /amount in US dollars/, /such as/),
  setting('a budget below zero', 'BUDGET_DAY', '-1', /amount in US dollars/, /such as/),
  setting('no turns', 'AGENT_MAX_ITERATIONS', '0', /whole number/, /from 1/),
  setting('a share beyond all', 'COMPACT_THRESHOLD', '99%', /from 10% to 95%/, /from 10% to 95%/),
  setting('no slot', 'CONCURRENCY', '0', /whole number/, /from 1/),
  setting('a size with a unit', 'WORKSPACE_MAX_BYTES', '1GB', /whole number/, /from/),
  setting('a week too short', 'RETENTION_DAYS', '1', /whole number/, /from 7/),
];

const OF_THE_SERVICE: readonly BrokenSetup[] = [
  setting('no scheme of the pages', 'PUBLIC_URL', 'pages.example', /http\(s\) address/, /such as/),
  setting('a short token', 'PAGES_TOKEN', 'abc', /32 to 128/, /openssl rand/),
  setting('an address as a host', 'HOST', 'http://0.0.0.0', /address or a name/, /without `http/),
  setting('no proxy', 'TRUSTED_PROXIES', 'nginx', /addresses or networks/, /such as/),
  setting('no address', 'NOTIFY_URL', 'hooks.example', /http\(s\) address/, /such as/),
  setting('no such level', 'LOG_LEVEL', 'verbose', /must be/, /`debug`/),
  setting('no such sandbox', 'SANDBOX', 'docker', /must be/, /`bubblewrap` or `unsafe`/, {
    ALLOW_DANGEROUS_TOOLS: 'true',
  }),
  setting('a private host', 'SANDBOX_ALLOW_HOSTS', '10.0.0.1', /never reach/, /name public hosts/, {
    ALLOW_DANGEROUS_TOOLS: 'true',
  }),
  setting('a variable of the loader', 'COMMAND_ENV', 'PATH=/x', /PATH/, /last word|name/, {
    ALLOW_DANGEROUS_TOOLS: 'true',
  }),
  setting('servers that are no JSON', 'MCP_SERVERS', '{"a":', /not valid JSON/, /Its form is/),
  setting('no such engine', 'GIT_ENGINE', 'svn', /must be/, /`native`/),
  setting('metrics at the same port', 'METRICS_PORT', '3000', /port/, /another port/, {
    PORT: '3000',
  }),
  setting(
    'no address of a receiver',
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'collector',
    /address/,
    /such/,
  ),
  {
    what: 'an .env that cannot be read',
    break: (directory) => {
      mkdirSync(join(directory, '.env'));
      return {};
    },
    setting: '.env',
    fault: /cannot be read \(EISDIR\)/,
    cure: /Let the user of this process read it, or remove it/,
  },
  {
    what: 'a required setting that is misspelled',
    break: () => ({ settings: { WEBHOOK_SECRET: '', WEBHOOK_SECERT: GOOD.WEBHOOK_SECRET } }),
    setting: 'WEBHOOK_SECRET',
    fault: /missing/,
    cure: /`WEBHOOK_SECERT` is set: rename it to `WEBHOOK_SECRET`/,
  },
  {
    what: 'several processes without a server',
    break: () => ({ role: 'work', settings: { DATABASE_URL: '' } }),
    setting: 'DATABASE_URL',
    fault: /needs DATABASE_URL/,
    cure: /use `issuewright start`/,
  },
  setting('no address', 'DATABASE_URL', 'localhost:5432', /postgres:\/\/ address/, /postgres:/),
  setting('no server there', 'DATABASE_URL', NOWHERE, /ECONNREFUSED/, /Check DATABASE_URL|waiting/),
];

/** What the log says of a service that starts. */
const OF_THE_LOG: readonly BrokenSetup[] = [
  setting('a name misspelled', 'BUDGET_DAYS', '5', /unknown/, /Rename it to BUDGET_DAY/, {
    DATABASE_URL: NOWHERE,
  }),
  setting(
    'budgets in the wrong order',
    'BUDGET_RUN',
    '50',
    /BUDGET_ISSUE is lower/,
    /Lower BUDGET_RUN/,
  ),
  setting('commands without tools', 'ALLOW_DANGEROUS_TOOLS', 'true', /no tools/, /Remove it/, {
    AGENT_MODE: 'false',
  }),
  setting('a sandbox without commands', 'SANDBOX', 'bubblewrap', /may not run/, /ALLOW_DANGEROUS/),
  setting(
    'a protocol without a host',
    'GHE_PROTOCOL',
    'http',
    /GHE_HOST is not set/,
    /Set GHE_HOST/,
  ),
];

const busy = (name: 'PORT' | 'PAGES_PORT'): BrokenSetup => ({
  what: `a port of ${name} that is taken`,
  break: async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((listening) => server.once('listening', listening));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return { settings: { [name]: String(port) }, undo: () => server.close() };
  },
  setting: name,
  fault: /EADDRINUSE|in use|taken/,
  cure: new RegExp(`Set .*${name}|Stop|stop`),
});

const OF_THE_MACHINE: readonly BrokenSetup[] = [
  {
    what: 'a database that is not there',
    break: (_directory, url) => ({ settings: { DATABASE_URL: url.replace(/\w+$/, 'nowhere') } }),
    setting: 'DATABASE_URL',
    fault: /no such database \(3D000\)/,
    cure: /Check DATABASE_URL/,
  },
  {
    what: 'a database of someone else',
    break: (_directory, url) => ({
      settings: { DATABASE_URL: url.replace(/\/\/[^/]*@/, '//nobody@') },
    }),
    setting: 'DATABASE_URL',
    fault: /\((?:28000|28P01)\)/,
    cure: /Check DATABASE_URL/,
  },
  busy('PORT'),
  busy('PAGES_PORT'),
  setting('an address of no interface', 'HOST', '192.0.2.1', /EADDRNOTAVAIL/, /Set HOST/),
  {
    what: 'a DATA_DIR that is a file',
    break: (directory) => {
      writeFileSync(join(directory, 'file'), '');
      return { settings: { DATA_DIR: join(directory, 'file') } };
    },
    setting: 'DATA_DIR',
    fault: /\(E\w+\)|director/,
    cure: /DATA_DIR/,
  },
  {
    what: 'a DATA_DIR that cannot be made, for the database too',
    break: (directory) => {
      writeFileSync(join(directory, 'file'), '');
      return { settings: { DATA_DIR: join(directory, 'file', 'data'), DATABASE_URL: '' } };
    },
    setting: 'DATA_DIR',
    fault: /The data directory \S+ cannot be used: \S/,
    cure: /Set DATA_DIR to a directory that .* owns, or set DATABASE_URL/,
  },
];

export const BROKEN_SETUPS: readonly BrokenSetup[] = [
  ...OF_THE_APP,
  ...OF_MODELS,
  ...OF_NUMBERS,
  ...OF_THE_SERVICE,
  ...OF_THE_LOG,
  ...OF_THE_MACHINE,
];
