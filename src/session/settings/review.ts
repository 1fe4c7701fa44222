// Reviews of pull requests of others.
import { z } from 'zod';
import type { VerdictOfReview } from '../../contracts/forge.ts';
import { compileSearchGlob } from '../../lib/glob.ts';
import { Dollars, oneOf, YES_OR_NO, GlobList } from './fields.ts';

/** What people of the repository want of reviews, on its default branch. */
export const REVIEW_FILE = 'REVIEW.md';

const When = oneOf(['off', 'requested', 'opened', 'ready']);
const REVIEW =
  'must be one of `off`, `requested`, `opened`, `ready`, or `when` with one of them, and `paths`, `drafts`, `dollars` or `may`';

/** From the least on, in the words of GitHub. */
const VERDICTS = [
  'comment',
  'request_changes',
  'approve',
] as const satisfies readonly VerdictOfReview[];

/** Whether the setting `may` allows the verdict. */
export const mayGive = (most: VerdictOfReview, verdict: VerdictOfReview): boolean =>
  VERDICTS.indexOf(verdict) <= VERDICTS.indexOf(most);

/** Which pull requests of others are reviewed without being asked in words. */
export const ReviewSettings = z
  .union(
    [
      When,
      z.strictObject({
        when: When.default('requested').describe(
          '`requested`: if someone adds the label or requests a review; `opened`: also what people with the role of `who` open, and push later; `ready`: the same, but no drafts; `off`: nothing',
        ),
        paths: GlobList.optional().describe('Globs of the files that are reviewed; all if omitted'),
        drafts: z
          .boolean(YES_OR_NO)
          .default(true)
          .describe('Whether `opened` reviews drafts; otherwise once they are ready'),
        may: oneOf(VERDICTS)
          .default('comment')
          .describe(
            '`comment`: a review neither approves nor blocks; `request_changes`: it may also request changes; `approve`: it may also approve, [within limits](security.md#approvals)',
          ),
        dollars: Dollars.optional().describe(
          'US dollars of model cost a day for reviews in this repository; the rest waits for the next day',
        ),
      }),
    ],
    REVIEW,
  )
  .default('requested')
  .transform((value) =>
    typeof value === 'string' ? { when: value, drafts: true, may: VERDICTS[0] } : value,
  );

type GivenReview = z.input<typeof ReviewSettings>;

/** The repository's over its owner's; of two limits, and of what it may, the lower counts. */
export function mergeReview(owners: GivenReview, own: GivenReview): GivenReview {
  if (owners === undefined || own === undefined) return own ?? owners;
  const [first, second] = [owners, own].map((one) =>
    typeof one === 'string' ? { when: one } : one,
  );
  const dollars = [first?.dollars, second?.dollars].filter((one) => one !== undefined);
  const limit = dollars.length === 0 ? {} : { dollars: Math.min(...dollars) };
  const [ownersMost, ownMost] = [first?.may, second?.may];
  const isLower = ownersMost !== undefined && ownMost !== undefined && mayGive(ownMost, ownersMost);
  return { ...first, ...second, ...limit, ...(isLower ? { may: ownersMost } : {}) };
}

/** Whether a glob matches the path, or a folder that it is in. */
export function isReviewed(paths: readonly string[] | undefined, path: string): boolean {
  if (paths === undefined) return true;
  const names = path.split('/');
  const all = names.map((_, at) => names.slice(0, at + 1).join('/'));
  return paths.map(compileSearchGlob).some((matches) => all.some(matches));
}
