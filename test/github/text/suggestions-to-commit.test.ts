import { describe, expect, it } from '@jest/globals';
import { suggestionsIn } from '../../../src/github/text/code-ranges.ts';
import { makeSafe } from '../../../src/github/text/safe.ts';
import { createRedactor } from '../../../src/lib/text/redact.ts';

const SECRET = 'sk-live-Gh7Kq2Lm9Pz4Rt6Vx8';
const FENCE = '```';

async function published(text: string, limit = 9_000): Promise<string> {
  const redactor = createRedactor([SECRET]);
  const piece = { text, isQuoted: false, limit, cutMark: ' …' };
  const [safe = ''] = await makeSafe([piece], {}, { redactor, check: async () => undefined });
  return safe;
}

const suggestion = (lines: string): string => `Better:\n\n${FENCE}suggestion\n${lines}\n${FENCE}`;

describe('lines that a review suggests to commit', () => {
  it.each([
    ['plain code', 'const days = isLeap ? 366 : 365;'],
    ['a decorator and an address', '@ann\n// https://elsewhere.example/x'],
    ['blanks at both ends', '  a  \n\n  b  '],
    ['nothing: the lines go', ''],
  ])('stay as they are: %s', async (_what, lines) => {
    const safe = await published(suggestion(lines));
    expect(safe).toBe(suggestion(lines));
    expect(suggestionsIn(safe)).toHaveLength(1);
  });

  it.each([
    ['a comment of HTML', '<!-- kept -->'],
    ['PHP', '<?php echo 1;'],
    ['words that close an issue', '// fixes #1'],
    ['an order to skip checks', "run('[skip ci]');"],
    ['a trailer', 'Reviewed-by: ann'],
    ['an invisible character', "split('\u200B')"],
    ['a secret', `const key = '${SECRET}';`],
  ])('become code that no click commits if they had to be changed: %s', async (_what, lines) => {
    const safe = await published(suggestion(lines));
    expect(suggestionsIn(safe)).toEqual([]);
    expect(safe).toMatch(/^Better:\n\n_Shown as code: .* do not commit them\._\n\n```\n.+\n```$/s);
  });

  it('become code if they had to be cut', async () => {
    const safe = await published(suggestion('one();\n'.repeat(200)), 1_000);
    expect(suggestionsIn(safe)).toEqual([]);
    expect(safe).toMatch(/^Better:\n\n```\n(?:one\(\);\n)+``` …$/);
    expect(safe.length).toBeLessThanOrEqual(1_000);
  });

  it('become code in a list, in a fence of tildes and in capitals', async () => {
    expect(
      suggestionsIn(await published(`- a\n\n  ${FENCE} Suggestion\n  <!-- b -->\n  ${FENCE}`)),
    ).toEqual([]);
    expect(suggestionsIn(await published('~~~suggestion x\n<?php\n~~~'))).toEqual([]);
    const entity = `${FENCE}&#115;uggestion\n<?php\n${FENCE}`;
    expect(suggestionsIn(entity)).toHaveLength(1);
    expect(suggestionsIn(await published(entity))).toEqual([]);
  });

  it('become code if what is left of them stands in an earlier one', async () => {
    const safe = await published(`${suggestion('one();')}\n\n${suggestion('one();\u200B')}`);
    expect(suggestionsIn(safe)).toHaveLength(1);
    expect(safe).toContain('Shown as code');
  });

  it('leave the ones beside them alone', async () => {
    const safe = await published(`${suggestion('good()')}\n\n${suggestion('<?php')}`);
    expect(suggestionsIn(safe).map(({ content }) => content)).toEqual(['good()\n']);
  });
});
