import { describe, expect, it } from '@jest/globals';
import { END_MARK, serverEvents } from '../../src/models/wire/server-events.ts';

async function* bodyOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces;
}

async function read(text: string, size = text.length) {
  const bytes = Buffer.from(text);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_none, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
  const heard: number[] = [];
  const events: unknown[] = [];
  for await (const event of serverEvents(bodyOf(pieces), (count) => heard.push(count)))
    events.push(event);
  return { events, bytes: heard.reduce((sum, count) => sum + count, 0) };
}

const plain = (data: unknown) => ({ name: '', data });

describe('the events of a server', () => {
  it.each<[string, string, unknown[]]>([
    ['one after the other', 'data: {"a":1}\n\ndata: 2\n\n', [plain({ a: 1 }), plain(2)]],
    ['with the other line ends', 'data: 1\r\n\r\ndata: 2\r\n\r\n', [plain(1), plain(2)]],
    ['without the space', 'data:{"a":" b"}\n\n', [plain({ a: ' b' })]],
    ['in several lines', 'data: {"a":\ndata: 1}\n\n', [plain({ a: 1 })]],
    [
      'by name, each by its own',
      'event: error\ndata: 1\n\ndata: 2\n\n',
      [{ name: 'error', data: 1 }, plain(2)],
    ],
    [
      'between comments and other fields',
      ': ping\n\nid: 1\nretry: 9\ndata: 1\n\n: ping\n\n',
      [plain(1)],
    ],
    ['without the last empty line', 'data: 1\n\ndata: 2', [plain(1), plain(2)]],
    ['up to the end mark', 'data: 1\n\ndata: [DONE]\n\ndata: 2\n\n', [plain(1), END_MARK]],
    ['up to an end mark without an empty line', 'data: 1\n\ndata: [DONE]', [plain(1), END_MARK]],
    ['without what only keeps them coming', 'data:\n\ndata: null\n\ndata: ping\n\ndata\n\n', []],
    [
      'without empty lines between them',
      'data: {"a":1}\ndata: {"b":2}\ndata: [DONE]\n',
      [plain({ a: 1 }), plain({ b: 2 }), END_MARK],
    ],
    ['from JSON over several lines', '{\n  "a":\n  1\n}\n', [plain({ a: 1 })]],
    ['from JSON on each line', '{"a":1}\n{"b":2}\n', [plain({ a: 1 }), plain({ b: 2 })]],
    ['without fields of other names', 'note: {\ndata: 1\n\n', [plain(1)]],
    [
      'with the words of an error',
      'event: error\ndata: no memory\n\n',
      [{ name: 'error', data: 'no memory' }],
    ],
    ['of which there are none', '', []],
  ])('are read %s', async (_how, text, expected) => {
    expect((await read(text)).events).toEqual(expected);
    expect((await read(text, 1)).events).toEqual(expected);
  });

  it('are whole, whichever bytes come together', async () => {
    const text = 'data: "ß👋"\r\n\r\n';
    for (let size = 1; size <= Buffer.byteLength(text); size++)
      expect((await read(text, size)).events).toEqual([plain('ß👋')]);
  });

  it('are counted byte by byte, pings too', async () => {
    expect((await read(': ping\n\ndata: "ß"\n\n')).bytes).toBe(20);
  });

  it('are invalid if their data is not JSON', async () => {
    await expect(read('data: {"a":\n\n')).rejects.toBeInstanceOf(SyntaxError);
  });
});
