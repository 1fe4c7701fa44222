import { describe, expect, it } from '@jest/globals';
import { PRIVATE_KEY } from '../support/private-key.ts';
import { bench } from './support.ts';

const URL_A = 'https://deploy:Tr0ub4dor3@db.prod.io';
const URL_B = 'https://deploy:c0rrectH0rse@db.prod.io';
const HIDDEN = 'https://[redacted]@db.prod.io';

describe('write_file with [redacted] in its content', () => {
  it('is refused with the reason, and nothing is written', async () => {
    const { call, text } = await bench({ 'a.yml': `url: ${URL_A}\nport: 1\n` });
    await expect(
      call('write_file', { path: 'a.yml', content: `url: ${HIDDEN}\nport: 2\n` }),
    ).rejects.toThrow('[redacted] stands for text that is hidden from you');
    await expect(
      call('write_file', { path: 'new.yml', content: `url: ${HIDDEN}\n` }),
    ).rejects.toThrow('Nothing was written');
    await expect(text('a.yml')).resolves.toBe(`url: ${URL_A}\nport: 1\n`);
  });

  it('is as any other if the file itself has it as often, and hides nothing', async () => {
    const { call, text } = await bench({ 'log.js': "const MARK = '[redacted]';\n" });
    const content = "export const MARK = '[redacted]';\n";
    await call('write_file', { path: 'log.js', content });
    await expect(text('log.js')).resolves.toBe(content);
    await expect(
      call('write_file', { path: 'log.js', content: content + content }),
    ).rejects.toThrow('Nothing was written');
  });
});

describe('edit_file with [redacted] in old_text', () => {
  const edit = async (content: string, old_text: string, new_text: string) => {
    const { call, text } = await bench({ file: content });
    const { output } = await call('edit_file', { path: 'file', old_text, new_text });
    return { output, text: await text('file') };
  };

  it.each([
    [
      'changes what is around it',
      `url: ${URL_A}/a\n`,
      `url: ${HIDDEN}/a`,
      `url: ${HIDDEN}/b`,
      `url: ${URL_A}/b\n`,
    ],
    ['removes it', `a\nurl: ${URL_A}\n`, `\nurl: ${HIDDEN}`, '', 'a\n'],
    ['replaces it', `url: ${URL_A}\n`, HIDDEN, 'https://db.prod.io', 'url: https://db.prod.io\n'],
    [
      'keeps each of several in its place',
      `${URL_A}\n${URL_B}\n`,
      `${HIDDEN}\n${HIDDEN}`,
      `- ${HIDDEN}\n- ${HIDDEN}`,
      `- ${URL_A}\n- ${URL_B}\n`,
    ],
    [
      'knows which one is meant by the lines around it',
      `one: ${URL_A}\ntwo: ${URL_B}\n`,
      `two: ${HIDDEN}`,
      `2: ${HIDDEN}`,
      `one: ${URL_A}\n2: ${URL_B}\n`,
    ],
    [
      'keeps a key of many lines',
      `const KEY = \`${PRIVATE_KEY.trimEnd()}\`;\n`,
      'const KEY = `[redacted]`;',
      'export const KEY = `[redacted]`;',
      `export const KEY = \`${PRIVATE_KEY.trimEnd()}\`;\n`,
    ],
    [
      'keeps the ends of lines',
      `a: 1\r\nurl: ${URL_A}\r\n`,
      `a: 1\nurl: ${HIDDEN}`,
      `a: 2\nurl: ${HIDDEN}`,
      `a: 2\r\nurl: ${URL_A}\r\n`,
    ],
    [
      'takes a mark of the file itself as it is',
      `x('[redacted]', '${URL_A}')\n`,
      `x('[redacted]', '${HIDDEN}')`,
      `y('[redacted]', '${HIDDEN}')`,
      `y('[redacted]', '${URL_A}')\n`,
    ],
  ])('%s', async (_what, before, oldText, newText, after) => {
    await expect(edit(before, oldText, newText)).resolves.toMatchObject({ text: after });
  });

  it.each([
    [
      'new_text adds one',
      `url: ${URL_A}\n`,
      'url: ',
      `url: ${HIDDEN} `,
      'new_text adds [redacted]',
    ],
    [
      'old_text means more than one',
      `${URL_A}\n${URL_B}\n`,
      HIDDEN,
      `x ${HIDDEN}`,
      'stands for different texts',
    ],
    [
      'new_text keeps one of several',
      `${URL_A}\n${URL_B}\n`,
      `${HIDDEN}\n${HIDDEN}`,
      HIDDEN,
      'fewer [redacted] than old_text',
    ],
    [
      'no place has old_text, and it could be any of several',
      `one: ${URL_A}\ntwo: ${URL_B}\n`,
      `three: ${HIDDEN}`,
      `3: ${HIDDEN}`,
      'old_text was not found',
    ],
  ])('is refused if %s', async (_why, before, oldText, newText, why) => {
    await expect(edit(before, oldText, newText)).rejects.toThrow(why);
  });

  it('is found by the usual rules if the file hides one text only', async () => {
    const before = `one: ${URL_A}\nother: ${URL_A}\n`;
    await expect(edit(before, HIDDEN, `x ${HIDDEN}`)).rejects.toThrow(
      'old_text occurs more than once (first on lines 1 and 2)',
    );
    await expect(edit(before, `thing: ${HIDDEN}`, `x: ${HIDDEN}`)).rejects.toThrow(
      /could not be applied, so nothing was changed/,
    );
  });
});
