import { z } from 'zod';
import { oneOf, SETTINGS, YES_OR_NO } from './fields.ts';

const MAX_REVIEWERS = 15;
const MAX_BRANCH = 240;
const LOGIN = 'must be the login of a person, such as `octo-maintainer`; for teams, use CODEOWNERS';

export const Base = z
  .string('must be the name of a branch')
  .min(1, 'is empty')
  .max(MAX_BRANCH, `is longer than ${MAX_BRANCH} characters`);

export const Reviewers = z
  .array(z.string(LOGIN).regex(/^[a-zA-Z\d][a-zA-Z\d-]{0,38}$/, LOGIN), 'must be a list of logins')
  .max(MAX_REVIEWERS, `has more than ${MAX_REVIEWERS} entries`);

export const Commits = z.strictObject(
  {
    co_author: z
      .boolean(YES_OR_NO)
      .default(true)
      .describe('Whether commits name the person who requested the work as co-author'),
    sign_off: z
      .boolean(YES_OR_NO)
      .default(false)
      .describe(
        'Whether commits carry the `Signed-off-by` (DCO) of the person who requested the work; enable only with their consent',
      ),
    publish: oneOf(['auto', 'verified', 'push'])
      .default('auto')
      .describe(
        '`verified`: GitHub makes and signs the commits; `push`: git pushes them, without a signature; `auto`: `verified` for all but [very large changes](using.md#verified-commits)',
      ),
  },
  SETTINGS,
);
