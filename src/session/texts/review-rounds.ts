// What people are told once a pull request has been reviewed again and again. Markdown.
import type { Reviews } from '../parts/session-reviews.ts';
import type { Session } from '../session.ts';
import type { Body } from './body.ts';
import { plural } from './format.ts';

export const roundsReached = ({ sinceAsked: { runs } }: Reviews): string =>
  `This pull request has had ${plural(runs, 'round')} of review, so someone has to confirm that the work should continue.`;

export const roundLimitComment = ({ reviews }: Session): Body => [
  `${roundsReached(reviews)} Your latest comments are saved.`,
  'To continue with it, write `/issuewright retry`, or comment on the issue. The limit is `limits.review_rounds` in `.github/issuewright.yml`.',
];
