// Reviews of pull requests of others.
import { z } from 'zod';
import { compileSearchGlob } from '../../lib/glob.ts';
import { Dollars, oneOf, YES_OR_NO } from './fields.ts';
import { GlobList } from './paths.ts';

/** What people of the repository want of reviews, on its default branch. */
export const REVIEW_FILE = 'REVIEW.md';

const When = oneOf(['off', 'requested', 'opened', 'ready']);
const REVIEW =
  'must be one of `off`, `requested`, `opened`, `ready`, or `when` with one of them, and `paths`, `drafts` or `dollars`';

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
        dollars: Dollars.optional().describe(
          'US dollars of model cost a day for reviews in this repository; the rest waits for the next day',
        ),
      }),
    ],
    REVIEW,
  )
  .default('requested')
  .transform((value) => (typeof value === 'string' ? { when: value, drafts: true } : value));

type GivenReview = z.input<typeof ReviewSettings>;

/** The repository's over its owner's; the lower of two limits counts. */
export function mergeReview(owners: GivenReview, own: GivenReview): GivenReview {
  if (owners === undefined || own === undefined) return own ?? owners;
  const [first, second] = [owners, own].map((one) =>
    typeof one === 'string' ? { when: one } : one,
  );
  const dollars = [first?.dollars, second?.dollars].filter((one) => one !== undefined);
  const limit = dollars.length === 0 ? {} : { dollars: Math.min(...dollars) };
  return { ...first, ...second, ...limit };
}

/** Whether a glob matches the path, or a folder that it is in. */
export function isReviewed(paths: readonly string[] | undefined, path: string): boolean {
  if (paths === undefined) return true;
  const names = path.split('/');
  const all = names.map((_, at) => names.slice(0, at + 1).join('/'));
  return paths.map(compileSearchGlob).some((matches) => all.some(matches));
}
