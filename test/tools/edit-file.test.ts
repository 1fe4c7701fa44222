import { describe, expect, it } from '@jest/globals';
import { expectLinearWork } from '../support/growth.ts';
import { bench } from './support.ts';

const edit = async (content: string, args: object) => {
  const { call, text } = await bench({ 'a.txt': content });
  try {
    const { output } = await call('edit_file', { path: 'a.txt', ...args });
    return { output, text: await text('a.txt') };
  } catch (error) {
    expect(await text('a.txt')).toBe(content);
    throw error;
  }
};

describe('edit_file', () => {
  it('replaces one exact piece', async () => {
    expect(await edit('one\ntwo\nthree\n', { old_text: 'two', new_text: '2' })).toEqual({
      output: 'Edited "a.txt": 1 replacement, at line 2.',
      text: 'one\n2\nthree\n',
    });
  });

  it('takes the text literally: signs of expressions and replacements have no meaning', async () => {
    const { text } = await edit('a.*b', { old_text: '.*', new_text: '$& $1 $$' });
    expect(text).toBe('a$& $1 $$b');
  });

  it('applies several edits in order', async () => {
    const edits = [
      { old_text: 'one', new_text: 'two!' },
      { old_text: 'two!\n', new_text: '' },
    ];
    expect(await edit('one\nthree\n', { edits })).toEqual({
      output: 'Edited "a.txt": 2 replacements, at lines 1, 1.',
      text: 'three\n',
    });
  });

  it('changes nothing when one of several does not fit, and says which', async () => {
    const edits = [
      { old_text: 'one', new_text: '1' },
      { old_text: 'nine', new_text: '9' },
    ];
    await expect(edit('one\ntwo\n', { edits })).rejects.toThrow(
      'Edit 2 could not be applied, so nothing was changed',
    );
  });

  it('keeps CRLF, a byte order mark and a missing last line end', async () => {
    const { text } = await edit('\ufeffone\r\ntwo\r\nthree', {
      old_text: 'one\ntwo\n',
      new_text: 'a\nb\nc\n',
    });
    expect(text).toBe('\ufeffa\r\nb\r\nc\r\nthree');
  });

  it('keeps mixed line ends, byte for byte', async () => {
    const { text } = await edit('one\r\ntwo\nthree\r\n', { old_text: 'two\n', new_text: '2\r\n' });
    expect(text).toBe('one\r\n2\r\nthree\r\n');
  });

  it('rejects a text that occurs more than once, and says where', async () => {
    await expect(edit('x\ny\nx\n', { old_text: 'x', new_text: 'z' })).rejects.toThrow(
      'more than once (first on lines 1 and 3)',
    );
    await expect(edit('aaa', { old_text: 'aa', new_text: 'b' })).rejects.toThrow('more than once');
  });

  it('shows the nearest place of a text that differs in white space only', async () => {
    await expect(
      edit('if (x) {\n\treturn 1;\n}\n', { old_text: 'if (x){\n  return 1;\n}', new_text: '' }),
    ).rejects.toThrow(
      'differs from the file in white space only. The nearest place, from line 1, reads exactly:\n' +
        'if (x) {\n\treturn 1;\n}',
    );
  });

  it('shows the nearest place of a text that is nearly there', async () => {
    await expect(
      edit('a\nfoo(1)\nbar(2)\nz\n', { old_text: 'foo(1)\nbar(3)', new_text: '' }),
    ).rejects.toThrow(
      '1 of its 2 lines match. The nearest place, from line 2, reads exactly:\nfoo(1)\nbar(2)',
    );
  });

  it('says where each edit is once all are made', async () => {
    const edits = [
      { old_text: 'two', new_text: '2' },
      { old_text: 'one\n', new_text: 'a\nb\nc\n' },
    ];
    expect(await edit('one\ntwo\n', { edits })).toEqual({
      output: 'Edited "a.txt": 2 replacements, at lines 4, 1.',
      text: 'a\nb\nc\n2\n',
    });
  });

  it.each([
    ['is inserted after a line', 'one\ntwo\n', 'one', 'one\nmore', 2],
    ['is changed behind a line that stays', 'one\ntwo\n', 'one\ntwo', 'one\n2', 2],
    ['is changed behind a line end', 'one\ntwo\n', '\ntwo', '\n2', 2],
    ['is inserted before a line', 'one\ntwo\n', 'two', 'more\ntwo', 2],
    ['is taken off its end', 'one\ntwo\nthree\n', 'two\nthree', 'two', 2],
  ])('says the line in which something %s', async (_, content, old_text, new_text, line) => {
    const { output } = await edit(content, { old_text, new_text });
    expect(output).toBe(`Edited "a.txt": 1 replacement, at line ${line}.`);
  });

  it('sees the edits of earlier calls', async () => {
    const { call, text } = await bench({ 'a.txt': 'one\n' });
    await call('edit_file', { path: 'a.txt', old_text: 'one', new_text: 'two' });
    await call('edit_file', { path: 'a.txt', old_string: 'two', new_string: 'three' });
    await call('edit_file', { path: 'a.txt', edits: [{ old_string: 'three', new_string: '4' }] });
    expect(await text('a.txt')).toBe('4\n');
  });

  it.each([
    [{ edits: [{ old_text: 'one', old_string: 'two', new_text: 'x' }] }, /old_text is given twice/],
    [{ old_text: 'one', edits: [{ old_text: 'two', new_text: '2' }] }, /There is no new_text/],
    [{ new_text: 'one' }, /There is no old_text/],
  ])('applies nothing if it is not certain what is meant: %j', async (args, says) => {
    await expect(edit('one\ntwo\n', args)).rejects.toThrow(says);
  });

  it.each([
    ['in white space', 'a  =\tb;\n', 'a = b;'],
    ['in white space', 'if (a) {\n  b();\n}', '  if (a) {\n    b( );\n  }\n'],
    ['in quotes or dashes', "say('x - y')", 'say("x – y")'],
    ['in quotes or dashes', '“Quoted” –', '"Quoted" -'],
    ['in upper and lower case', 'const Alpha', 'const alpha'],
    ['in accents', 'naïve', 'naive'],
    ['in accents', 'cafe\u0301', 'caf\u00e9'],
    ['in white space and quotes or dashes', "f( 'a' )", 'f("a")'],
    ['in line ends: there they are "\\r\\n"', 'x\ny\na\r\nb\r\n', 'a\nb'],
  ])('says that old_text differs %s from %j', async (differs, content, old_text) => {
    await expect(edit(content, { old_text, new_text: '' })).rejects.toThrow(
      `old_text differs from the file ${differs} only. The nearest place, from line `,
    );
  });

  it('knows an edit that was made already', async () => {
    const args = { old_text: 'limit = 10;', new_text: 'limit = 20;' };
    await expect(edit('a\nlimit = 20;\n', args)).rejects.toThrow(
      'old_text is not in the file, but new_text is, at line 2: the edit seems to be done already.',
    );
    await expect(edit('f("a")', { old_text: "f('a')", new_text: 'f("a")' })).rejects.toThrow(
      'done already',
    );
    // What is far from it says nothing of it.
    await expect(edit('f( a )\ng\n', { old_text: 'f(a)', new_text: 'g' })).rejects.toThrow(
      'white space',
    );
  });

  it('knows a text that was escaped twice', async () => {
    const old_text = String.raw`say(\"a\")\nsay(\"b\")`;
    await expect(edit('say("a")\nsay("b")\n', { old_text, new_text: 'x' })).rejects.toThrow(
      'old_text is escaped once too often',
    );
  });

  it('shows the line that shares the most words, if no line is the same', async () => {
    const content = 'import a\n\nexport function total(items, tax) {\n  return 1;\n}\n';
    const old_text = '// Sums up\nexport function total(items) {';
    await expect(edit(content, { old_text, new_text: '' })).rejects.toThrow(
      'old_text is not in the file. The nearest place, from line 2, reads exactly:\n\nexport function total(items, tax) {',
    );
  });

  it('shows no more of a place than a few lines', async () => {
    const content = `begin\n${'    x;\n'.repeat(500)}`;
    await expect(
      edit(content, { old_text: `begin\n${'\tx ;\n'.repeat(500)}`, new_text: '' }),
    ).rejects.toThrow(/reads exactly:\nbegin\n(?: {4}x;\n){10} {4}x;$/);
  });

  it('looks for the nearest place in time in proportion to the file', async () => {
    await expectLinearWork(async (lines) => {
      const content = '    const value = compute(first, second); // é\n'.repeat(lines);
      const searching = edit(content, { old_text: 'nothing\n'.repeat(lines / 10), new_text: '' });
      await expect(searching).rejects.toThrow('and nothing similar is');
    }, 20_000);
  });

  it('knows line numbers that were copied with the text', async () => {
    await expect(edit('one\n', { old_text: '1\tone', new_text: '1\t1\ntwo' })).rejects.toThrow(
      'line numbers that stand before the lines',
    );
  });

  it('rejects edits that change nothing', async () => {
    await expect(edit('one', {})).rejects.toThrow('There is no edit');
    await expect(edit('one', { old_text: '', new_text: 'x' })).rejects.toThrow('old_text is empty');
    await expect(edit('one', { old_text: 'one', new_text: 'one' })).rejects.toThrow('are the same');
    await expect(edit('one', { old_text: 'nothing', new_text: '' })).rejects.toThrow(
      'and nothing similar is',
    );
  });
});
