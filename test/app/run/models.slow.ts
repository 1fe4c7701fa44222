// Which model works on an issue and how much it thinks: by the settings, by labels, and after an outage.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Operator } from '../../../src/app/service/service.ts';
import { modelOpener } from '../../../src/models/index.ts';
import { fold } from '../../../src/session/fold/fold.ts';
import { plainBody } from '../../../src/session/texts/markdown.ts';
import { statusComment } from '../../../src/session/texts/status-comment.ts';
import { json } from '../../agent/support.ts';
import { entriesOf, openService, type Service } from '../support.ts';

const FILE = '.github/issuewright.yml';
const MINUTE = 60_000;
const DONE = json(['finish', { summary: 'It does.', outcome: 'nothing_to_do' }]);
const OFFERED = { models: ['test:first', 'test:second'] } as const;

/** Works on a new issue after these people put these labels on it; what came of it. */
async function workOn(
  service: Service,
  labels: readonly (readonly [login: string, label: string])[],
  operator: Partial<Operator> = OFFERED,
) {
  const session = await service.start('Does it?');
  const { number } = service.repository.issues.at(-1)!;
  for (const [login, label] of labels)
    service.github.as(login).label({ repository: service.repository, number }, label);
  service.model.says(DONE);
  await session.advance(operator);
  const journal = await session.journal();
  const { model, effort } = entriesOf(journal, 'run_prepared')[0] ?? {};
  const asked = service.model.requests.at(-1)?.effort;
  const status = plainBody(statusComment(fold(journal), { now: new Date().toISOString() }));
  return { model, effort, asked, status };
}

describe('labels on an issue', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({ [FILE]: 'model_effort: low\n' }, { people: ['triager'] });
    service.repository.collaborators.set('triager', 'triage');
  });
  afterAll(() => service.close());

  it('choose effort and model, which every request has and the status comment shows', async () => {
    const { status, ...chosen } = await workOn(service, [
      ['maintainer', 'Issuewright:High'],
      ['maintainer', 'issuewright:second'],
      ['maintainer', 'bug'],
    ]);
    expect(chosen).toEqual({ model: 'test:second', effort: 'high', asked: 'high' });
    expect(status).toContain('`test:second` · effort high · 1 reply');
  });

  it.each([
    ['whole names', 'maintainer', 'issuewright:test:second', 'test:second', 'low'],
    ['efforts above the operator’s bound', 'maintainer', 'issuewright:max', 'test:first', 'high'],
    ['unknown words', 'maintainer', 'issuewright:best', 'test:first', 'low'],
    ['models that are not offered', 'maintainer', 'issuewright:gpt-9', 'test:first', 'low'],
    ['people who may label and not request', 'triager', 'issuewright:high', 'test:first', 'low'],
  ])('of %s count for what they may', async (_what, login, label, model, effort) => {
    expect(await workOn(service, [[login, label]])).toMatchObject({ model, effort });
  });

  it('count for the lowest effort if there are several', async () => {
    const labels = ['high', 'medium'].map((word) => ['maintainer', `issuewright:${word}`] as const);
    expect(await workOn(service, labels)).toMatchObject({ effort: 'medium' });
  });
});

describe('labels in a repository whose settings do not allow them', () => {
  let service: Service;
  beforeAll(async () => {
    service = await openService({ [FILE]: 'model_effort: max\nmodels: {labels: false}\n' });
  });
  afterAll(() => service.close());

  it('choose nothing, and its own effort is within the operator’s bound, which it is told', async () => {
    const { status, ...chosen } = await workOn(service, [['maintainer', 'issuewright:low']]);
    expect(chosen).toEqual({ model: 'test:first', effort: 'high', asked: 'high' });
    expect(status).toContain('`model_effort` is `max`, and the operator allows `high` at most.');
  });
});

const STREAM = { 'content-type': 'text/event-stream' };
const CHUNK = { choices: [{ index: 0, delta: { content: DONE }, finish_reason: 'stop' }] };
const REPLY = `data: ${JSON.stringify(CHUNK)}\n\ndata: [DONE]\n\n`;

/** A provider that fails with this, and a model server that always answers. */
async function twoServers(failure: { readonly status: number; readonly message: string }) {
  const asked = { first: 0, second: 0 };
  const listen = async (name: keyof typeof asked, fails: boolean): Promise<Server> => {
    const server = createServer((request, response) => {
      request.resume();
      if (request.method === 'GET') return void response.writeHead(404).end();
      asked[name] += 1;
      if (!fails) return void response.writeHead(200, STREAM).end(REPLY);
      const wait = { 'content-type': 'application/json', 'retry-after': '240' };
      response.writeHead(failure.status, failure.status === 402 ? {} : wait);
      response.end(JSON.stringify({ error: { message: failure.message } }));
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return server;
  };
  const servers = [await listen('first', true), await listen('second', false)] as const;
  const [first, second] = servers.map(
    (one) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`,
  );
  const settings = new Map<string, unknown>([
    ['openai', { OPENAI_BASE_URL: first }],
    ['gh', { GITHUB_MODELS_BASE_URL: second, GITHUB_MODELS_TOKEN: 't' }],
  ]);
  return {
    asked,
    openModel: modelOpener(() => settings),
    hosts: [first, second].map((url = '') => new URL(url).host),
    close: () => servers.forEach((one) => one.close()),
  };
}

const BUSY = { status: 503, message: 'down for maintenance' };

describe('a model whose provider fails', () => {
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });

  async function failing(settings: string, failure = BUSY) {
    const servers = await twoServers(failure);
    const { openModel } = servers;
    const service = await openService({ [FILE]: settings }, { openModel });
    closing.push(servers.close, service.close);
    const session = await service.start('Does it?');
    const operator: Partial<Operator> = {
      models: ['openai:main'],
      fallback: { model: 'gh:other', afterMs: 10 * MINUTE },
    };
    return {
      ...servers,
      service,
      /** Passes minutes, then works. */
      after: async (minutes: number) => {
        service.letPass(minutes * MINUTE);
        await session.advance(operator);
        const journal = await session.journal();
        const now = new Date().toISOString();
        return { journal, status: plainBody(statusComment(fold(journal), { now })) };
      },
    };
  }

  it.each([
    ['an outage', BUSY],
    ['a rate limit', { status: 429, message: 'Too many requests.' }],
    ['a used-up quota', { status: 402, message: 'Buy more.' }],
  ])('is followed by another one once %s has lasted for the minutes', async (_what, failure) => {
    const { after, asked, hosts } = await failing(
      'models: {allow: ["openai:main", "gh:other"]}\n',
      failure,
    );
    const begun = await after(0);
    expect(begun.status).toContain('Waiting until');
    expect(begun.journal.at(-1)).toMatchObject({
      type: 'run_deferred',
      outage: { since: expect.any(String) },
    });
    for (const minutes of [4, 4, 4]) await after(minutes);
    expect(asked.second).toBe(0);
    const { journal, status } = await after(1);
    expect(asked.second).toBe(1);
    expect(entriesOf(journal, 'run_prepared').map(({ model, run }) => [model, run])).toEqual([
      ['openai:main', 1],
      ['gh:other', 1],
    ]);
    expect(status).toMatch(
      new RegExp(
        String.raw`\`gh:other\` continues this run\*\*: \`openai:main\` has not answered since .*` +
          String.raw`go to GitHub Models \(${hosts[1]}\)\.`,
      ),
    );
    expect(status).toContain(`before that to the model server (${hosts[0]})`);
    expect(entriesOf(journal, 'run_ended')).toMatchObject([{ end: { kind: 'finished' } }]);
  });

  it.each([
    ['the settings name no models, and its server has not received the code', ''],
    ['the settings do not allow it', 'models: {allow: ["openai:main"]}\n'],
  ])('is not followed by one if %s', async (_why, settings) => {
    const { after, asked } = await failing(settings);
    for (const minutes of [0, 4, 4, 4, 15]) await after(minutes);
    expect(asked).toEqual({ first: 5, second: 0 });
  });

  it('is not followed by one if the failure is ours, such as a key that is not accepted', async () => {
    const allowed = 'models: {allow: ["openai:main", "gh:other"]}\n';
    const { after, asked } = await failing(allowed, { status: 401, message: 'Who are you?' });
    const { journal } = await after(0);
    expect(entriesOf(journal, 'run_ended')).toMatchObject([{ end: { kind: 'failed' } }]);
    await after(20);
    expect(asked).toEqual({ first: 1, second: 0 });
  });
});
