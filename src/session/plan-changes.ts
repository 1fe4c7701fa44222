// What became of a plan since people approved it, and by the end of the work.
import type { PlanItem } from '../contracts/effect.ts';
import type { Session } from './session.ts';
import { isUnfinished } from './state.ts';

export interface PlanChanges {
  /** Neither their id nor their title was in the approved plan. */
  readonly added: readonly PlanItem[];
  /** The same id with another title. */
  readonly reworded: readonly { readonly item: PlanItem; readonly before: string }[];
  readonly removed: readonly PlanItem[];
}

export function planChanges(approved: readonly PlanItem[], now: readonly PlanItem[]): PlanChanges {
  const hasTitle = (items: readonly PlanItem[], { title }: PlanItem): boolean =>
    items.some((one) => plain(one.title) === plain(title));
  const known = (item: PlanItem): PlanItem | undefined => approved.find(({ id }) => id === item.id);
  const others = now.filter((item) => !hasTitle(approved, item));
  return {
    added: others.filter((item) => known(item) === undefined),
    reworded: others.flatMap((item) => {
      const before = known(item)?.title;
      return before === undefined ? [] : [{ item, before }];
    }),
    removed: approved.filter(
      (item) => !hasTitle(now, item) && !now.some(({ id }) => id === item.id),
    ),
  };
}

const plain = (title: string): string => title.trim().toLowerCase();

/** What is left unticked once the last run said that all is done: only its readers can say whether it is. */
export function untickedSteps({ run, work: { plan, commits } }: Session): readonly PlanItem[] {
  if (run?.end?.kind !== 'finished' || isUnfinished(run)) return [];
  const hasWork = run.finish?.outcome === 'done' || commits.length > 0;
  const isOneReply = run.mode === 'single' && run.finish === undefined;
  return hasWork && !isOneReply ? plan.filter(({ done }) => !done) : [];
}
