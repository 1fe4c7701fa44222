import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { TOOLS_DOCUMENT, toolsDocument } from '../support/tools-document.ts';

it('docs/tools.md says what the tools say of themselves; if not, run: npm run docs:tools', () => {
  expect(readFileSync(TOOLS_DOCUMENT, 'utf8')).toBe(toolsDocument());
});
