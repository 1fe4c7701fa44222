// Plans that need approval, and what became of them since. Markdown.
import type { PlanItem } from '../../contracts/effect.ts';
import type { Session } from '../session.ts';
import { addressed, code, details, oneLine, sections, wholeLine, type Body } from './markdown.ts';
import type { AdoptedPullRequest, PushConcern } from '../../contracts/pull-request.ts';
import { isUnfinished } from '../state.ts';

/** What became of a step, behind its title. */
export function stepChange(
  item: PlanItem,
  { added, reworded }: Pick<PlanChanges, 'added' | 'reworded'>,
): string {
  const before = reworded.find((one) => one.item === item)?.before;
  if (before !== undefined) return ` (was: ${oneLine(before)})`;
  return added.includes(item) ? ' (new)' : '';
}

/** A plan that follows another one. `isAsked`: people said something that was no plain yes. */
interface FormerPlan {
  readonly items: readonly PlanItem[];
  readonly isAsked: boolean;
}

/** A plan that needs approval, to the person who requested the work, or the change of the plan before. */
export function planComment(
  session: Session,
  items: readonly PlanItem[],
  former: FormerPlan = { items, isAsked: false },
): Body {
  const changes = planChanges(former.items, items);
  const { added, reworded, removed } = changes;
  const isChanged = added.length + reworded.length + removed.length > 0;
  const since = isChanged ? ' with what you said' : ', as before';
  const opening = former.isAsked
    ? `Here is my plan${since}. I won't change anything until you approve it with a plain yes:`
    : "Here is my plan. I won't change anything until you approve it:";
  return sections(
    addressed(session, opening),
    planList(items, changes),
    removed.map(({ title }) => `- ~~${oneLine(title)}~~`).join('\n'),
    'Reply **approve**, or react with 👍. To change the plan, say what should be different.',
  );
}

const planList = (
  items: readonly PlanItem[],
  changes: Pick<PlanChanges, 'added' | 'reworded'> = { added: [], reworded: [] },
): string =>
  items
    .map((item, index) => `${index + 1}. ${wholeLine(item.title)}${stepChange(item, changes)}`)
    .join('\n');

/** Of a plan that a newer one follows: nobody approves the old one by mistake. */
export const replacedPlanComment = (items: readonly PlanItem[]): Body =>
  sections('Replaced by the plan below.', details('The former plan', planList(items)));

/** Nobody is asked any more. `by`: a login; no mention, because an edit tells nobody. */
export const approvedPlanComment = (by: string, items: readonly PlanItem[]): Body =>
  sections(`Approved by ${by}.`, planList(items));

// What became of a plan since people approved it, and by the end of the work.

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

// The question before anything is pushed to the branch of someone else's pull request.

export const pushQuestion = (
  { branch }: Pick<AdoptedPullRequest, 'branch'>,
  concern: PushConcern,
): string =>
  `${why(branch, concern)} May I push to it? Reply **yes** to let me. After any other reply I only review and push nothing.`;

function why(branch: string, concern: PushConcern): string {
  const name = code(branch);
  switch (concern.kind) {
    case 'default_branch':
      return `${name} is the default branch of this repository.`;
    case 'protected':
      return `${name} is protected.`;
    case 'bot':
      return `${name} belongs to a bot, ${oneLine(concern.login)}, which may overwrite what I push.`;
    default:
      return concern satisfies never;
  }
}
