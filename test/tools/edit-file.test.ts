import { describe, expect, it } from '@jest/globals';
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
    await expect(edit('one\ntwo\n', { edits })).rejects.toThrow('Edit 2 does not fit');
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

  it('refuses a text that stands there more than once, and says where', async () => {
    await expect(edit('x\ny\nx\n', { old_text: 'x', new_text: 'z' })).rejects.toThrow(
      'more than once (lines 1 and 3 are the first two)',
    );
    await expect(edit('aaa', { old_text: 'aa', new_text: 'b' })).rejects.toThrow('more than once');
  });

  it('shows the nearest place of a text that differs in white space only', async () => {
    await expect(
      edit('if (x) {\n\treturn 1;\n}\n', { old_text: 'if (x) {\n  return 1;\n}', new_text: '' }),
    ).rejects.toThrow(
      'differs from the file in white space only. The nearest place, from line 1, reads exactly:\n' +
        'if (x) {\n\treturn 1;\n}',
    );
  });

  it('shows the nearest place of a text that is nearly there', async () => {
    await expect(
      edit('a\nfoo(1)\nbar(2)\nz\n', { old_text: 'foo(1)\nbar(3)', new_text: '' }),
    ).rejects.toThrow(
      '1 of its 2 lines are alike. The nearest place, from line 2, reads exactly:\nfoo(1)\nbar(2)',
    );
  });

  it('knows line numbers that were copied with the text', async () => {
    await expect(edit('one\n', { old_text: '1\tone', new_text: '' })).rejects.toThrow(
      'line numbers of the listing',
    );
  });

  it('refuses edits that are none', async () => {
    await expect(edit('one', {})).rejects.toThrow('There is no edit');
    await expect(edit('one', { old_text: '', new_text: 'x' })).rejects.toThrow('old_text is empty');
    await expect(edit('one', { old_text: 'one', new_text: 'one' })).rejects.toThrow('are the same');
    await expect(edit('one', { old_text: 'nothing', new_text: '' })).rejects.toThrow(
      'nor anything like it',
    );
  });
});
