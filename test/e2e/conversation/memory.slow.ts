// What one session remembers, a later one of the same repository finds, and no other.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Script } from '../../../packages/local-github/src/model/script.ts';
import { SAMPLE } from '../../../packages/local-github/src/sample/index.ts';
import { ExtraRepository } from '../extra-repository.ts';
import { Scene } from '../scene.ts';

const SETTINGS = 'tools: {remember: true, search_memory: true}\n';
const SECRET = `ghp_${'a1'.repeat(18)}`;

const say = (tool_name: string, args: Record<string, unknown>) => ({
  say: { plan: 'as scripted', tool_calls: [{ tool_name, arguments: args }] },
});
const finish = say('finish', { outcome: 'nothing_to_do', summary: 'As it should be.' });

const FACT = `The grammar is generated: run \`npm run grammar\` with ${SECRET} set.`;
const SCRIPTS: readonly Script[] = [
  { match: 'Write it down', turns: [say('remember', { content: FACT }), finish] },
  { match: 'Look it up', turns: [say('search_memory', { query: 'generated grammar' }), finish] },
];

/** An embedding server: what it was sent, and whether it works. */
const embeddings = { sent: [] as string[], works: true };
const server = createServer((request, response) => void embed(request, response));
async function embed(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { input } = JSON.parse(await text(request)) as { input: readonly string[] };
  embeddings.sent.push(...input);
  const body = { embeddings: input.map(() => [1, 0]), prompt_eval_count: 5 };
  response.writeHead(embeddings.works ? 200 : 500).end(JSON.stringify(body));
}

let scene: Scene;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const files = { ...SAMPLE.files, '.github/issuewright.yml': SETTINGS };
  const environment = {
    EMBEDDING_MODEL: 'ollama:small',
    OLLAMA_BASE_URL: `http://127.0.0.1:${port}`,
  };
  scene = await Scene.open({ scripts: SCRIPTS, files, environment });
});
afterAll(async () => {
  await scene.closeReplayed();
  server.closeAllConnections();
  server.close();
});

/** All that the model was sent in its last request. */
const told = (): string => String(scene.agentRequests.at(-1)?.body);

it('a session finds what an earlier one remembered, without its secrets, until people delete it', async () => {
  const first = scene.ask('Write it down', '');
  await scene.untilStatus(first, /nothing to change/i);
  expect(told()).toContain('Remembered as memory 1. Secrets in it were redacted.');

  const second = scene.ask('Look it up', '');
  await scene.untilStatus(second, /nothing to change/i);
  expect(told()).toContain(`[Memory 1, of issue #${first.number}, `);
  expect(told()).toContain(
    '> The grammar is generated: run `npm run grammar` with [redacted] set.',
  );

  expect(embeddings.sent).toEqual([
    'generated grammar',
    'The grammar is generated: run `npm run grammar` with [redacted] set.',
  ]);
  const status = await scene.until('who receives memories', () =>
    scene.comments(second).find(({ body }) => body.includes('memories also to Ollama (127.0.0.1:')),
  );
  expect(status.body).toContain(':status -->');

  scene.maintainer.comment(scene.thread(second), '/issuewright memory');
  await scene.until('the list', () =>
    scene.comments(second).find(({ body }) => /\*\*1\*\* The grammar is generated/.test(body)),
  );
  scene.maintainer.comment(scene.thread(second), '/issuewright forget 1');
  await scene.until('the answer', () =>
    scene.comments(second).find(({ body }) => body.startsWith('I deleted memory 1.')),
  );
  const third = scene.ask('Look it up', '');
  await scene.untilStatus(third, /nothing to change/i);
  expect(told()).toContain('No memory matches. Try other words.');
});

it('a session of another repository finds nothing of it', async () => {
  const own = scene.ask('Write it down', 'Once more.');
  await scene.untilStatus(own, /nothing to change/i);
  embeddings.works = false;
  const other = await ExtraRepository.open(scene, 'another', 2);
  await scene.maintainer.push(other.repository, {
    branch: 'main',
    files: { '.github/issuewright.yml': SETTINGS },
    message: 'Ask for the memory',
  });
  await other.untilStatus(other.ask('Look it up'), /nothing to change/i);
  expect(told()).toContain('No memory matches. Try other words.');
  expect(told()).toContain('(Searched by words only, because the search by meaning failed.');
});
