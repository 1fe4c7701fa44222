import { z } from 'zod';
import { defineTool, type Needs } from '../define-tool.ts';
import { TellModel } from '../../lib/errors.ts';
import type { PlanItem } from '../../contracts/effect.ts';
import { brief } from '../arguments.ts';
import { commitChosen, commitEffect, describe, held } from '../git/commit.ts';

const id = z.union([z.string().trim().min(1).max(50), z.int()]).transform(String);

const schema = z.object({
  feature_id: id.optional().describe('Id of the item in the plan'),
  task_id: id.optional().describe('Id of its task, if the ids in the plan include it'),
  title: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .optional()
    .describe('What was done; becomes the commit message'),
});
type Arguments = z.infer<typeof schema>;

export const finishFeature = defineTool({
  name: 'finish_feature',
  aliases: [],
  description: 'Marks an item of the plan as done, then commits the changes.',
  arguments: schema,
  argumentAliases: { id: 'feature_id' },
  safety: 'safe',
  waitsFor: 'edits',
  example: { task_id: 1, feature_id: 5, title: 'Show long durations in days' },
  rendering: { arguments: {}, output: 'plain' },
  title: ({ title, feature_id: feature }) => `Finish: ${brief(title ?? `item ${feature ?? '?'}`)}`,
  run: async (args, ports: Needs<'git' | 'work'>, { startedAt }) => {
    const items = ticked(ports.work.plan(), args);
    const message = args.title ?? itemOf(items, args)?.title ?? 'Finish a step';
    const kept = ports.work.heldCommits() === undefined ? undefined : await held(ports, message);
    const committed =
      kept === undefined ? await commitChosen(ports, message, startedAt) : undefined;
    const done = items.filter((item) => item.done).length;
    return {
      output: [
        `Marked as done: ${done} of ${items.length} items are done.`,
        kept?.output ??
          (committed === undefined
            ? 'There were no changes, so no commit was made.'
            : describe(committed)),
      ].join('\n'),
      effects: [
        { type: 'plan', items },
        ...(kept?.effects ?? []),
        ...(committed === undefined ? [] : [commitEffect(committed, message)]),
      ],
    };
  },
});

/** The plan with the item marked as done. An item that is not in the plan is added if it has a title. */
function ticked(plan: readonly PlanItem[], args: Arguments): readonly PlanItem[] {
  const found = itemOf(plan, args);
  if (found !== undefined)
    return plan.map((item) => (item === found ? { ...item, done: true } : item));
  const { title, feature_id: feature } = args;
  if (title === undefined) throw notInPlan(plan);
  const free = feature !== undefined && !plan.some((item) => item.id === feature);
  return [...plan, { id: free ? feature : nextId(plan), title, done: true }];
}

/** Finds an item by its id, with or without that of its task, or else by its title. */
function itemOf(plan: readonly PlanItem[], args: Arguments): PlanItem | undefined {
  const { task_id: task, feature_id: feature, title } = args;
  const ids =
    task === undefined ? [feature] : [`${task}.${feature}`, `${task}-${feature}`, feature];
  const byId = ids.map((one) => plan.find((item) => item.id === one)).find((item) => item);
  return byId ?? plan.find((item) => plain(item.title) === plain(title ?? ''));
}

const plain = (text: string): string => text.trim().toLowerCase();

/** The first number that no item uses. */
function nextId(plan: readonly PlanItem[]): string {
  const taken = new Set(plan.map((item) => item.id));
  let number = plan.length + 1;
  while (taken.has(String(number))) number += 1;
  return String(number);
}

function notInPlan(plan: readonly PlanItem[]): TellModel {
  const items = plan.map((item) => `${item.id}: ${item.title}`).join('; ') || 'none yet';
  return new TellModel(
    `The plan has no such item. Its items are: ${items}. Give the feature_id of one of them, or a title.`,
  );
}
