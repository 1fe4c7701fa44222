import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import type { Call } from '../../contracts/model.ts';
import { TellModel } from '../../lib/errors.ts';
import { cutCharacters } from '../../lib/text/text.ts';
import { MOST_ASKED } from '../../session/texts/comments.ts';
import { count } from '../arguments.ts';

const MAX_SUB_ISSUES = 10;
const MAX_REASON = 2_000;

const subIssue = z.strictObject({
  title: z.string().trim().min(1).max(200),
  text: z.string().trim().min(1).max(4_000).describe('Markdown'),
});
const schema = z.object({
  sub_issues: z
    .array(subIssue)
    .max(MAX_SUB_ISSUES)
    .default([])
    .describe('In the order of the work'),
  reason: z
    .preprocess((value) => value ?? '', z.string().trim().max(MAX_REASON))
    .describe('Without sub-issues: why there are none'),
});

export const proposeSubIssues = defineTool({
  name: 'propose_sub_issues',
  aliases: [],
  description: `Proposes at most ${MAX_SUB_ISSUES} sub-issues, and waits: people approve all of them, or say what should be different.`,
  arguments: schema,
  argumentAliases: { issues: 'sub_issues', summary: 'reason' },
  safety: 'safe',
  reach: 'workspace',
  worksOn: ['splits'],
  isAllowedBeforeApproval: () => true,
  example: {
    sub_issues: [{ title: 'Read long durations', text: 'Parse `2d` in src/days.js, with tests.' }],
    reason: '',
  },
  rendering: { arguments: { reason: 'prose' }, output: 'plain' },
  title: ({ sub_issues: items }) =>
    items.length === 0 ? 'Propose no sub-issues' : `Propose ${count(items.length, 'sub-issue')}`,
  run: async ({ sub_issues: items, reason }, _ports: Needs<never>) => {
    if (items.length === 0 && reason === '')
      throw new TellModel('There is no sub-issue: give some, or the reason why there are none.');
    if (items.length === 0)
      return {
        output: 'Nothing was proposed. People read the reason.',
        effects: [{ type: 'finish', outcome: 'nothing_to_do', summary: reason }],
        halt: 'finished',
      };
    if (new Set(items.map(({ title }) => title.toLowerCase())).size < items.length)
      throw new TellModel('Two sub-issues have the same title: give each its own.');
    if (items.map(({ title, text }) => title + text).join('').length > MOST_ASKED)
      throw new TellModel(
        `The sub-issues are longer than the ${MOST_ASKED} characters that people are shown. Make them shorter.`,
      );
    return {
      output: 'Proposed. What people say comes as a message.',
      effects: [{ type: 'sub_issues_proposed', items }],
      halt: 'asked',
    };
  },
});

/** The call for a model that ended its work with a text instead of a call. */
export const concludingProposal = (words: string): Call => ({
  tool: proposeSubIssues.name,
  arguments: { reason: cutCharacters(words.trim(), MAX_REASON) },
});
