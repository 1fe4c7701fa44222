import { describe, expect, it } from '@jest/globals';
import { expectLinearWork } from '../support/growth.ts';
import { bench } from './support.ts';

const edit = async (content: string, args: object) => {
  const { call, text } = await bench({ 'a.txt': content });
  const { output } = await call('edit_file', { path: 'a.txt', ...args });
  return { output, text: await text('a.txt') };
};

const expectRefused = async (content: string, args: object, says: RegExp) => {
  const { call, text } = await bench({ 'a.txt': content });
  await expect(call('edit_file', { path: 'a.txt', ...args })).rejects.toThrow(says);
  expect(await text('a.txt')).toBe(content);
};

describe('edit_file applies an edit that nearly fits', () => {
  it.each([
    ['as read_file shows them', '1\tone\n2\ttwo', '1\tone\n2\t2'],
    ['in old_text alone', '  1\tone\n  2\ttwo\n', 'one\n2\n'],
    ['as grep_search shows them', '1: one\n2- two', '1: one\n2: 2'],
    ['as other harnesses show them', '     1→one\n     2→two', 'one\n2'],
  ])('without line numbers that were copied: %s', async (_, old_text, new_text) => {
    const { text, output } = await edit('one\ntwo\nthree\n', { old_text, new_text });
    expect(text).toBe('one\n2\nthree\n');
    expect(output).toContain('Line numbers were left out of old_text');
  });

  it('although white space at line ends differs, and keeps it in the lines that stay', async () => {
    const old_text = 'a \nb\n\nc\n';
    const { text, output } = await edit('a  \nb\t\n   \nc\nd\n', {
      old_text,
      new_text: 'a \nB\n\nc\n',
    });
    expect(text).toBe('a  \nB\n   \nc\nd\n');
    expect(output).toBe(
      'Edited "a.txt": 1 replacement, at line 2. ' +
        'old_text differed from the file in white space at line ends; new_text was adapted. It now reads:\na  \nB\n   \nc',
    );
  });

  it('at the end of a file without a last line end', async () => {
    const { text } = await edit('a\n  b', { old_text: '\tb\n', new_text: '\tc\n' });
    expect(text).toBe('a\n  c');
  });

  it.each([
    [
      'less than the file',
      'class A:\n    def f(self):\n        return 1\n',
      'def f(self):\n    return 1\n',
      'def f(self):\n    if x:\n        return 2\n\n    return 1\n',
      'class A:\n    def f(self):\n        if x:\n            return 2\n\n        return 1\n',
    ],
    [
      'more than the file',
      'def f():\n    return 1\n',
      '    def f():\n        return 1\n',
      '    def f():\n        return 2\n',
      'def f():\n    return 2\n',
    ],
    [
      'by spaces instead of tabs',
      'if (a) {\n\tif (b) {\n\t\tc();\n\t}\n}\n',
      'if (a) {\n  if (b) {\n    c();\n',
      'if (a) {\n  if (b) {\n    if (d) {\n      e();\n    }\n    c();\n',
      'if (a) {\n\tif (b) {\n\t\tif (d) {\n\t\t\te();\n\t\t}\n\t\tc();\n\t}\n}\n',
    ],
    [
      'in the first line alone',
      '  if (a) {\n    b();  \n  }\n',
      'if (a) {\n    b();\n  }',
      'if (c) {\n    b();\n  }',
      '  if (c) {\n    b();  \n  }\n',
    ],
  ])('indented %s', async (_, content, old_text, new_text, expected) => {
    const { text, output } = await edit(content, { old_text, new_text });
    expect(text).toBe(expected);
    expect(output).toContain('old_text differed from the file in ');
  });

  it.each([
    ["say('a')", 'x = say("a");\n', "say('b')", 'x = say("b");\n'],
    ['say("a")', "x = say('a');\n", 'say("a", "b")', "x = say('a', 'b');\n"],
    ['"Yes", don\'t', '“Yes”, don’t\n', '"No", don\'t', '“No”, don’t\n'],
    ["f('a')\n\tg()", 'f("a")\n  g()\n', "f('b')\n\tg()", 'f("b")\n  g()\n'],
  ])('with quotes of another kind: %j', async (old_text, content, new_text, expected) => {
    const { text, output } = await edit(content, { old_text, new_text });
    expect(text).toBe(expected);
    expect(output).toMatch(/differed from the file in quotes(?: and indentation)?; new_text was/);
  });

  it.each([
    ['two places fit', '  x = 1\n    x = 1\n', '\tx = 1\n', '\tx = 2\n'],
    ['two places have such quotes', 'f("a")\nf(`a`)\n', "f('a')", "f('b')"],
    ['a part of a line fits', 'max = 1\n', '  x = 1', '  x = 2'],
    [
      'the depth of a new line is unknown',
      '    a\n    b\n',
      '  a\n  b\n',
      '  a\n  if (c)\n    b\n',
    ],
    ['the quotes of new_text are unknown', 'f("a")\n', "f('a')", 'f(\'a\', "b")'],
    ['an apostrophe would become a quote', 'f("a")\n', "f('a')", "f('b') // don't"],
    ['only white space is to change', '\tb\n', '    b\n', '  b\n'],
    ['only quotes are to change', "f('a')\n", 'f("a")', 'f(`a`)'],
    ['white space differs within a line', 'a  = b\n', 'a = b', 'a = c'],
    ['line ends differ', 'a\r\nb\r\nc\n', 'a\nb', 'a\nd'],
    ['nothing is left but white space', 'a\n \nb\n', '\t\n', 'c\n'],
  ])('but not if %s', async (_, content, old_text, new_text) => {
    await expectRefused(content, { old_text, new_text }, /old_text (?:differs|is not in the file)/);
  });

  it('but not if only some lines of new_text have numbers', async () => {
    const args = { old_text: '1\tone', new_text: '1\tone\nhalf' };
    await expectRefused('one\n', args, /contains the line numbers that stand before the lines/);
  });

  it('but not with line numbers that do not follow one another', async () => {
    await expectRefused('one\ntwo\n', { old_text: '1: one\n7: two', new_text: '' }, /not in the/);
  });

  it('in time in proportion to the file', async () => {
    await expectLinearWork(async (lines) => {
      const content = `${'  same("x");\n'.repeat(lines)}  end("x");\n`;
      const { text } = await edit(content, { old_text: "\tend('x');\n", new_text: '\tdone();\n' });
      expect(text.endsWith('\n  done();\n')).toBe(true);
    }, 20_000);
  });
});

describe('edit_file with replace_all', () => {
  it('replaces every occurrence', async () => {
    const args = { old_text: 'aa', new_text: 'b\n', replace_all: true };
    expect(await edit('aaa\naa\nxaa', args)).toEqual({
      output: 'Edited "a.txt": 3 replacements, at lines 1, 3, 5.',
      text: 'b\na\nb\n\nxb\n',
    });
  });

  it('replaces every occurrence for one of several edits', async () => {
    const edits = [
      { old_text: 'end', new_text: 'END' },
      { old_text: 'a', new_text: 'b\n', replace_all: true },
    ];
    expect(await edit('a a\nend\n', { edits })).toEqual({
      output: 'Edited "a.txt": 3 replacements, at lines 4, 1, 2.',
      text: 'b\n b\n\nEND\n',
    });
  });

  it('applies to all edits, if it stands beside them', async () => {
    const edits = [{ old_text: 'a', new_text: 'b' }];
    expect((await edit('aa', { edits, replace_all: 'true' })).text).toBe('bb');
  });

  it('names the first lines only, if there are many', async () => {
    const args = { old_text: 'x', new_text: 'y', replace_all: true };
    const { output, text } = await edit('x\n'.repeat(500), args);
    expect(output).toMatch(/: 500 replacements, at lines 1, 2, .* 20, …\.$/);
    expect(text).toBe('y\n'.repeat(500));
  });

  it('is proposed for a text that occurs more than once', async () => {
    await expectRefused('x\nx\n', { old_text: 'x', new_text: 'y' }, /, or set replace_all/);
  });
});
