import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfig, readStore } from '../../src/config.ts';
import { isGuessable } from '../../src/config/values/guessable.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { faultsOf, GOOD } from './good.ts';

const pem = (type: 'ed25519' | 'x25519') =>
  generateKeyPairSync(type as 'ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });

describe('a wrong set-up is said by its setting, with the fault and the cure', () => {
  it.each([
    ['APP_ID', 'my-app', /must be a number.*settings page/],
    ['APP_ID', '', /missing.*settings page/],
    ['PRIVATE_KEY', 'abc', /must be a PEM private key/],
    [
      'PRIVATE_KEY',
      pem('ed25519').toString(),
      /must be the RSA key that GitHub generates.*ed25519/,
    ],
    ['APP_ID', '0', /must be a number/],
    ['APP_ID', '9'.repeat(40), /must be a number/],
    [
      'PRIVATE_KEY',
      generateKeyPairSync('rsa', { modulusLength: 1024 })
        .privateKey.export({ type: 'pkcs1', format: 'pem' })
        .toString(),
      /must be the RSA key that GitHub generates.*1024 bits/,
    ],
    ['WEBHOOK_SECRET', 'f3a9d17c0b62e845a1c4\n\n0b62e845a1c4f3a9d17c', /must be a single line/],
    ['ALLOWED_OWNERS', 'https://github.com/acme', /names of accounts, such as/],
    ['ALLOWED_OWNERS', 'acme/words', /without .*repositories/],
    ['ALLOWED_OWNERS', '@acme', /without `@`/],
    ['ALLOWED_BOTS', '@dependabot[bot]', /logins of bots, such as/],
    ['GHE_HOST', 'github.com', /left unset for github\.com/],
    ['GHE_HOST', 'api.github.com:443', /left unset for github\.com/],
    ['GHE_HOST', 'github.example.com:99999', /port that is none/],
    ['GHE_HOST', 'api.octocorp.ghe.com', /at which people sign in.*without `api\.`/],
    ['GHE_HOST', 'API.ghe.com:443', /such as `octocorp\.ghe\.com`/],
    ['GHE_HOST', 'octocorp.ghe.com:443', /without a port/],
    ['GHE_HOST', 'gist.github.com', /left unset for github\.com/],
    ['GHE_HOST', 'raw.githubusercontent.com', /left unset for github\.com/],
    ['OPENAI_BASE_URL', 'no address', /http\(s\) address/],
    ['OPENAI_BASE_URL', 'https://api.openai.com', /address of OpenAI's API, which is/],
    ['OPENAI_BASE_URL', 'http://api.openai.com/v1', /address of OpenAI's API, which is/],
    ['OPENAI_BASE_URL', 'https://platform.openai.com', /or remove OPENAI_BASE_URL/],
    ['OPENAI_BASE_URL', 'https://chatgpt.com/v1', /or remove OPENAI_BASE_URL/],
    ['OPENAI_API_KEY', 'sk-test,sk-other', /which no key has: set one key/],
    ['OPENAI_API_KEY', '{"key":"sk-test"}', /which no key has.*only the key/],
    ['OPENAI_API_KEY', 'sk_live_abcdefghijklmnopqrst', /something other than OpenAI/],
    ['OPENAI_API_KEY', 'AKIAIOSFODNN7EXAMPLE', /something other than OpenAI/],
    ['SANDBOX_ALLOW_HOSTS', 'none', /never reach: name public hosts/],
    ['SANDBOX_ALLOW_HOSTS', 'registry:4873', /never reach: name public hosts/],
    ['GHE_HOST', 'ghe.com', /such as `octocorp\.ghe\.com`/],
    ['OPENAI_API_KEY', 'sk-ant-api03-zebra', /key of Anthropic.*sent to OpenAI.*ANTHROPIC_API_KEY/],
    ['OPENAI_API_KEY', 'AIzaZebra', /key of Google.*GEMINI_API_KEY.*Google in MODEL/],
    ['OPENAI_API_KEY', 'sk-or-v1-zebra', /key of OpenRouter.*OPENAI_BASE_URL/],
    ['OPENAI_API_KEY', 'ghp_zebra', /key of GitHub.*GITHUB_MODELS_TOKEN/],
    ['GHE_HOST', '...', /must be a host/],
    ['MODEL', 'openai: gpt-5.2', /space in the name/],
    ['MODEL', 'openai:sk-proj-Zebrafish0123456789abcdefghij', /looks like a key or a token/],
    ['EMBEDDING_MODEL', 'openai:ghp_Zebrafish0123456789abcdefghijklmno', /looks like a key/],
    ['LINK_HOSTS', 'sk-proj-zebrafish0123456789abcdefghij', /looks like a key or a token/],
    ['OPENAI_API_KEY', 'sk-test\nsk-other', /one word of ASCII characters/],
    ['OPENAI_API_KEY', 'sk-tést', /one word of ASCII characters/],
    ['OPENAI_BASE_URL', 'https://models.example.com/v1?key=Zebrafish', /must not contain `\?`/],
    ['MCP_SERVERS', '{"a":{"url":"https://a.test","\\u0075rl":"https://b.test"}}', /column 30/],
    ['WEBHOOK_SECRET', 'development', /must not be a common word.*openssl/],
    ['WEBHOOK_SECRET', 'a'.repeat(64), /easy to guess.*openssl rand -hex 32/],
    ['WEBHOOK_SECRET', 'ab1'.repeat(8), /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', 'swordfish7swordfish7swo', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', '0123456789abcdef', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', '12345678901234567890', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', '"3ad77bb40d7a3660a89ecaf32466ef97"', /is in quotes.*without them/],
    ['PAGES_TOKEN', '0'.repeat(32), /easy to guess.*openssl/],
    ['OPENAI_API_KEY', "'sk-test'", /is in quotes.*without them/],
    ['PRIVATE_KEY', `"${GOOD.PRIVATE_KEY.replaceAll('\n', '\\n')}"`, /is in quotes/],
    ['PORT', '"3000"', /is in quotes/],
    ['DATABASE_URL', '"postgres://me:pass@db/x"', /is in quotes.*without them/],
    ['DATABASE_URL', ' “postgres://me:pass@db/x” ', /is in quotes/],
    ['MCP_SERVERS', "'{}'", /is in quotes/],
    ['WEBHOOK_SECRET', '<your webhook secret>', /is a placeholder/],
    ['WEBHOOK_SECRET', 'your-webhook-secret-here', /is a placeholder/],
    ['WEBHOOK_SECRET', '{{ webhook_secret }}', /is a placeholder/],
    ['OPENAI_API_KEY', '$OPENAI_API_KEY', /variable that was not replaced/],
    ['OPENAI_API_KEY', 'sk-...', /is a placeholder/],
    ['OPENAI_API_KEY', 'sk-xxxxxxxx', /is a placeholder/],
    ['OPENAI_API_KEY', 'your_api_key', /is a placeholder/],
    ['DATABASE_URL', '${DATABASE_URL}', /variable that was not replaced/],
    ['DATA_DIR', '%APPDATA%', /variable that was not replaced/],
    ['HOST', 'http://0.0.0.0', /address or a name of this machine.*without `http/],
    ['HOST', '0.0.0.0:3000', /or a port/],
    ['HOST', '*', /`0\.0\.0\.0` for all/],
    ['PAGES_HOST', 'not a host', /address or a name/],
    ['LINK_HOSTS', '.example.com', /list of hosts, such as/],
    ['LINK_HOSTS', 'a..b', /list of hosts, such as/],
    ['LINK_HOSTS', 'example.com:99999', /list of hosts, such as/],
    [
      'OPENAI_BASE_URL',
      'https://api.openai.com/v1/chat/completions',
      /before the path of a request/,
    ],
    ['LINK_HOSTS', '*.com', /anyone can have a host.*name the hosts/],
    ['LINK_HOSTS', 'docs.example.com, *.co.uk', /anyone can have a host/],
    ['LINK_HOSTS', '*.GitHub.io', /anyone can have a host/],
    ['LINK_HOSTS', '*.corp:8443', /anyone can have a host/],
    ['SANDBOX_ALLOW_HOSTS', '*.org', /anyone can have a host/],
    ['SANDBOX_ALLOW_HOSTS', '*.vercel.app:443', /anyone can have a host/],
    ['WEBHOOK_SECRET', 'short', /at least 16 characters.*openssl/],
    ['ALLOWED_OWNERS', '', /missing.*such as/],
    ['ALLOWED_OWNERS', 'a,,b', /empty item/],
    ['GHE_HOST', 'https://github.example.com', /must be a host.*without `https/],
    ['GHE_HOST', 'github.example.com/api', /must be a host/],
    ['GHE_PROTOCOL', 'ssh', /`https` or `http`/],
    ['PORT', '70000', /whole number from 0 to 65535/],
    ['PAGES_PORT', '3000', /another port than PORT/],
    ['PAGES_TOKEN', 'short', /32 to 128.*openssl/],
    ['PUBLIC_URL', 'pages.example.com', /http\(s\) address/],
    [
      'PUBLIC_URL',
      'https://example.com/?token=Zebrafish',
      /^must be only .*`https:\/\/pages.*: remove/,
    ],
    ['PUBLIC_URL', 'https://example.com/#top', /remove .*`#`/],
    ['PUBLIC_URL', 'https://example.com/?', /remove .*`\?`/],
    ['PUBLIC_URL', 'https://me:pw@example.com', /remove user name, password/],
    ['PUBLIC_URL', 'https://me@example.com', /remove user name/],
    ['LINK_HOSTS', 'https://docs.example.com', /list of hosts, such as/],
    ['DATABASE_URL', 'localhost:5432', /postgres:\/\/ address/],
    ['DATABASE_URL', 'postgres://me:pass/word@db/x', /^must have the form .*`\/` as `%2F`/],
    ['DATABASE_URL', 'postgres://me:pass@db:port/x', /^must have the form .*host:port/],
    ['LOG_LEVEL', 'loud', /`trace`.*`fatal`/],
    ['LOG_FORMAT', 'yaml', /`auto`, `json` or `pretty`/],
    ['CONTENT_LIMITS', 'off', /`github`, `none`, or limits such as `80\/60,500\/3600`/],
    ['MODEL', '', /missing.*provider:name/],
    ['MODEL', 'gpt-5.2', /no provider before the name.*`openai:…`/],
    ['MODEL', 'opnai:gpt-5.2', /`opnai` is no provider.*`openai:…`/],
    ['MODEL', 'openai:', /names no model of `openai`/],
    ['MODEL_CATALOG', '/nowhere/prices.json', /\/nowhere\/prices\.json cannot be read \(ENOENT\)/],
    ['OPENAI_API_KEY', '', /missing/],
    ['OPENAI_BASE_URL', 'localhost:11434', /http\(s\) address/],
    ['OPENAI_BASE_URL', 'https://me:password@example.com', /user name or password/],
    ['PROTOCOL', 'xml', /`auto`, `native`/],
    ['AGENT_MODE', 'yes please', /`true` or `false`/],
    ['AGENT_MAX_ITERATIONS', '0', /whole number from 1/],
    ['AGENT_MAX_RUN_TOKENS', 'many', /whole number.*or `none`/],
    ['BUDGET_RUN', '$5', /amount in US dollars, such as/],
    ['BUDGET_RUN', '0', /amount in US dollars/],
    ['COMPACT_THRESHOLD', '5', /greater than COMPACT_KEEP_RECENT/],
    ['COMPACT_THRESHOLD', '99%', /from 10% to 95%/],
    ['INSTRUCTION_FILES', '../secret', /./],
    ['ALLOW_DANGEROUS_TOOLS', 'maybe', /`true` or `false`/],
    ['SANDBOX', 'docker', /`bubblewrap` or `unsafe`/],
    ['SANDBOX_ALLOW_HOSTS', 'https://registry.npmjs.org', /list of host names: `registry/],
    ['SANDBOX_READ_PATHS', 'toolchain', /absolute paths, such as/],
    ['SANDBOX_READ_PATHS', '/opt/..', /absolute paths, such as/],
    ['SANDBOX_READ_PATHS', '/opt/a:/opt/b', /`:` between two paths: .*commas/],
    ['SANDBOX_READ_PATHS', '/opt/a;/opt/b', /separate the items with commas/],
    ['SANDBOX_READ_PATHS', '~/toolchain', /only a shell replaces.*whole path/],
    ['MODEL', 'openai:gpt-5.2;openai:gpt-5.2-mini', /separate the items with commas/],
    ['MODEL', 'openai:gpt-5.2|openai:gpt-5.2-mini', /separate the items with commas/],
    ['MODEL', 'openai:gpt-5.2\nopenai:gpt-5.2-mini', /separate the items with commas/],
    ['MODEL', 'openai:gpt-5.2"', /ends with a quote.*Remove it/],
    ['MODEL', String.raw`\"openai:gpt-5.2\"`, /begins or ends with a quote/],
    ['DATABASE_URL', '"postgres://me:pass@db/x', /begins or ends with a quote/],
    ['OPENAI_API_KEY', '‘sk-test’', /is in quotes/],
    ['OPENAI_API_KEY', 'sk-test;', /ends with a `;`/],
    ['OPENAI_API_KEY', 'https://models.example.com/v1', /is an address.*`_URL`/],
    ['DATABASE_URL', 'postgres://me:50%off@db/x', /must have the form .*`%` as `%25`/],
    ['ALLOWED_OWNERS', 'your-org,your-login', /name from the example/],
    ['WEBHOOK_SECRET', 'sk-proj-Zebrafish0123456789abcdefghij', /for something else.*openssl/],
    ['WEBHOOK_SECRET', '4c1f0aa9d7e25b83c6410f9b # of the App', /`#` and words behind/],
    ['WEBHOOK_SECRET', 'mySuperSecretWebhookSecret', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', 'password12345678', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', 'replace-me-with-a-secret', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', 'openssl rand -hex 32', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', 'qwertyuiopasdfghjkl', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', 'GeheimesPasswort2026', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', 'P@ssw0rdP@ssw0rd1', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', 'november-23-2026-bot', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', 'acmecorp-github-app', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', 'monkeydragonbaseball', /easy to guess.*openssl/],
    ['WEBHOOK_SECRET', '1q2w3e4r5t6y7u8i9o0p', /easy to guess.*openssl/],
    ['PAGES_TOKEN', 'liverpool-arsenal-chelsea-monkeys', /easy to guess.*openssl/],
    ['LINK_HOSTS', '*.gouv.fr', /anyone can have a host/],
    ['LINK_HOSTS', '*.translate.goog', /anyone can have a host/],
    ['LINK_HOSTS', '*.cloudapp.azure.com', /anyone can have a host/],
    ['LINK_HOSTS', '*.oraclecloudapps.com', /anyone can have a host/],
    ['SANDBOX_ALLOW_HOSTS', '*.hosted.app', /anyone can have a host/],
    ['SANDBOX_ALLOW_HOSTS', '*.cn-north-1.amazonaws.com.cn', /anyone can have a host/],
    ['LINK_HOSTS', '*.s3.eu-central-1.amazonaws.com', /anyone can have a host/],
    ['LINK_HOSTS', '*.blob.core.windows.net', /anyone can have a host/],
    ['LINK_HOSTS', '*.run.app', /anyone can have a host/],
    ['LINK_HOSTS', '*.1.2.3', /anyone can have a host/],
    ['REVIEW_MODEL', 'openai:small, openai:large', /a `,` in the name of a model/],
    ['ALLOWED_OWNERS', 'acme;someone', /separate the items with commas/],
    ['INSTRUCTION_FILES', 'AGENTS.md;CLAUDE.md', /separate the items with commas/],
    ['SANDBOX_ALLOW_HOSTS', '169.254.169.254', /never reach: name public hosts/],
    ['SANDBOX_ALLOW_HOSTS', 'npmjs.org,2852039166:80', /never reach: name public hosts/],
    ['SANDBOX_ALLOW_HOSTS', '0xA9.0xFE.0xA9.0xFE', /never reach: name public hosts/],
    ['SANDBOX_ALLOW_HOSTS', '168.63.129.16', /never reach: name public hosts/],
    ['SANDBOX_ALLOW_HOSTS', '192.168.1.10:8081', /never reach: name public hosts/],
    ['SANDBOX_ALLOW_HOSTS', 'localhost:5432', /never reach: name public hosts/],
    ['SANDBOX_ALLOW_HOSTS', '*.google.internal', /never reach: name public hosts/],
    ['MCP_SERVERS', '{"a":{"command":"x","egress":["10.0.0.1"]}}', /never reach: name public/],
    ['SANDBOX_READ_PATHS', '/opt/toolchain/*', /name the directories themselves/],
    ['SANDBOX_READ_PATHS', '/var/run/docker.sock', /a socket: name only the directories/],
    ['SANDBOX_READ_PATHS', '/home/ci/.ssh', /holds secrets/],
    ['INSTRUCTION_FILES', '*.md', /paths, without `\*`/],
    ['MODEL', 'openai:*', /a `\*` or a space in the name/],
    ['OPENAI_API_KEY', 'OPENAI_API_KEY=sk-test', /begins with its own name.*follows the `=`/],
    ['OPENAI_API_KEY', 'undefined', /is a placeholder/],
    ['OPENAI_API_KEY', '/run/secrets/openai', /path of a file\. Set what is in the file/],
    ['ALLOWED_OWNERS', 'null', /is a placeholder/],
    ['WEBHOOK_SECRET', 'https://example.com/webhooks/github', /not be an address.*openssl/],
    ['PUBLIC_URL', 'http://0.0.0.0:3001', /host that people reach/],
    ['PUBLIC_URL', 'http://[::]:3001', /host that people reach/],
    ['DATA_DIR', 's3://bucket/data', /directory of its own on this machine/],
    ['DATA_DIR', String.raw`C:\data`, /directory of its own on this machine/],
    ['DATA_DIR', '/', /directory of its own on this machine/],
    ['DATA_DIR', '/etc', /directory of its own on this machine/],
    ['DATA_DIR', '/usr/share/../lib', /directory of its own on this machine/],
    ['DATA_DIR', '/var/lib/', /directory of its own on this machine/],
    ['DATA_DIR', homedir(), /directory of its own on this machine/],
    ['MCP_SERVERS', '{"a":{"command":"npx -y server"}}', /program alone.*into `args`/],
    ['MCP_SERVERS', '{"a":{"command":"~/bin/server"}}', /only a shell replaces/],
    ['MCP_SERVERS', '{"a":{"command":"x","env":{"K":"$SECRET"}}}', /not replaced here: write/],
    [
      'MCP_SERVERS',
      '{"a":{"url":"https://a.test","headers":{"Authorization":"Bearer ${TOKEN}"}}}',
      /not replaced here: write the value/,
    ],
    ['DATA_DIR', '~/data', /only a shell replaces.*whole path/],
    ['DATA_DIR', '$HOME/data', /only a shell replaces.*whole path/],
    ['DATA_DIR', String.raw`%USERPROFILE%\data`, /only a shell replaces.*whole path/],
    ['MODEL_CATALOG', '~me/prices.json', /only a shell replaces.*whole path/],
    ['WEBHOOK_SECRET', 'a-secret-that-nobody-knows ', /blanks around it.*in your GitHub App/],
    ['WEBHOOK_SECRET', '\u00a0a-secret-that-nobody-knows', /blanks around it/],
    ['WEBHOOK_SECRET', 'a-secret-that-\u200bnobody-knows', /invisible characters in it/],
  ])('%s=%s', (name, value, fault) => {
    const faults = faultsOf({ ...GOOD, [name]: value });
    expect([...faults.keys()]).toEqual([name]);
    expect(faults.get(name)).toMatch(fault);
  });

  it.each([
    ['/run/ghp_Zebrafish0123456789abcdefghijklmno/k.pem', /^the file that it names cannot be read/],
    ['/dev/zero', /must be a PEM private key/],
    ['key.pem', /\/key\.pem cannot be read \(ENOENT\)/],
    ['test/nowhere', /\/test\/nowhere cannot be read \(ENOENT\)/],
    ['no-such-directory/nowhere', /^the file that it names cannot be read \(ENOENT\)/],
    ['/etc', /\/etc cannot be read \(EISDIR\)/],
  ])('PRIVATE_KEY_PATH=%s, with the place that was looked at', (path, fault) => {
    const { PRIVATE_KEY: _key, ...rest } = GOOD;
    expect(faultsOf({ ...rest, PRIVATE_KEY_PATH: path }).get('PRIVATE_KEY_PATH')).toMatch(fault);
  });

  it('no secret that `openssl rand` makes is taken for one that is easy to guess', () => {
    for (let times = 0; times < 2000; times += 1)
      expect(isGuessable(randomBytes(12).toString('base64'))).toBe(false);
    for (let times = 0; times < 100; times += 1)
      expect(isGuessable(randomBytes(32).toString('hex'))).toBe(false);
  });

  it('the token of the pages is the secret of nothing else', () => {
    const token = randomBytes(16).toString('hex');
    const faults = faultsOf({ ...GOOD, PAGES_TOKEN: token, WEBHOOK_SECRET: token });
    expect([...faults]).toEqual([['PAGES_TOKEN', expect.stringMatching(/same value as WEBHOOK_/)]]);
  });

  it('wildcards below a domain of their own are good', () => {
    const hosts =
      '*.example.com,*.docs.example.co.uk,*.me.github.io,*.mine.s3.amazonaws.com,localhost';
    expect(faultsOf({ ...GOOD, LINK_HOSTS: hosts, SANDBOX_ALLOW_HOSTS: '*.npmjs.org' }).size).toBe(
      0,
    );
  });

  it.each([
    ['anthropic', 'ANTHROPIC_API_KEY', 'sk-proj-zebra', /key of OpenAI.*sent to Anthropic/],
    ['gemini', 'GEMINI_API_KEY', 'gsk_zebra', /key of Groq.*sent to Google/],
    ['gh', 'GITHUB_MODELS_TOKEN', 'sk-ant-zebra', /key of Anthropic.*sent to GitHub/],
  ])('a key of another provider is no key of %s', (provider, name, key, fault) => {
    const faults = faultsOf({ ...GOOD, MODEL: `${provider}:m`, [name]: key });
    expect([...faults]).toEqual([[name, expect.stringMatching(fault)]]);
  });

  it.each([
    'https://openrouter.ai/api/v1',
    'https://api.anthropic.com/v1',
    'http://localhost:1/v1',
  ])('any key may be for %s', (url) => {
    for (const key of ['sk-ant-zebra', 'sk-or-v1-zebra', 'gsk_zebra'])
      expect(faultsOf({ ...GOOD, OPENAI_BASE_URL: url, OPENAI_API_KEY: key }).size).toBe(0);
  });

  it('an enterprise in the cloud has a host of its own, and OpenAI addresses in regions', () => {
    const eu = 'https://eu.api.openai.com/v1/';
    expect(faultsOf({ ...GOOD, OPENAI_BASE_URL: eu }).size).toBe(0);
    expect(faultsOf({ ...GOOD, GHE_HOST: 'octocorp.ghe.com' }).size).toBe(0);
  });

  it.each(['/', '//', '/./', '/proc', '/sys/kernel', '/dev', '/etc/', '/var', '/home', homedir()])(
    'SANDBOX_READ_PATHS must not be %s, nor lead there',
    (path) => {
      const link = join(temporaryDirectory(), 'link');
      symlinkSync(path, link);
      for (const paths of [path, `/opt/toolchain,${path}`, link])
        expect(faultsOf({ ...GOOD, SANDBOX_READ_PATHS: paths }).get('SANDBOX_READ_PATHS')).toMatch(
          /holds secrets or processes.*toolchains/,
        );
    },
  );

  it('toolchains may be anywhere else, and addresses of the database have blanks around them', () => {
    const paths = '/opt/go,/nix/store,/run/current-system/sw,/home/ci/.cargo,/var/lib/tools';
    const good = { SANDBOX_READ_PATHS: paths, DATABASE_URL: ' postgres://db/x ' };
    expect(faultsOf({ ...GOOD, ...good }).size).toBe(0);
  });

  it.each(['[]', '{}', '{"mcpServers": {}}', ' '])('MCP_SERVERS=%s means none', (value) => {
    expect(readConfig({ ...GOOD, MCP_SERVERS: value }).servers).toEqual([]);
  });

  it.each(['::', '::1', 'fe80::1%eth0', 'localhost', 'issuewright.internal'])(
    'HOST may be %s',
    (host) => expect(faultsOf({ ...GOOD, HOST: host }).size).toBe(0),
  );

  it('accounts and directories may have any name', () => {
    expect(faultsOf({ ...GOOD, ALLOWED_OWNERS: 'my-secret-org', DATA_DIR: 'my-key' }).size).toBe(0);
  });

  it('a command that needs the database alone says that its address is in quotes', () => {
    expect(() => readStore({ DATABASE_URL: '"postgres://db/x"', PORT: '"1"' })).toThrow(
      /^DATABASE_URL: is in quotes[^\n]*$/,
    );
  });

  it('APP_ID may have blanks around it', () => {
    expect(faultsOf({ ...GOOD, APP_ID: '12345 ' }).size).toBe(0);
  });
});
