// What strangers send to our two servers, byte for byte.
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  ask,
  deliver,
  DELIVERY,
  headOf,
  SIGNED_IN,
  sign,
  speak,
  speakOnce,
  startPages,
  startServer,
  type TestServer,
} from './support.ts';

const CHUNKED = 'transfer-encoding: chunked';
const TOKEN = `authorization: ${SIGNED_IN.authorization}`;
const signed = (length: string, body = '') => headOf(length, sign(body)) + body;
const get = (target: string, ...headers: string[]) =>
  ['GET', target, 'HTTP/1.1\r\nhost: x\r\n'].join(' ') + [...headers, '', ''].join('\r\n');
const lines = (...all: string[]) => `${all.join('\r\n')}\r\n\r\n`;
const MANY = Array.from({ length: 3000 }, (_line, at) => `x-${at}: y`).join('\r\n');
const BOMB = gzipSync(Buffer.alloc(50_000_000));

const WORDS = /\r\n\r\n[^]*[A-Z][a-z ]+[^]*\.|\r\n\r\n\s*<!doctype/i;

/** Each is answered with a status of its kind and words, or the connection is closed without an answer. */
const BODIES: readonly (readonly [string, string | Buffer, RegExp])[] = [
  ['a chunk longer than it says', signed(CHUNKED) + '3\r\n{"a":1}\r\n0\r\n\r\n', /400/],
  ['a chunk shorter than it says', signed(CHUNKED) + 'ff\r\n{}\r\n0\r\n\r\n', /400/],
  ['a chunk of a negative length', signed(CHUNKED) + '-1\r\n{}\r\n0\r\n\r\n', /400/],
  ['a chunk of a length beyond 64 bits', signed(CHUNKED) + 'fffffffffffffffff\r\n{}', /400|413/],
  ['a chunk of a huge length', signed(CHUNKED) + '7fffffffffffffff\r\n{}', /400|413/],
  ['a chunk whose length is no number', signed(CHUNKED) + 'zz\r\n{}\r\n0\r\n\r\n', /400/],
  ['a chunk with a long extension', signed(CHUNKED) + `2;${'x'.repeat(20_000)}\r\n{}`, /400|413/],
  ['chunks without an end', signed(CHUNKED) + '2\r\n{}\r\n', /400/],
  ['chunks with line ends alone', signed(CHUNKED) + '2\n{}\n0\n\n', /400/],
  ['both lengths', signed(`${CHUNKED}\r\ncontent-length: 2`, '{}'), /400/],
  ['two lengths', signed('content-length: 2\r\ncontent-length: 3', '{} '), /400/],
  ['the same length twice', signed('content-length: 2\r\ncontent-length: 2', '{}'), /400/],
  ['a list of lengths', signed('content-length: 2, 2', '{}'), /400/],
  ['a negative length', signed('content-length: -2', '{}'), /400/],
  ['a length with a sign', signed('content-length: +2', '{}'), /400/],
  ['a length in hexadecimal', signed('content-length: 0x2', '{}'), /400/],
  ['a length beyond 64 bits', signed('content-length: 99999999999999999999', '{}'), /400|413/],
  ['a length that is too large', signed('content-length: 26214401', '{}'), /413/],
  ['a body shorter than its length', signed('content-length: 100', '{}'), /400/],
  ['an unknown transfer encoding', signed('transfer-encoding: gzip', '{}'), /400/],
  ['two transfer encodings', signed('transfer-encoding: chunked, identity', '{}'), /400/],
  ['an encoding with a blank', signed('transfer-encoding : chunked', '{}'), /400/],
  [
    'a bomb in gzip',
    Buffer.concat([
      Buffer.from(headOf(`content-encoding: gzip\r\ncontent-length: ${BOMB.length}`, sign(BOMB))),
      BOMB,
    ]),
    /4\d\d/,
  ],
  ['a body in brotli', signed('content-encoding: br\r\ncontent-length: 2', '{}'), /415/],
  [
    'a body that expects 100-continue and is too large',
    signed('content-length: 99999999\r\nexpect: 100-continue'),
    /(?:100,)?413/,
  ],
  ['an expectation that nobody knows', signed('content-length: 2\r\nexpect: 200-ok', '{}'), /417/],
  ['a wrong signature', headOf('content-length: 2') + '{}', /401/],
  [
    'two signatures',
    signed(`content-length: 2\r\nx-hub-signature-256: ${sign('{}')}`, '{}'),
    /40[01]/,
  ],
  [
    'a content type of a form',
    signed('content-length: 2', '{}').replace(
      'application/json',
      'application/x-www-form-urlencoded',
    ),
    /415/,
  ],
];

const REQUESTS: readonly (readonly [string, string, RegExp])[] = [
  ['TRACE', lines('TRACE / HTTP/1.1', 'host: x', TOKEN), /40[45]/],
  ['CONNECT', lines('CONNECT example.com:443 HTTP/1.1', 'host: x', TOKEN), /40[045]/],
  [
    'an upgrade to a WebSocket',
    get('/nowhere', TOKEN, 'upgrade: websocket', 'connection: upgrade'),
    /40[04]/,
  ],
  [
    'an upgrade to HTTP/2',
    get(
      '/nowhere',
      TOKEN,
      'upgrade: h2c',
      'connection: upgrade, http2-settings',
      'http2-settings: AAAA',
    ),
    /40[04]/,
  ],
  ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /4\d\d/],
  ['an unknown method', lines('SPY / HTTP/1.1', 'host: x'), /400/],
  ['a method in lower case', lines('get / HTTP/1.1', 'host: x'), /400/],
  ['an unknown version', lines('GET / HTTP/3.7', 'host: x'), /400/],
  ['HTTP/0.9', 'GET /\r\n\r\n', /40[014]/],
  ['HTTP/1.0 without a host', lines('GET /nowhere HTTP/1.0', TOKEN), /404/],
  ['no host', lines('GET / HTTP/1.1'), /400/],
  ['two hosts', lines('GET /nowhere HTTP/1.1', 'host: a', 'host: b', TOKEN), /40[04]/],
  ['an absolute target of another host', get('http://evil.example/nowhere', TOKEN), /40[04]/],
  ['an absolute target with a user', get('http://a:b@evil.example/', 'accept: */*'), /40[014]/],
  ['an asterisk as target', lines('OPTIONS * HTTP/1.1', 'host: x', TOKEN), /40[045]/],
  ['an empty target', lines('GET  HTTP/1.1', 'host: x'), /400/],
  ['two slashes', get('//evil.example/..//sessions', TOKEN), /40[04]/],
  ['a NUL in the target', get('/sessions/a\0b', TOKEN), /400/],
  ['an encoded NUL', get('/sessions/a%00b', TOKEN), /40[04]/],
  ['encoded slashes', get('/sessions/..%2f..%2fetc%2fpasswd', TOKEN), /404/],
  ['encoded slashes twice', get('/sessions/%252e%252e%252fa', TOKEN), /404/],
  ['encoded backslashes', get('/sessions/..%5c..%5cetc', TOKEN), /404/],
  ['dots', get('/sessions/../../etc/passwd', TOKEN), /404/],
  ['an encoding that is none', get('/sessions/%zz', TOKEN), /40[04]/],
  ['half an encoding', get('/sessions/%', TOKEN), /40[04]/],
  ['bytes that are not UTF-8', get('/sessions/%c0%af', TOKEN), /40[04]/],
  ['the name of a prototype', get('/sessions/__proto__', TOKEN), /404/],
  ['a long target', get(`/${'a'.repeat(15_000)}`, TOKEN), /4(?:04|14|31)/],
  ['a target that is too long', get(`/${'a'.repeat(70_000)}`, TOKEN), /4(?:14|31)/],
  ['a blank in the target', get('/sessions/a b', TOKEN), /400/],
  ['a line end in a header', get('/nowhere', TOKEN, 'x: a\rb'), /400/],
  ['a NUL in a header', get('/nowhere', TOKEN, 'x: a\0b'), /400/],
  ['a folded header', get('/nowhere', TOKEN, 'x: a', ' b'), /400/],
  ['a header without a name', get('/nowhere', ': a'), /400/],
  ['a header without a colon', get('/nowhere', 'nothing'), /400/],
  ['3,000 headers', get('/nowhere', TOKEN, MANY), /431/],
  ['a header of 1 MB', get('/nowhere', TOKEN, `x: ${'a'.repeat(1_000_000)}`), /431/],
  [
    'a body of GET that hides a request',
    get('/nowhere', TOKEN, 'content-length: 44') + get('/sessions', TOKEN),
    /404/,
  ],
  ['TLS', '\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003', /400/],
  ['SSH', 'SSH-2.0-OpenSSH_9.9\r\n', /400/],
  ['SMTP', 'EHLO x\r\nMAIL FROM:<a@b>\r\n', /400/],
  ['nothing', '', /^$/],
];

describe.each([
  ['webhooks', () => startServer(), (web: TestServer) => deliver(web, '{}')],
  [
    'pages',
    () => startPages(),
    (web: TestServer) => ask(`${web.url}/sessions`, { headers: SIGNED_IN }),
  ],
] as const)('the server of the %s', (kind, start, honest) => {
  let web: TestServer;
  beforeAll(async () => void (web = await start()));
  afterAll(() => web.close());

  it.each(kind === 'webhooks' ? [...BODIES, ...REQUESTS] : REQUESTS)(
    'survives %s',
    async (_what, bytes, status) => {
      const before = process.memoryUsage().rss;
      const text = await speakOnce(web.port, bytes);
      const answers = text.match(/HTTP\/1\.1 \d+/g) ?? [];
      expect(answers.map((line) => line.slice(9)).join()).toMatch(
        new RegExp(`^(?:${status.source})?$`),
      );
      expect(text === '' || WORDS.test(text)).toBe(true);
      expect(text).not.toMatch(/ at .*:\d+:\d+|node_modules|Error:/);
      expect((await honest(web)).status).toBe(200);
      expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    },
  );

  it('answers pipelined requests in their order', async () => {
    const last = get('/nowhere%', TOKEN, 'connection: close');
    const { text } = await speak(web.port, [get('/nowhere', TOKEN) + last]);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404', 'HTTP/1.1 400']);
  });

  it('gives no pipelined request the answer to a later one that is wrong', async () => {
    const { text } = await speak(web.port, [`${get('/nowhere', TOKEN)}WRONG\r\n\r\n`]);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 404']);
  });

  it('has an honest answer after 200 connections that say nothing', async () => {
    const silent = Array.from({ length: 200 }, () => speakOnce(web.port, ''));
    expect((await honest(web)).status).toBe(200);
    await Promise.all(silent);
  });
});

it('10,000 requests on one connection do not pile up', async () => {
  const web = await startServer();
  const before = process.memoryUsage().rss;
  const text = await speakOnce(web.port, get('/healthz').repeat(10_000));
  expect(text.match(/^HTTP\/1\.1 200/gm)?.length ?? 0).toBeLessThanOrEqual(10_000);
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  expect((await ask(`${web.url}/healthz`)).status).toBe(200);
  await web.close();
});

it('a delivery that expects 100-continue is answered', async () => {
  const web = await startServer();
  const text = await speakOnce(web.port, signed('expect: 100-continue\r\ncontent-length: 2', '{}'));
  expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  expect(Object.keys(DELIVERY)).toHaveLength(4);
  await web.close();
});
