import { z } from 'zod';
import { oneOf } from './fields.ts';

const DAY_MS = 86_400_000;
const UNITS = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', DAY_MS],
  ['w', 7 * DAY_MS],
]);
const LONGEST_MS = 90 * DAY_MS;
const DURATION = 'must be a time from `1m` to `90d`: a whole number of `m`, `h`, `d` or `w`';
const TIMEOUT = `${DURATION}; or \`after\` with such a time, and \`action\` with \`defaults\` or \`pause\``;

const Duration = z.string(DURATION).refine(isDuration, DURATION);

function isDuration(text: string): boolean {
  return /^[1-9]\d{0,5}[mhdw]$/.test(text) && millisecondsOf(text) <= LONGEST_MS;
}

const millisecondsOf = (text: string): number =>
  Number.parseInt(text, 10) * (UNITS.get(text.slice(-1)) ?? Infinity);

/** How long a question waits for an answer, and what happens then. */
export const QuestionTimeout = z
  .union(
    [
      Duration,
      z.strictObject({
        after: Duration.describe('Time to wait, such as `12h` or `3d`'),
        action: oneOf(['defaults', 'pause'])
          .default('defaults')
          .describe(
            '`defaults`: continue with the proposed answers, at most twice in a row; `pause`: pause until someone answers',
          ),
      }),
    ],
    TIMEOUT,
  )
  .transform((value) => {
    const { after, action } =
      typeof value === 'string' ? { after: value, action: 'defaults' as const } : value;
    return { afterMs: millisecondsOf(after), action };
  });
