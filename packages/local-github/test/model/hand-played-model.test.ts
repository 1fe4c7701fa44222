import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { play } from '../../src/play.ts';
import { HandPlayedFiles, HandPlayedModel } from '../../src/model/hand-played-model.ts';
import { startModelServer, type ModelServer } from '../../src/model/server.ts';
import { temporaryDirectory } from '../../../../test/support/temporary-directory.ts';
import { writeFileSync } from 'node:fs';
import path from 'node:path';

let directory: string;
let model: HandPlayedModel;
let server: ModelServer;
beforeEach(async () => {
  directory = temporaryDirectory();
  model = new HandPlayedModel(directory);
  server = await startModelServer({ scripts: model });
});
afterEach(() => server.close());

const client = (): OpenAI =>
  new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 });

type Message = OpenAI.ChatCompletionMessageParam;
const user = (content: string): Message => ({ role: 'user', content });

const asked = (messages: Message[], signal?: AbortSignal) =>
  client().chat.completions.create(
    { model: 'm', messages, stream: true, stream_options: { include_usage: true } },
    { signal },
  );

async function read(stream: AsyncIterable<OpenAI.ChatCompletionChunk>) {
  let text = '';
  let usage: OpenAI.CompletionUsage | undefined;
  const names: string[] = [];
  for await (const chunk of stream) {
    const { delta } = chunk.choices[0] ?? {};
    text += delta?.content ?? '';
    for (const call of delta?.tool_calls ?? [])
      if (call.function?.name) names.push(call.function.name);
    usage = chunk.usage ?? usage;
  }
  return { text, names, usage };
}

/** What `./issuewright play DIR …` prints, and its exit code. */
async function played(...words: string[]): Promise<{ code: number; printed: string }> {
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text);
  const code = await play.run({ arguments: [directory, ...words], environment: {}, print });
  return { code, printed: lines.join('\n') };
}

function replyFile(reply: unknown): string {
  const file = path.join(directory, 'mine.json');
  writeFileSync(file, typeof reply === 'string' ? reply : JSON.stringify(reply));
  return file;
}

describe('a model that somebody plays by hand', () => {
  it('shows each request, and answers it with the reply that was written', async () => {
    const answer = asked([{ role: 'system', content: 'Be brief.' }, user('Fix the sum')]).then(
      read,
    );
    const { printed } = await played('next');
    expect(printed).toMatch(/### request 1: 1 messages[\s\S]*Be brief\.[\s\S]*Fix the sum/);
    const calls = [{ tool: 'read_file', arguments: { path: 'sum.py' } }];
    await played('reply', replyFile({ text: 'I look.', calls }));
    expect(await answer).toMatchObject({ text: 'I look.', names: ['read_file'] });
    expect((await played('list')).printed).toMatch(/^1: .* → read_file$/);
  });

  it('shows only what is new in the next request, and counts the rest as cached', async () => {
    const first = asked([user('one')]).then(read);
    await played('next');
    await played('reply', replyFile({ text: 'two' }));
    const { usage } = await first;
    const second = asked([user('one'), { role: 'assistant', content: 'two' }, user('three')]).then(
      read,
    );
    const { printed } = await played('next');
    expect(printed).toContain('three');
    expect(printed).not.toContain('--- 1 user');
    await played('reply', replyFile({ text: 'four' }));
    const { usage: next } = await second;
    expect(next?.prompt_tokens_details?.cached_tokens).toBe(usage?.prompt_tokens);
    expect(next?.prompt_tokens).toBeGreaterThan(usage?.prompt_tokens ?? Infinity);
    expect(model.exchanges.map(({ number, calls }) => [number, calls])).toEqual([
      [1, 0],
      [2, 0],
    ]);
  });

  it('sends nothing if the reply cannot be read, and says why', async () => {
    const answer = asked([user('one')]).then(read);
    await played('next');
    const wrong = { calls: [{ name: 'read_file', arguments: {} }] };
    await expect(played('reply', replyFile(wrong))).rejects.toThrow(
      /nothing was answered[\s\S]*tool/,
    );
    await expect(played('reply', replyFile('{'))).rejects.toThrow(/nothing was answered/);
    await played('reply', replyFile({ text: 'yes' }));
    expect((await answer).text).toBe('yes');
  });

  it('waits for nobody who hung up, and passes over what an earlier process left', async () => {
    const leaving = new AbortController();
    const answer = asked([user('one')], leaving.signal).then(read);
    await played('next');
    leaving.abort();
    await answer;
    const files = new HandPlayedFiles(directory);
    while (files.open !== undefined) await new Promise((resolve) => setTimeout(resolve, 20));
    const later = asked([user('one')]).then(read);
    expect((await played('next')).printed).toContain('--- 1 user\none');
    expect(new HandPlayedFiles(directory).open).toBe(2);
    new HandPlayedModel(directory);
    expect(new HandPlayedFiles(directory).open).toBeUndefined();
    await server.close();
    await expect(later).rejects.toThrow();
  });

  it('exits with 3 if no request waits', async () => {
    expect((await played('next', '--seconds', '0')).code).toBe(3);
    expect((await played('reply', replyFile({}))).code).toBe(3);
  });
});
