// The part of ARCHITECTURE.md that is made from the code: the states of a session.
import { STATES } from '../../../src/session/state.ts';
import { table } from './markdown-table.ts';

export const ARCHITECTURE_DOCUMENT = 'ARCHITECTURE.md';

const BLOCK = /(<!-- made by npm run docs: states -->\n\n)[^]*?(\n\n<!-- end -->)/;

/** @throws {Error} if the document has no block for the states */
export function architectureDocument(current: string): string {
  if (!BLOCK.test(current)) throw new Error('the document lacks the block states');
  return current.replace(BLOCK, (_all, begin: string, end: string) => `${begin}${states()}${end}`);
}

const states = (): string =>
  table(
    ['', 'state', 'if'],
    STATES.map(({ state, because }, index) => [`${index + 1}`, `\`${state}\``, because]),
  );
