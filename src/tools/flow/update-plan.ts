import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import { planChanges } from '../../session/texts/plans.ts';
import { MOST_PLANNED } from '../../session/texts/comments.ts';
import { count } from '../arguments.ts';

const MAX_ITEMS = 50;

const item = z.strictObject({
  id: z.union([z.string().min(1).max(50), z.int()]).transform(String),
  title: z.string().trim().min(1).max(2_000),
  done: z.boolean().default(false),
});
const schema = z.object({
  items: z.array(item).min(1).max(MAX_ITEMS),
});

export const updatePlan = defineTool({
  name: 'update_plan',
  aliases: [],
  description:
    'For work of many steps: replaces the checklist people see. Give all items; tick only what is done, before you finish.',
  arguments: schema,
  safety: 'safe',
  reach: 'workspace',
  isAllowedBeforeApproval: () => true,
  example: { items: [{ id: '1', title: 'Show long durations in days', done: true }] },
  rendering: { arguments: {}, output: 'plain' },
  title: ({ items }) => `Plan: ${items.filter(({ done }) => done).length} of ${items.length} done`,
  run: async ({ items }, { work }: Needs<'work'>) => {
    if (new Set(items.map(({ id }) => id)).size < items.length)
      throw new TellModel('Two items have the same id: give each item its own.');
    if (items.map(({ title }) => title).join('').length > MOST_PLANNED)
      throw new TellModel(
        `The titles together are longer than the ${MOST_PLANNED} characters that people are shown. Make them shorter.`,
      );
    const output = `The plan now has ${count(items.length, 'item')}.`;
    const approved = work.approvedPlan();
    // What people approved has more in it now, that is not done yet: they are asked again.
    const hasMore =
      approved.length > 0 && planChanges(approved, items).added.some(({ done }) => !done);
    if (!work.planComesFirst() && !hasMore) return { output, effects: [{ type: 'plan', items }] };
    return {
      output: `${output} People are asked to approve it. Their answer comes as a message.`,
      effects: [{ type: 'plan', items, needsApproval: true }],
      halt: 'asked',
    };
  },
});
