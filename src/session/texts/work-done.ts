// Our own words for an end of which the model said nothing, made of what was observed. Nothing here is the model's.
import { hasPassed } from '../parts/session-work.ts';
import type { Session } from '../session.ts';
import { firstLine, plural } from './format.ts';

/** In place of the model's words. */
export const NO_SUMMARY = '_The model gave no summary._';

const MOST_COMMITS = 3;

/** Plain text, on one line. */
export function ownSummary(session: Session): string {
  const facts = [
    ...committed(session),
    ...planned(session),
    ...tested(session),
    ...checked(session),
  ];
  const seen = facts.length === 0 ? 'no change' : facts.join(', ');
  return `The model gave no summary. Issuewright observed: ${seen}.`;
}

function committed({ work: { commits } }: Session): string[] {
  if (commits.length === 0) return [];
  const last = commits
    .slice(-MOST_COMMITS)
    .map(({ message }) => `“${firstLine(message)}”`)
    .join(', ');
  const left = commits.length - MOST_COMMITS;
  return [`${plural(commits.length, 'commit')} (${left > 0 ? '…, ' : ''}${last})`];
}

const planned = ({ work: { plan } }: Session): string[] =>
  plan.length === 0
    ? []
    : [`${plan.filter(({ done }) => done).length} of ${plural(plan.length, 'planned step')} done`];

function tested({ work: { tests, changedSinceTests } }: Session): string[] {
  const last = tests.at(-1);
  if (last === undefined) return [];
  const old = changedSinceTests === 'code' ? ' before the last edit' : '';
  return [`tests ${hasPassed(last) ? 'passed' : 'failed'}${old}`];
}

const checked = ({ checks: { last } }: Session): string[] =>
  last?.result.kind === 'passed' || last?.result.kind === 'failed'
    ? [`checks ${last.result.kind}`]
    : [];
