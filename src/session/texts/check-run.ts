// What the check run on the head of the pull request says.
import type { CheckButton } from '../github-names.ts';
import type { Session } from '../session.ts';
import { isUnfinished } from '../unfinished.ts';
import { hasFailingChecks } from '../checks/due.ts';
import { hasBrokenOff, stateOf, type State } from '../state.ts';
import { sections, type Body } from './body.ts';
import { headline } from './headline.ts';
import { selfReview } from './findings.ts';
import { oneLine } from './markdown.ts';

export interface CheckRunText {
  /** `undefined` while work is in progress. */
  readonly conclusion: 'success' | 'neutral' | 'failure' | 'cancelled' | undefined;
  readonly title: string;
  readonly summary: Body;
}

/** GitHub takes labels of 20 characters, and descriptions of 40. */
export const BUTTONS: Readonly<Record<CheckButton, { label: string; description: string }>> = {
  fix: { label: 'Fix checks', description: 'Let the agent fix what failed' },
  resolve: { label: 'Resolve conflicts', description: 'Merge the base branch into this branch' },
  stop: { label: 'Stop', description: 'Stop the work on this pull request' },
};

const MOST_STEPS = 50;

export function checkRunText(session: Session): CheckRunText {
  const { words } = headline(session);
  return {
    conclusion: conclusionOf(session),
    title: words,
    summary: sections(`**${words}**`, steps(session), selfReview(session.work)),
  };
}

/** Waiting for people is neither good nor bad: nobody should be kept from merging by it. */
function conclusionOf(session: Session): CheckRunText['conclusion'] {
  const state = stateOf(session);
  const isLess = isUnfinished(session.run) || hasBrokenOff(session) || hasFailingChecks(session);
  return state === 'waiting(review)' && isLess ? 'neutral' : CONCLUSIONS[state];
}

const CONCLUSIONS: Readonly<Record<State, CheckRunText['conclusion']>> = {
  ignored: 'neutral',
  queued: undefined,
  working: undefined,
  'waiting(answer)': 'neutral',
  'waiting(approval)': 'neutral',
  'waiting(review)': 'success',
  'waiting(pause)': 'neutral',
  'waiting(person)': 'neutral',
  done: 'neutral',
  failed: 'failure',
  stopped: 'cancelled',
};

const steps = ({ work: { plan } }: Session): string =>
  plan
    .slice(0, MOST_STEPS)
    .map(({ done, title }) => `- [${done ? 'x' : ' '}] ${oneLine(title)}`)
    .join('\n');
