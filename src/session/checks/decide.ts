// What follows from checks that failed.
import type { FailedCheck, FixDecision } from '../../contracts/checks.ts';
import type { Checks } from '../parts/session-checks.ts';

interface Rules {
  /** Whether a fix begins by itself. */
  readonly isOwn: boolean;
  /** The most fixes in a row. */
  readonly rounds: number;
}

const left = (because: Extract<FixDecision, { do: 'leave' }>['because']): FixDecision => ({
  do: 'leave',
  because,
});

export function decideOn(
  failures: readonly FailedCheck[],
  { fixed, rounds, allowed }: Pick<Checks, 'fixed' | 'rounds' | 'allowed'>,
  rules: Rules,
): FixDecision {
  const own = failures.filter(({ excuse }) => excuse !== 'base');
  if (own.length === 0) return left('base');
  const toFix = own.filter(({ excuse }) => excuse === undefined);
  if (toFix.length === 0) return left('flaky');
  if (toFix.every(({ fingerprint }) => fixed.includes(fingerprint))) return left('same');
  if (!rules.isOwn && !allowed) return { do: 'ask' };
  return rounds >= rules.rounds ? left('rounds') : { do: 'fix' };
}

/** Whether nothing is new in what was read: people have been told, or a fix has begun. */
export function isKnown(
  sha: string,
  failures: readonly FailedCheck[],
  next: FixDecision,
  last: Checks['last'],
): boolean {
  if (last?.result.kind !== 'failed') return false;
  const before = last.result;
  const isSame =
    before.failures.length === failures.length &&
    before.failures.every(({ fingerprint }, at) => fingerprint === failures[at]?.fingerprint);
  return isSame && (last.sha === sha || JSON.stringify(before.next) === JSON.stringify(next));
}
