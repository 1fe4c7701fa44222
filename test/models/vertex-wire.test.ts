import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import type { UnpricedReply } from '../../src/models/provider.ts';
import { vertex } from '../../src/models/providers/vertex.ts';
import { FixtureServer, readFixture } from '../contract/fixture-server.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { vertexKeyFile, writtenKeyFile } from './vertex-key-file.ts';

const server = new FixtureServer();
const environment = { ...process.env };

beforeAll(() => server.start());
beforeEach(() => server.reset());
afterEach(() => {
  process.env = { ...environment };
});
afterAll(() => server.stop());

async function ask(
  settings: Readonly<Record<string, string>>,
  signal = new AbortController().signal,
): Promise<UnpricedReply> {
  server.willAnswer(readFixture('gemini', 'malformed-call'));
  const adapter = await vertex.open(
    'm',
    vertex.variables.parse({
      GOOGLE_CLOUD_PROJECT: 'example-project',
      GOOGLE_VERTEX_BASE_URL: server.url,
      ...settings,
    }),
  );
  return adapter.reply({
    system: '',
    messages: [{ role: 'user', text: 'Hello?' }],
    tools: [{ name: 'read_file', description: 'Reads.', parameters: { type: 'object' } }],
    maxOutputTokens: 99,
    cacheKey: 'k',
    signal,
  });
}

const failure = (keyFile: string): Promise<unknown> =>
  ask({ GOOGLE_APPLICATION_CREDENTIALS: keyFile }).catch((error: unknown) => error);

describe('a request to Vertex AI', () => {
  it('names project and location, and is signed by the account of the key file', async () => {
    process.env['GEMINI_API_KEY'] = 'key-of-the-environment';
    // The client says on the console which of the two it takes.
    const said = jest.spyOn(console, 'debug').mockImplementation(() => {});
    process.env['GOOGLE_CLOUD_LOCATION'] = 'location-of-the-environment';
    const keyFile = { GOOGLE_APPLICATION_CREDENTIALS: vertexKeyFile() };
    await ask({ ...keyFile, GOOGLE_CLOUD_LOCATION: 'europe-west1' });
    said.mockRestore();
    const [{ path: asked, headers }] = server.requests as [(typeof server.requests)[0]];
    expect(asked).toBe(
      '/v1beta1/projects/example-project/locations/europe-west1/publishers/google/models/m:streamGenerateContent?alt=sse',
    );
    expect(headers['authorization']).toMatch(/^Bearer eyJ/);
    expect(headers).not.toHaveProperty('x-goog-api-key');
  });

  it('finds the name of the tool in what Vertex says of an unreadable call', async () => {
    const reply = await ask({ GOOGLE_APPLICATION_CREDENTIALS: vertexKeyFile() });
    expect(reply.calls).toMatchObject([{ tool: 'read_file', fault: expect.any(String) }]);
  });
});

describe('the sign-in of Google Cloud', () => {
  let tokens: Server;
  let answer: (status: number) => void = () => {};
  const asked = Promise.withResolvers<void>();

  beforeAll(async () => {
    tokens = createServer((_request, response) => {
      answer = (status) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
      asked.resolve();
    });
    await new Promise<void>((resolve) => tokens.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    tokens.closeAllConnections();
    await new Promise((resolve) => tokens.close(resolve));
  });

  it('is an error for the person if there is no such file', async () => {
    const error = await failure('/nowhere/key.json');
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).toMatch(/GOOGLE_APPLICATION_CREDENTIALS/);
    expect(server.requests).toHaveLength(0);
  });

  it('is for the person when the file is something else, and does not quote it', async () => {
    const file = path.join(temporaryDirectory(), 'key.json');
    writeFileSync(file, 'a secret that is no JSON');
    const error = await failure(file);
    expect(error).toBeInstanceOf(TellPerson);
    expect((error as Error).message).not.toContain('secret');
  });

  it('is retried later if no tokens are issued', async () => {
    const subject = path.join(temporaryDirectory(), 'subject');
    writeFileSync(subject, 'subject');
    expect(await failure(exchange(subject, 'http://127.0.0.1:1/token'))).toBeInstanceOf(TryLater);
  });

  it('does not delay a run that is stopped', async () => {
    const subject = path.join(temporaryDirectory(), 'subject');
    writeFileSync(subject, 'subject');
    const { port } = tokens.address() as AddressInfo;
    const controller = new AbortController();
    const keyFile = exchange(subject, `http://127.0.0.1:${port}/token`);
    const outcome = ask({ GOOGLE_APPLICATION_CREDENTIALS: keyFile }, controller.signal).catch(
      (error: unknown) => error,
    );
    await asked.promise;
    controller.abort(new Error('told to stop'));
    expect(await outcome).toEqual(new Error('told to stop'));
    answer(400);
  });
});

/** A key file that has a token exchanged for another. */
const exchange = (subject: string, tokenUrl: string): string =>
  writtenKeyFile({
    type: 'external_account',
    audience: 'audience',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: tokenUrl,
    credential_source: { file: subject },
  });

describe('the settings of Vertex AI', () => {
  it('say where the code goes', () => {
    const settings = vertex.variables.parse({ GOOGLE_CLOUD_PROJECT: 'example-project' });
    expect(vertex.destination(settings, 'any')).toBe('Google Vertex AI (global)');
    expect(vertex.secrets(settings)).toEqual([]);
  });

  it.each(['a/b', 'a.example.com/', 'ä'])('do not take `%s` into an address', (wrong) => {
    const settings = { GOOGLE_CLOUD_PROJECT: 'example-project', GOOGLE_CLOUD_LOCATION: wrong };
    expect(vertex.variables.safeParse(settings).success).toBe(false);
    expect(vertex.variables.safeParse({ GOOGLE_CLOUD_PROJECT: wrong }).success).toBe(false);
  });
});
