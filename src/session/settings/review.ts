// How reviews of a pull request are answered.
import { z } from 'zod';
import { oneOf } from './fields.ts';

const LONGEST_WAIT = 600;
const WAIT = `must be a whole number of seconds from 0 to ${LONGEST_WAIT}`;

export const CommentWait = z
  .int(WAIT)
  .min(0, WAIT)
  .max(LONGEST_WAIT, WAIT)
  .default(20)
  .describe(
    'Seconds without another comment after which single comments on lines, and replies to them, start a run; a review, a mention or a command starts one at once',
  );

/** The limit of rounds, if the settings have none. */
export const REVIEW_ROUNDS = 10;

/** Which comments in the conversation of the App's own pull request request work. */
export const PullRequestComments = oneOf(['mention', 'all'])
  .default('mention')
  .describe(
    "Which comments in the conversation of the App's own pull request request work: those that `mention` it, or `all`; reviews, comments on lines and answers to its questions need no mention",
  );

export const ResolveThreads = oneOf(['own', 'never'])
  .default('never')
  .describe(
    '`own`: review threads whose lines the agent changed are resolved after its reply, unless they have a comment that it did not answer',
  );
