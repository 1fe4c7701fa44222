import { expect, it } from '@jest/globals';
import { SUMMARY_INSTRUCTIONS } from '../../../src/agent/prompts/separate-requests.ts';

it('has a part for each thing that the work needs to continue', () => {
  const parts = [...SUMMARY_INSTRUCTIONS.matchAll(/^## (.+)\n.+$/gm)].map(([, part]) => part);
  expect(parts).toEqual(['Goal', 'Decisions', 'Files', 'State', 'Pending', 'Context']);
});
