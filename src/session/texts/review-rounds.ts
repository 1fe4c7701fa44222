// What people are told once a pull request has been reviewed again and again. Markdown.
import type { Reviews } from '../parts/session-reviews.ts';
import type { Session } from '../session.ts';
import type { Body } from './body.ts';
import { plural } from './format.ts';
import { mention } from './markdown.ts';

export const roundsReached = ({ sinceAsked: { runs } }: Reviews): string =>
  `${plural(runs, 'round')} of review are done, the limit of this pull request (\`limits.review_rounds\`), so I stopped.`;

export function roundLimitComment({ reviews, requests: { requester } }: Session): Body {
  const to = requester === undefined ? '' : `${mention(requester.login)} `;
  return [
    `${to}${roundsReached(reviews)} To continue with your latest comments, write \`/issuewright retry\`.`,
  ];
}
