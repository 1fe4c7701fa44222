import { describe, expect, it } from '@jest/globals';
import { readArguments, sentArguments } from '../../src/models/wire/calls.ts';
import {
  PLAIN_ID,
  sentId,
  sentName,
  sentText,
  sentValue,
} from '../../src/models/wire/sent-text.ts';

describe('arguments that a model wrote', () => {
  it.each<[string, object]>([
    ['{"path":"a"}', { path: 'a' }],
    ['', {}],
    ['  \n', {}],
    ['""', {}],
    ['"{\\"path\\":\\"a\\"}"', { path: 'a' }],
    ['{"path":"C:\\\\Users\\\\new"}', { path: 'C:\\Users\\new' }],
  ])('are read from %j', (text, given) => {
    expect(readArguments(text)).toEqual({ arguments: given });
  });

  it.each([
    '{"path":"a.ts","path":"b.ts"}',
    '{"edits":[{"old":"a","new":"b","old":"c"}]}',
    String.raw`{"path":"a.ts","p\u0061th":"b.ts"}`,
    JSON.stringify('{"path":"a.ts","path":"b.ts"}'),
  ])('are a fault in %s, because a key occurs twice', (text) => {
    const fault = expect.stringMatching(/line 1, column \d+, before «.*»: this key occurs twice/);
    expect(readArguments(text)).toEqual({ arguments: text, fault });
  });

  it('are read with any valid escapes, and with any key once', () => {
    for (const given of [
      String.raw`{"a":"\u2018\/\b\ud83d\udc4b","__proto__":{"a":1e5}}`,
      String.raw`{"":{"":"\u0000"}}`,
    ])
      expect(readArguments(given)).toEqual({ arguments: JSON.parse(given) });
  });

  it.each(['[1]', '7', 'null', '"text"', '{"path":', '{"a":1}{"b":2}'])(
    'are a fault in %j, and sent back as none',
    (text) => {
      const read = readArguments(text);
      expect(read).toMatchObject({ arguments: text, fault: expect.stringMatching(/JSON/) });
      expect(sentArguments({ tool: 't', ...read })).toEqual({});
    },
  );
});

describe('arguments that a server has read', () => {
  it('are taken as they are', () => {
    expect(readArguments({ path: 'a' })).toEqual({ arguments: { path: 'a' } });
    expect(readArguments(undefined)).toEqual({ arguments: {} });
    expect(readArguments(null)).toEqual({ arguments: {} });
    expect(readArguments([1])).toMatchObject({ arguments: {}, fault: expect.any(String) });
  });

  it('are a fault if they are nested too deeply to serialize', () => {
    const text = `{"a":${'['.repeat(50_000)}${']'.repeat(50_000)}}`;
    const fault = expect.stringMatching(/nested too deeply/);
    expect(readArguments(text)).toEqual({ arguments: text, fault });
    expect(readArguments(JSON.parse(text))).toEqual({ arguments: {}, fault });
  });
});

describe('what is sent', () => {
  it('has no text that a server rejects', () => {
    expect(sentText('a\0b\ud800c👋')).toBe('a\u{FFFD}b\u{FFFD}c👋');
    expect(sentValue({ a: ['x\0'], b: 1 })).toEqual({ a: ['x\u{FFFD}'], b: 1 });
  });

  it('is the same value if there is nothing to fix', () => {
    const value = { a: ['x'], b: { c: null } };
    expect(sentValue(value)).toBe(value);
    expect(sentValue({ a: 'a backslash: \\u0000' })).toEqual({ a: 'a backslash: \\u0000' });
  });

  it('keeps the ids that a server made, and gives others a lasting one', () => {
    expect(sentId('functions.read_file:0')).toBe('functions.read_file:0');
    expect(sentId('functions.read_file:0', PLAIN_ID)).toMatch(/^call_[0-9a-f]{24}$/);
    const long = 'x'.repeat(65);
    expect(sentId(long)).toBe(sentId(long));
    expect(sentId(long)).not.toBe(sentId(`${long}y`));
  });

  it('has names that every server accepts', () => {
    expect(sentName('read_file')).toBe('read_file');
    expect(sentName('do/it now')).toBe('do_it_now');
    expect(sentName('')).toBe('unnamed');
    expect(sentName('x'.repeat(99))).toHaveLength(64);
  });
});
