import { GITHUB_LIMITS, type ContentLimits } from '../../lib/write-budget.ts';
import { text } from './fields.ts';

const FORM = /^(?:github|none|([1-9]\d{0,5})\/([1-9]\d{0,5}),([1-9]\d{0,5})\/([1-9]\d{0,5}))$/;

export const contentLimits = text
  .regex(FORM, 'must be `github`, `none`, or limits such as `80/60,500/3600`')
  .refine(isShorterFirst, 'must name the shorter time first, as in `80/60,500/3600`')
  .default('github')
  .describe(
    '`github`: each installation writes at most 80 times a minute and 500 times an hour, as github.com requires; `none`: no limits, for an Enterprise Server without them (processes still share the pauses that it asks for); `80/60,500/3600`: other limits, as requests in so many seconds, the shorter time first',
  );

function isShorterFirst(value: string): boolean {
  const [, , shorter, , longer] = FORM.exec(value) ?? [];
  return shorter === undefined || Number(shorter) < Number(longer);
}

/** `undefined`: no limits. */
export function contentLimitsIn(value: string): ContentLimits | undefined {
  if (value === 'none') return undefined;
  const [inMinute = 0, minute = 0, inHour = 0, hour = 0] =
    FORM.exec(value)?.slice(1).map(Number) ?? [];
  if (!(minute > 0)) return GITHUB_LIMITS;
  return {
    minute: { requests: inMinute, seconds: minute },
    hour: { requests: inHour, seconds: hour },
  };
}
