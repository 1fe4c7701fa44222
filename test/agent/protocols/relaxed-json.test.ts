import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readJson, readWholeJson } from '../../../src/agent/protocols/relaxed-json.ts';
import { cases } from '../../support/cases.ts';

type Json = ReturnType<typeof JSON.parse>;

/** JSON that holds all that is awkward in strings. */
const awkward = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('\\', '"', "'", '\n', '{', '}', 'n', 'd', '//', '#', '“', '”'))
    .map((all) => all.join('')),
);
const { tree } = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    awkward,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(awkward, tie('tree'), { maxKeys: 4 }),
  ),
}));

/** JSON as other languages would have it, each value written by `word`. */
function written(value: Json, word: (value: string | boolean | null) => string): string {
  if (Array.isArray(value)) return `[${value.map((item) => `${written(item, word)},`).join('\n')}]`;
  if (typeof value === 'number') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return word(value);
  const pairs = Object.entries(value).map(
    ([key, item]) => `${word(key)} : /* } " */ ${written(item, word)}, // ' ]\n`,
  );
  return `{ ${pairs.join('')}}`;
}

const PYTHON: Record<string, string> = { true: 'True', false: 'False', null: 'None' };
/** As Python prints it, except that control characters are not escaped. */
function python(value: string | boolean | null): string {
  if (typeof value !== 'string') return PYTHON[String(value)] ?? '';
  const quote = value.includes("'") && !value.includes('"') ? '"' : "'";
  const text = value
    .replaceAll('\\', '\\\\')
    .replaceAll('\n', '\\n')
    .replaceAll(quote, `\\${quote}`);
  return quote + text + quote;
}

/** With nothing escaped but quotes and backslashes. */
const multiline = (value: string | boolean | null): string =>
  typeof value === 'string'
    ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`
    : String(value);

describe('relaxed JSON', () => {
  it('reads all JSON as JSON', () => {
    fc.assert(
      fc.property(tree, fc.constantFrom(0, 1, 4), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        expect(readWholeJson(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: cases(300, 1_000) },
    );
  });

  it('reads what happens to be JSON as JSON, or rejects it', () => {
    const piece = fc.constantFrom(...'{}[],:"\\/ntu0aF-.E+ '.split(''));
    const change = fc.tuple(fc.nat(), fc.nat({ max: 2 }), piece);
    fc.assert(
      fc.property(tree, change, (value, [place, length, put]) => {
        const text = JSON.stringify(value);
        const at = place % text.length;
        const changed = text.slice(0, at) + put + text.slice(at + length);
        const [strict, relaxed] = [parsed(changed), readWholeJson(changed)];
        fc.pre(strict !== undefined && relaxed !== undefined);
        expect(relaxed).toEqual(strict);
      }),
      { numRuns: cases(500, 2_000) },
    );
  });

  it.each([
    ['as Python writes it', python],
    ['with line breaks in its strings', multiline],
  ])('reads it with comments and commas too many, and %s', (_how, word) => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(readWholeJson(written(['"', value], word))).toEqual(['"', value]);
      }),
      { numRuns: cases(300, 1_000) },
    );
  });

  it('keeps every literal backslash of a string, or rejects the string', () => {
    const text = fc
      .array(fc.constantFrom('\\', 'n', 'd', 'U', 'x1b', '/', 'é', '\n', ' '))
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.constantFrom('"', "'", '“'), (inside, quote) => {
        const read = readWholeJson(
          `{a: ${quote}${inside}${quote === '“' ? '”' : quote}, b: '\\d'}`,
        );
        expect([undefined, { a: inside, b: '\\d' }]).toContainEqual(read);
      }),
      { numRuns: cases(1_000, 5_000) },
    );
  });

  it('says where a value ends, whatever follows', () => {
    expect(readJson('x {"a": [1]} y', 2)).toEqual({ ok: true, value: { a: [1] }, end: 12 });
  });

  it('says where it stopped, why, and how far it had come', () => {
    expect(readJson('{"a": 1, "b": [2, x]}', 0)).toEqual({
      ok: false,
      problem: 'a value is expected',
      at: 18,
      keys: ['a', 'b'],
    });
  });

  it('gives up at a depth at which walking it would end in a full stack', () => {
    const deep = '['.repeat(100_000);
    expect(readJson(deep, 0)).toMatchObject({ ok: false, problem: 'it is nested too deeply' });
  });

  it('makes a key of any name a property of its own', () => {
    const value = readWholeJson('{"__proto__": {"x": 1}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.keys(Object(value))).toEqual(['__proto__']);
  });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
