// The part of docs/using.md that is made from the code: the commands, as the App lists them.
import { plainBody } from '../../../src/session/texts/markdown.ts';
import { helpComment } from '../../../src/session/texts/comments.ts';
import { codes, table } from './markdown-table.ts';

export const USING_DOCUMENT = 'docs/using.md';

const BLOCK = /(<!-- made by npm run docs: commands -->\n\n)[^]*?(\n\n<!-- end -->)/;

/** @throws {Error} if the document has no block for the commands */
export function usingDocument(current: string): string {
  if (!BLOCK.test(current)) throw new Error('the document lacks the block commands');
  return current.replace(BLOCK, (_all, begin: string, end: string) => `${begin}${list()}${end}`);
}

const list = (): string =>
  table(
    ['command', 'what it does'],
    [...plainBody(helpComment()).matchAll(/^- `\/issuewright (\w+)`: (.+)$/gm)].map(
      ([, name = '', does = '']) => [codes([name]), does],
    ),
  );
