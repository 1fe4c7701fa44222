// What a session waits for, and what comes of that: questions, the plan, the next issue.
import type { Effect } from '../../contracts/effect.ts';
import type { EntryOf } from '../entries/entry.ts';
import type { Admitted, Session } from '../session.ts';

/** The keys under which the comments are published. */
export const questionKey = (seq: number): string => `question:${seq}`;
export const planKey = (seq: number): string => `plan:${seq}`;

type EffectOf<Type extends Effect['type']> = Extract<Effect, { type: Type }>;

/** Of a session whose work begins. */
export const NOT_PLANNED: Pick<Session, 'approval' | 'approvedBy' | 'proposal'> = {
  approval: 'undecided',
  approvedBy: undefined,
  proposal: undefined,
};

/** Of a session that does not wait any more. */
export const NOTHING_ASKED: Pick<Session, 'question' | 'proposal'> = {
  question: undefined,
  proposal: undefined,
};

export function asked({ text, items, waits }: EffectOf<'question'>, seq: number): Partial<Session> {
  const all = items === undefined || items.length === 0 ? [{ text }] : items;
  return {
    question: { seq, text, items: all, url: undefined, waits, expired: undefined },
  };
}

export const planned = ({ items, proposed }: EffectOf<'plan'>, seq: number): Partial<Session> => ({
  plan: items,
  ...(proposed === true ? { proposal: { seq, comment: undefined } } : {}),
});

/** Settled by the first run that could change anything, until somebody agrees. */
export function planSettled(
  { approval }: Session,
  { mode, planFirst }: EntryOf<'run_prepared'>,
): Partial<Session> {
  if (approval === 'given' || mode === 'completion') return {};
  if (planFirst === true) return { approval: 'needed' };
  return approval === 'undecided' ? { approval: 'not_needed' } : {};
}

export const agreed = ({ sender, approves }: Admitted): Partial<Session> =>
  approves ? { approval: 'given', approvedBy: sender.login } : {};

export function published(
  { question, proposal }: Session,
  { key, id, url }: EntryOf<'published'>,
): Partial<Session> {
  if (question !== undefined && key === questionKey(question.seq))
    return { question: { ...question, url } };
  if (proposal !== undefined && key === planKey(proposal.seq))
    return { proposal: { ...proposal, comment: { id, url } } };
  return {};
}

export const expired = (
  { question }: Session,
  entry: EntryOf<'question_expired'>,
): Partial<Session> =>
  question?.seq === entry.question ? { question: { ...question, expired: entry.action } } : {};

export const nextTaken = ({ run, issue }: EntryOf<'next_taken'>): Partial<Session> => ({
  lookedForNext: issue === null ? run : Infinity,
});
