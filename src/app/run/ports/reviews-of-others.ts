// Reviews that the agent writes on the pull request of someone else.
import { createHash } from 'node:crypto';
import type { Forge } from '../../../contracts/forge.ts';
import { GitHubDenied } from '../../../github/errors.ts';
import { TellModel } from '../../../lib/errors.ts';
import { unquoted } from '../../../session/texts/body.ts';
import type { SessionOnGitHub } from './issues.ts';

/** Not accepted: a line that is not in the diff, say. */
const INVALID = 422;

export const reviewsFor = ({
  tracker,
  github,
  pageUrl,
}: SessionOnGitHub): Pick<Forge, 'submitReview'> => ({
  submitReview: async ({ number, summary, remarks, at }) => {
    const { requests, work } = tracker.session;
    const commit = work.head ?? '';
    // The same for a call that is repeated after a crash, and another for any other call.
    const text = JSON.stringify([commit, summary, remarks]);
    const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
    try {
      return await github.submitReview({
        session: tracker.id,
        key: `review:${at.getTime()}-${digest}`,
        body: [unquoted(summary)],
        mentions: requests.requester === undefined ? [] : [requests.requester.login],
        whole: pageUrl(tracker.id),
        number,
        commit,
        remarks,
      });
    } catch (error) {
      if (!(error instanceof GitHubDenied) || error.status !== INVALID) throw error;
      const message = `GitHub did not accept the review. ${error.message} The pull request may have changed: put everything into the summary.`;
      throw new TellModel(message, { cause: error });
    }
  },
});
