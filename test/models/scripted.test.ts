import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Message, ModelRequest } from '../../src/contracts/model.ts';
import { ContextOverflow, ToolsRefused } from '../../src/agent/model-errors.ts';
import type { Script } from '../../playground/model/script.ts';
import { TellPerson, TryLater } from '../../src/lib/errors.ts';
import { scripted } from '../../src/models/providers/scripted.ts';

const say = (...names: string[]) => ({
  plan: 'I look.',
  tool_calls: names.map((name) => ({ tool_name: name, arguments: { path: 'a' } })),
});
const QUESTION: Message = { role: 'user', text: 'Hello?' };
const TOOL = { name: 'read_file', description: 'Reads.', parameters: {} };

describe('the provider `scripted`', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'scripted-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const open = async (script: Script | string) => {
    const path = join(folder, 'script.json');
    await writeFile(path, typeof script === 'string' ? script : JSON.stringify(script));
    return scripted.open(path, {});
  };
  const request = (more: Partial<ModelRequest> = {}): ModelRequest => ({
    system: 'You are a test.',
    messages: [QUESTION],
    tools: [],
    maxOutputTokens: 99,
    cacheKey: 'k',
    signal: new AbortController().signal,
    ...more,
  });

  it('answers in the form that is asked for', async () => {
    const model = await open({ turns: [{ say: say('read_file') }] });
    const native = await model.reply(request({ tools: [TOOL] }));
    expect(native).toMatchObject({ text: 'I look.', calls: [{ tool: 'read_file' }] });
    const json = await model.reply(request());
    expect(JSON.parse(json.text)).toEqual(say('read_file'));
    const react = await model.reply(request({ system: 'Write <tool_code> …' }));
    expect(react.text).toContain('<name>read_file</name>');
  });

  it('goes on where the conversation is', async () => {
    const model = await open({ turns: [{ raw: 'One.' }, { raw: 'Two.' }] });
    const said: Message = { role: 'assistant', text: 'One.', calls: [], native: null };
    const reply = await model.reply(request({ messages: [QUESTION, said, QUESTION] }));
    expect(reply).toMatchObject({ text: 'Two.', stop: 'end' });
    expect(reply.usage.input).toBeGreaterThan(0);
  });

  it('plays trouble, and then answers', async () => {
    const model = await open({
      turns: [{ raw: 'Hello you', cut: true }],
    });
    await expect(model.reply(request())).resolves.toMatchObject({ text: 'Hello', stop: 'cut' });
    await expect(model.reply(request())).resolves.toMatchObject({ text: 'Hello you', stop: 'end' });
  });

  it.each<[string, Script, new (message: string) => Error]>([
    ['a status that passes', { turns: [{ raw: 'x', status: 503 }] }, TryLater],
    ['a status that stays', { turns: [{ raw: 'x', status: 401 }] }, TellPerson],
    ['a stream that breaks off', { turns: [{ raw: 'x', die: true }] }, TryLater],
    ['no tools', { refuse_tools: true, turns: [{ raw: 'x' }] }, ToolsRefused],
    ['a short context', { context_bytes: 10, turns: [{ raw: 'x' }] }, ContextOverflow],
    ['another conversation', { match: 'Goodbye', turns: [{ raw: 'x' }] }, TellPerson],
  ])('plays %s', async (_what, script, kind) => {
    const model = await open(script);
    await expect(model.reply(request({ tools: [TOOL] }))).rejects.toBeInstanceOf(kind);
  });

  it('stops in the middle of a delay', async () => {
    const model = await open({ turns: [{ raw: 'x', delay_ms: 600_000 }] });
    const controller = new AbortController();
    const asked = model.reply(request({ signal: controller.signal }));
    controller.abort(new Error('told to stop'));
    await expect(asked).rejects.toThrow('told to stop');
  });

  it.each(['{', '{"turns":[]}'])('says which script it cannot read: %s', async (text) => {
    await expect(open(text)).rejects.toThrow(/script\.json cannot be read/);
  });
});
