// Where logs are fetched, and what is kept of them.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { fetchLog, logTail } from '../../../src/github/checks/failure-details.ts';

let server: Server | undefined;
afterEach(() => new Promise((done) => (server === undefined ? done(null) : server.close(done))));

const LOCAL = new URL('http://127.0.0.1:3456/api/v3');
const GITHUB = new URL('https://api.github.com');

async function serve(answer: RequestListener): Promise<string> {
  server = createServer(answer);
  await new Promise<void>((done) => server?.listen(0, '127.0.0.1', done));
  return `http://localhost:${(server.address() as AddressInfo).port}/log`;
}

describe('a log', () => {
  it('is fetched without credentials, and loses its byte order mark', async () => {
    const seen: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('\uFEFFgreetings');
    });
    await expect(fetchLog(url, LOCAL)).resolves.toEqual({ text: 'greetings' });
    expect(seen).toEqual([undefined]);
  });

  it('is kept from its end if it is long', async () => {
    const url = await serve((_request, response) => {
      response.end(`${'x'.repeat(3_000_000)}the end`);
    });
    const found = await fetchLog(url, LOCAL);
    const text = 'text' in found ? found.text : '';
    expect(text).toMatch(/^x{1000,}the end$/);
    expect(text.length).toBeLessThanOrEqual(256 * 1024);
  });

  it('that leads on to another address is not followed', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
    });
    await expect(fetchLog(url, LOCAL)).resolves.toEqual({ reason: 'it could not be fetched' });
  });

  it.each([
    ['http://logs.example/1', /not https/],
    ['http://127.0.0.1:3000/1', /not https/],
    ['file:///etc/passwd', /not https/],
    ['https://127.0.0.1/1', /not public/],
    ['https://[::1]/1', /not public/],
    ['https://10.0.0.7/1', /not public/],
    ['https://169.254.169.254/latest/meta-data', /not public/],
    ['https://localhost/1', /not public/],
    ['https://user:secret@logs.example/1', /has a password/],
    ['nowhere', /no URL/],
    ['', /no URL/],
  ])('at %s is not fetched for github.com', async (address, words) => {
    await expect(fetchLog(address, GITHUB)).resolves.toMatchObject({
      reason: expect.stringMatching(words),
    });
  });

  it('on plain http is fetched from this machine only if GitHub itself is there', async () => {
    const url = await serve((_request, response) => response.end('greetings'));
    const enterprise = new URL('https://git.example.com/api/v3');
    await expect(fetchLog(url, enterprise)).resolves.toMatchObject({ reason: /./ });
  });
});

describe('the end of the step that failed', () => {
  const line = (text: string): string => `2026-11-23T05:00:00.0000000Z ${text}`;

  it('stands before its error: steps that clean up follow', () => {
    const log = [
      ...Array.from({ length: 200 }, (_, at) => line(`early ${at}`)),
      line('##[group]Run npm test'),
      line('##[endgroup]'),
      line('\u001B[31mnot ok 1\u001B[0m'),
      line('##[error]Process completed with exit code 1.'),
      line('Post job cleanup.'),
      ...Array.from({ length: 50 }, (_, at) => line(`late ${at}`)),
    ].join('\n');
    const tail = logTail(log);
    expect(tail).toContain(
      '##[group]Run npm test\nnot ok 1\n##[error]Process completed with exit code 1.\nPost job cleanup.',
    );
    expect(tail).not.toMatch(/early 100\n|late 10|endgroup|05:00/);
  });

  it('is the end of the log if no line is an error, with bounded lines', () => {
    const tail = logTail(`${line('x'.repeat(10_000))}\n${line('the end')}`);
    expect(tail).toMatch(/^x{400}…\nthe end$/);
  });
});
