import { expect, it } from '@jest/globals';
import { inOrderOf } from '../../../src/app/run/plan/offered-tools.ts';
import type { Tool } from '../../../src/contracts/tool.ts';

const named = (...names: readonly string[]): Tool[] => names.map((name) => ({ name }) as Tool);

it.each([
  ['as they are listed in the first run', [], ['read', 'skill', 'finish', 'mcp__a__b']],
  [
    'in their order of the run before',
    ['finish', 'read'],
    ['finish', 'read', 'skill', 'mcp__a__b'],
  ],
  [
    'last if they join later',
    ['read', 'finish', 'mcp__a__b'],
    ['read', 'finish', 'mcp__a__b', 'skill'],
  ],
  [
    'without those that left',
    ['read', 'gone', 'finish', 'skill', 'mcp__a__b'],
    ['read', 'finish', 'skill', 'mcp__a__b'],
  ],
])('tools come %s', (_how, earlier, expected) => {
  const tools = inOrderOf(earlier, named('read', 'skill', 'finish', 'mcp__a__b'));
  expect(tools.map(({ name }) => name)).toEqual(expected);
});
