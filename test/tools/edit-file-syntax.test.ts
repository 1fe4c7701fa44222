import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { syntaxWarning } from '../../src/tools/syntax/check.ts';
import { bench } from './support.ts';

const BROKEN = '\nWarning: the file does not parse now: ';

describe('a file whose syntax is broken', () => {
  it.each([
    ['a.json', '{"a": 1,}', 'Expected double-quoted property name in JSON at position 8'],
    ['tsconfig.json', '{\n  // why\n  "a": [1, 2,],\n  "b"\n}', "Expected ':' after property name"],
    ['a.yml', 'a: 1\nb: [1, 2\nc: 3\n', 'must be sufficiently indented and end with a ] at line 3'],
    ['a.yaml', 'a: 1\na: 2\n', 'Map keys must be unique at line 2, column 1'],
    ['a.ts', 'const a = 1;\nconst b: = 2;\n', 'line 2: '],
    ['a.mts', 'export function f() {\n', "Expected '}', got '<eof>'"],
    ['a.js', 'const a = 1;\nconst b = ;\n', "line 2: Unexpected token ';'"],
    ['a.mjs', 'import a from "b";\nexport const c = ;\n', 'line 2: Expression expected'],
    [
      'a.js',
      'export const a: number = 1;\n',
      'it contains type annotations, which are not valid JavaScript',
    ],
  ])('is told of when it is new: %s, %j', async (path, after, fault) => {
    const warning = await syntaxWarning(path, undefined, after);
    expect(warning).toContain(BROKEN);
    expect(warning).toContain(fault);
  });

  it.each([
    ['a.json', '{"a": [1, "//"]}'],
    ['tsconfig.base.json', '{ // why\n  "a": "/* no comment */", /* so */ }'],
    ['a.jsonc', '{"a": 1} // end'],
    ['a.yml', '---\na: !Ref b\n---\n- ${{ x }}\n'],
    ['chart.yaml', 'a: {{ .Values.a }}\n'],
    ['a.ts', '#!/usr/bin/env node\nenum A { B }\nclass C { constructor(private d: string) {} }\n'],
    ['a.d.ts', 'declare module "x" { export const y: string }\n'],
    ['a.js', '#!/usr/bin/env node\nmodule.exports = 010;\nif (module) return;\n'],
    ['a.js', 'import a from "b";\nexport default await a();\n'],
    ['a.js', 'export const A = () => <div>{1}</div>;\n'],
    ['a.py', 'def f(:\n'],
    ['a', '{'],
  ])('is not reported if the syntax is fine or unknown: %s %j', async (path, after) => {
    expect(await syntaxWarning(path, undefined, after)).toBe('');
  });

  it('is reported only if it was not broken before', async () => {
    expect(await syntaxWarning('a.ts', 'f(', 'f((')).toBe('');
    expect(await syntaxWarning('a.ts', 'f();', 'f((')).toContain(BROKEN);
    // With comments before, with comments after.
    expect(await syntaxWarning('a.json', '{} // x', '{"a": 1} // x')).toBe('');
    expect(await syntaxWarning('a.json', '{} // x', '{"a"} // x')).toContain(BROKEN);
  });

  it.each([
    ['a.ts', '('.repeat(20_000)],
    ['a.js', '['.repeat(100_000)],
    ['a.json', '['.repeat(200_000)],
    ['a.yaml', '? '.repeat(50_000)],
    ['a.yaml', '['.repeat(100_000)],
    ['a.jsonc', String.raw`"\"`.repeat(60_000)],
    ['a.ts', 'x'.repeat(400_000)],
  ])('breaks no more than the thread that looks at it: %s %#', async (path, after) => {
    await syntaxWarning(path, undefined, after);
    expect(await syntaxWarning('b.ts', undefined, 'let a: = 1;')).toContain(BROKEN);
    expect(stripTypeScriptTypes('let a: number')).toBe('let a        ');
  });

  it('is reported after an edit and after a write, which are done all the same', async () => {
    const { call, text } = await bench({ 'a.json': '{"a": 1}\n' });
    const edited = await call('edit_file', { path: 'a.json', old_text: '1}', new_text: '1' });
    expect(edited.output).toMatch(/^Edited "a\.json": 1 replacement, at line 1\.\nWarning: /);
    expect(await text('a.json')).toBe('{"a": 1\n');
    const written = await call('write_file', { path: 'b.json', content: '{' });
    expect(written.output).toMatch(/^Created "b\.json": 1 line, 1 byte\.\nWarning: /);
    const fixed = await call('write_file', { path: 'b.json', content: '{}' });
    expect(fixed.output).not.toContain('Warning');
  });
});
