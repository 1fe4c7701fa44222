// Lines of packages on npm that have the format of a credential.
import { PRIVATE_KEY } from './private-key.ts';

interface PackageLine {
  readonly from: string;
  readonly line: string;
}

const lines = (from: string, ...all: string[]): PackageLine[] =>
  all.map((line) => ({ from, line }));

/** Whoever reads them learns nothing. */
export const PLACEHOLDERS: readonly PackageLine[] = [
  ...lines('axios', '// `https://user:pass@example.com`. Axios decodes percent-encoded URL'),
  ...lines('global-agent', "parseProxyUrl('http://foo:bar@0.0.0.0').authorization"),
  ...lines(
    'hosted-git-info',
    '// proto://:password@hostname.com:user/repo',
    '// proto://username:password@hostname.com:user/repo',
  ),
  ...lines(
    'ioredis',
    'new Redis("redis://:authpassword@127.0.0.1:6380/4");',
    'new Redis("redis://username:authpassword@127.0.0.1:6380/4");',
    '// redis://:password@host has empty username but valid password.',
  ),
  ...lines('jose', 'pkcs8.indexOf("-----BEGIN PRIVATE KEY-----") !== 0'),
  ...lines(
    'needle',
    "Eg. `proxy: 'http://user:pass@proxy.server.com:3128'`.",
    "needle.get('https://username:password@api.server.com', function(err, resp) {",
    "proxy: 'http://mj:x@' + nonexisting_host + ':123/done'",
  ),
  ...lines('nodemailer', "e.g. 'smtps://user:pass@smtp.example.com', parsed into options"),
  ...lines(
    'npm-registry-fetch',
    String.raw`key: '-----BEGIN PRIVATE KEY-----\nXXXX\nXXXX\n-----END PRIVATE KEY-----'`,
  ),
  ...lines('pem', "var RSA_KEY_START = '-----BEGIN RSA PRIVATE KEY-----'"),
  ...lines(
    'pg-connection-string',
    '* `postgres://<user>:<password>@<host>:<port>/<database>?<query>` - TCP connection',
    'as in `socket://user:pass@/var/run/pgsql`.',
  ),
  ...lines('redis', 'url: "redis://alice:foobared@awesome.redis.server:6380",'),
  ...lines('selfsigned', String.raw`private: '-----BEGIN PRIVATE KEY-----\n...',`),
  ...lines('simple-git', 'const remote = `https://${USER}:${PASS}@${REPO}`;'),
  ...lines('undici', "new Socks5ProxyAgent('socks5://user:pass@localhost:1080')"),
  ...lines('fast-uri', "const input = 'x://user:pass@example.test/a%2Fb?x=a/b?c&y=%23#frag'"),
  ...lines('@mswjs/interceptors', "'href', 'https://admin:abc-123@127.0.0.1/user'"),
  ...lines('pg-boss', "new PgBoss('postgres://user:pass@host/database');"),
  ...lines('@types/node', "const myURL = new URL('https://a:b@測試?abc#foo');"),
  ...lines('pino', 'node app.js | pino-mq -u "amqp://guest:guest@localhost/" -q "pino-logs"'),
  ...lines('probot', '"redis://:secret@redis-123.redislabs.com:12345/0"'),
  ...lines('pg-pool', "'postgres://DBuser:secret@DBHost:#####/myDB', into"),
  ...lines('@opentelemetry/semantic-conventions', '`https://REDACTED:REDACTED@www.example.com/`'),
  ...lines('tldts', "getDomain('https://user:password@example.co.uk:8080/some/path')"),
  ...lines(
    'zod',
    'url.parse("https://anonymous:flabada@developer.mozilla.org/en-US/docs");',
    '| `mongodb://${string}:${string}@${string}:${number}`',
  ),
];

/** They could be real: nothing tells that they are not, but that they are published. */
export const PUBLISHED_CREDENTIALS: readonly PackageLine[] = [
  ...lines('axios', '(e.g. `https://user:p%40ss@host`), the decoded value'),
  ...lines(
    'pg-connection-string',
    "parse('postgres://someuser:somepassword@somehost:381/somedatabase')",
  ),
  ...lines('@octokit/auth-token', 'createTokenAuth("ghp_PersonalAccessToken01245678900000000");'),
  ...lines('@octokit/endpoint', 'authorization: "token 0000000000000000000000000000000000000001",'),
  ...lines('@octokit/graphql', 'authorization: "token secret123",'),
  ...lines(
    '@octokit/auth-app',
    '"authorization": "basic bHYxLjEyMzQ1Njc4OTBhYmNkZWY6MTIzNDU2Nzg5MGFiY2RlZjEyMzQ1Njc4OTA="',
  ),
  ...lines('fastify', "authorization: 'token my-token'"),
  ...lines(
    'zod',
    '"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c"',
  ),
  // Another key in the places where theirs are.
  ...lines('universal-github-app-jwt', `const PRIVATE_KEY_PKCS1 = \`${PRIVATE_KEY.trimEnd()}\`;`),
  ...lines('@octokit/auth-app', `privateKey: ${JSON.stringify(PRIVATE_KEY)},`),
];
