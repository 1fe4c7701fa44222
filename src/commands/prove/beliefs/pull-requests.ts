// A pull request from its draft to the merge, and the review in between.
import { valueIn } from '../ask-github.ts';
import {
  NotAsked,
  requireAccepted,
  requireDenied,
  requireThat,
  type Belief,
  type Proof,
} from '../proof.ts';
import { ownerOf, PROOF_PREFIX, reviewThreadsOf } from '../scenery.ts';
import { AUTO_MERGE_BELIEFS } from './auto-merge.ts';
import { deliveryOf } from './issues.ts';

const READY = `mutation ($id: ID!) {
  markPullRequestReadyForReview(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;
const TO_DRAFT = `mutation ($id: ID!) {
  convertPullRequestToDraft(input: { pullRequestId: $id }) { pullRequest { isDraft } }
}`;
const RESOLVE = `mutation ($id: ID!) {
  resolveReviewThread(input: { threadId: $id }) { thread { isResolved } }
}`;
const REACT = `mutation ($id: ID!) {
  addReaction(input: { subjectId: $id, content: EYES }) { reaction { content } }
}`;
const UNREACT = `mutation ($id: ID!) {
  removeReaction(input: { subjectId: $id, content: EYES }) { reaction { content } }
}`;
const isDraft = async ({ app, scenery }: Proof): Promise<unknown> => {
  const { number } = await scenery.pull();
  const { body } = requireAccepted(await app('api').rest('GET', `pulls/${number}`));
  return valueIn(body, 'draft');
};

const OPENING: readonly Belief[] = [
  {
    id: ownerOf('pull'),
    says: 'A token with pull_requests: write and contents: read opens a draft.',
    source: 'https://docs.github.com/en/rest/pulls/pulls#create-a-pull-request',
    ask: async (proof) => requireThat((await isDraft(proof)) === true, 'it is no draft'),
  },
  {
    id: 'pulls-by-head',
    says: 'The list of pull requests, asked for one branch, has that pull request and no other.',
    source: 'https://docs.github.com/en/rest/pulls/pulls#list-pull-requests',
    ask: async ({ app, scenery, repository }) => {
      const [{ number }, { name }] = [await scenery.pull(), await scenery.change()];
      const head = encodeURIComponent(`${repository.owner}:${name}`);
      const { body } = requireAccepted(
        await app('api').rest('GET', `pulls?head=${head}&state=all`),
      );
      const numbers = Array.isArray(body) ? body.map((one) => valueIn(one, 'number')) : [];
      const isAlone = numbers.length === 1 && numbers[0] === number;
      requireThat(isAlone, `it has ${numbers.length} pull requests`);
    },
  },
  {
    id: 'pull-exists',
    says: 'A second pull request for the same two branches is denied with 422.',
    source: 'vsoch/pull-request-action#86',
    ask: async ({ app, scenery }) => {
      await scenery.pull();
      const [base, change] = [await scenery.base(), await scenery.change()];
      const body = { title: PROOF_PREFIX, head: change.name, base: base.name };
      requireDenied(await app('api').rest('POST', 'pulls', { body }), 422);
    },
  },
  {
    id: 'mergeable-known-later',
    says: 'Whether a pull request can be merged is unknown at first, and known within a minute.',
    source: 'https://docs.github.com/en/rest/pulls/pulls#get-a-pull-request',
    ask: async ({ app, scenery, until }) => {
      const { number } = await scenery.pull();
      const look = async (): Promise<boolean | undefined> => {
        const { body } = requireAccepted(await app('api').rest('GET', `pulls/${number}`));
        const mergeable = valueIn(body, 'mergeable');
        return typeof mergeable === 'boolean' ? mergeable : undefined;
      };
      requireThat(await until('verdict on merging', look, 60), 'it cannot be merged');
    },
  },
];

const READINESS: readonly Belief[] = [
  {
    id: 'ready-for-review',
    says: 'Without contents: write, an App cannot mark a pull request as ready for review.',
    source: 'cli/cli#8910',
    ask: async ({ app, scenery }) => {
      const { node: id } = await scenery.pull();
      requireDenied(await app('api').graphql(READY, { id }), 403);
    },
  },
  {
    id: 'marked-as-ready',
    says: 'With contents and pull_requests: write, it can.',
    source: 'https://github.com/cli/cli/discussions/6924',
    ask: async (proof) => {
      const { node: id } = await proof.scenery.pull();
      requireAccepted(await proof.app('ready').graphql(READY, { id }));
      requireThat((await isDraft(proof)) === false, 'it is a draft as before');
    },
  },
  {
    id: 'back-to-draft',
    says: 'The same token makes it a draft again.',
    source: 'https://github.com/cli/cli/discussions/6924',
    ask: async (proof) => {
      const { node: id } = await proof.scenery.pull();
      const token = proof.app('ready');
      requireAccepted(await token.graphql(TO_DRAFT, { id }));
      requireThat((await isDraft(proof)) === true, 'it is no draft');
      requireAccepted(await token.graphql(READY, { id }));
    },
  },
];

const REVIEWING: readonly Belief[] = [
  {
    id: ownerOf('review'),
    says: 'A comment on a line is a review thread, open and up to date.',
    source: 'https://docs.github.com/en/graphql/reference/objects#pullrequestreviewthread',
    ask: async (proof) => {
      await proof.scenery.review();
      const [thread] = await reviewThreadsOf(proof, (await proof.scenery.pull()).number);
      requireThat(valueIn(thread, 'isResolved') === false, 'it is resolved');
      requireThat(valueIn(thread, 'isOutdated') === false, 'it is outdated');
    },
  },
  {
    id: 'reply-to-review-comment',
    says: 'The App replies to it in its thread.',
    source: 'https://docs.github.com/en/rest/pulls/comments#create-a-reply-for-a-review-comment',
    ask: async ({ app, scenery }) => {
      const [{ number }, { comment }] = [await scenery.pull(), await scenery.review()];
      const path = `pulls/${number}/comments/${comment}/replies`;
      const answer = await app('api').rest('POST', path, { body: { body: 'Done.' } });
      const parent = valueIn(requireAccepted(answer).body, 'in_reply_to_id');
      requireThat(parent === comment, 'the reply is in no thread');
    },
  },
  {
    id: 'review-reaction',
    says: 'The App puts 👀 on a review, by GraphQL.',
    source: 'https://docs.github.com/en/graphql/reference/mutations#addreaction',
    ask: async ({ app, scenery }) => {
      const { node: id } = await scenery.review();
      requireAccepted(await app('api').graphql(REACT, { id }));
    },
  },
  {
    id: 'review-reaction-removed',
    says: 'The App takes the 👀 away again.',
    source: 'unproven',
    ask: async ({ app, scenery }) => {
      const { node: id } = await scenery.review();
      requireAccepted(await app('api').graphql(UNREACT, { id }));
    },
  },
  {
    id: 'resolve-thread',
    says: 'Without contents: write, an App cannot resolve a review thread.',
    source: 'https://github.com/orgs/community/discussions/44650',
    ask: async ({ app, scenery }) => {
      const { thread: id } = await scenery.review();
      requireDenied(await app('api').graphql(RESOLVE, { id }), 403);
    },
  },
  {
    id: 'thread-resolved',
    says: 'With contents and pull_requests: write, it can.',
    source: 'https://github.com/orgs/community/discussions/44650',
    ask: async (proof) => {
      const { thread: id } = await proof.scenery.review();
      requireAccepted(await proof.app('threads').graphql(RESOLVE, { id }));
      const [thread] = await reviewThreadsOf(proof, (await proof.scenery.pull()).number);
      requireThat(valueIn(thread, 'isResolved') === true, 'it is open as before');
    },
  },
];

/** The state of the App's request for changes. */
const verdictOfApp = async ({ app, scenery }: Proof): Promise<unknown> => {
  const { number, review } = await scenery.reviewed();
  const { body } = requireAccepted(
    await app('api').rest('GET', `pulls/${number}/reviews/${review}`),
  );
  return valueIn(body, 'state');
};

const reviewByApp = async ({ app, scenery }: Proof, event: string): Promise<unknown> => {
  const { number } = await scenery.reviewed();
  const body = { event, body: 'Another review.' };
  const answer = await app('api').rest('POST', `pulls/${number}/reviews`, { body });
  return valueIn(requireAccepted(answer).body, 'state');
};

const REVIEWING_OTHERS: readonly Belief[] = [
  {
    id: ownerOf('reviewed'),
    says: "The App requests changes on a person's pull request, with a suggestion on a line.",
    source: 'https://docs.github.com/en/rest/pulls/reviews#create-a-review-for-a-pull-request',
    ask: async (proof) =>
      requireThat((await verdictOfApp(proof)) === 'CHANGES_REQUESTED', 'it requests none'),
  },
  {
    id: 'own-thread-resolved',
    says: 'With contents and pull_requests: write, an App resolves the thread that it began.',
    source: 'https://github.com/orgs/community/discussions/44650',
    ask: async (proof) => {
      const { thread: id, number } = await proof.scenery.reviewed();
      requireAccepted(await proof.app('threads').graphql(RESOLVE, { id }));
      const [thread] = await reviewThreadsOf(proof, number);
      requireThat(valueIn(thread, 'isResolved') === true, 'it is open as before');
    },
  },
  {
    id: 'latest-verdict',
    says: 'A later review that only comments leaves that verdict as it is.',
    source:
      'https://docs.github.com/en/pull-requests/how-tos/review-pull-requests/approving-a-pull-request-with-required-reviews',
    ask: async (proof) => {
      const state = await reviewByApp(proof, 'COMMENT');
      requireThat(state === 'COMMENTED', `the later one is ${String(state)}`);
      const before = await verdictOfApp(proof);
      requireThat(before === 'CHANGES_REQUESTED', `the earlier one is ${String(before)}`);
    },
  },
  {
    id: 'dismissed-by-app',
    says: 'The App dismisses its own request for changes, where no protection keeps it from that.',
    source: 'https://docs.github.com/en/rest/pulls/reviews#dismiss-a-review-for-a-pull-request',
    ask: async (proof) => {
      const { number, review } = await proof.scenery.reviewed();
      const path = `pulls/${number}/reviews/${review}/dismissals`;
      requireAccepted(await proof.app('api').rest('PUT', path, { body: { message: 'Settled.' } }));
      requireThat((await verdictOfApp(proof)) === 'DISMISSED', 'it stands as before');
    },
  },
  {
    id: 'approved-by-app',
    says: "The App approves a person's pull request; whether that counts is for the rules of a branch.",
    source: 'mcnewcp/my-team#27',
    ask: async (proof) => {
      const state = await reviewByApp(proof, 'APPROVE');
      requireThat(state === 'APPROVED', `the review is ${String(state)}`);
    },
  },
  {
    id: 'review-requests',
    says: 'That the account of ASSIGNEE_LOGIN is asked for a review is delivered, and is an event in the list of the repository.',
    source: 'https://docs.github.com/en/webhooks/webhook-events-and-payloads#pull_request',
    ask: async (proof) => {
      const { assignee, person, scenery, story } = proof;
      if (assignee === undefined) throw new NotAsked('ASSIGNEE_LOGIN is not set');
      if (!story.isMerged)
        throw new NotAsked(
          'a service that runs would review it with its own model, so it needs an empty repository',
        );
      const { number } = await scenery.reviewed();
      const path = `pulls/${number}/requested_reviewers`;
      const body = { reviewers: [assignee] };
      const asked = await person.rest('POST', path, { body });
      if (asked.status === 422)
        throw new NotAsked(
          'that account cannot be asked: it has to be a collaborator here, and another account than yours',
        );
      requireAccepted(asked);
      const isIt = (told: unknown, ...pull: readonly string[]): boolean =>
        valueIn(told, ...pull, 'number') === number &&
        String(valueIn(told, 'requested_reviewer', 'login')).toLowerCase() === assignee;
      try {
        await deliveryOf(proof, {
          name: 'pull_request.review_requested',
          what: 'the request, which needs the event `pull_request`',
          isIt: (payload) => isIt(payload, 'pull_request'),
        });
        await proof.until(
          'such event in the list',
          async () => {
            const { body: events } = requireAccepted(
              await proof.app('api').rest('GET', 'issues/events?per_page=100'),
            );
            const all = Array.isArray(events) ? events : [];
            const isThere = all.some(
              (one) => valueIn(one, 'event') === 'review_requested' && isIt(one, 'issue'),
            );
            return isThere || undefined;
          },
          60,
        );
      } finally {
        requireAccepted(await person.rest('DELETE', path, { body }));
      }
    },
  },
];

/** Asked last: what comes before needs an open pull request. */
export const MERGE_BELIEFS: readonly Belief[] = [
  ...AUTO_MERGE_BELIEFS,
  {
    id: 'own-pull-approval',
    says: 'Nobody approves their own pull request, the App neither.',
    source: 'juliangruber/approve-pull-request-action#61',
    ask: async ({ app, scenery }) => {
      const path = `pulls/${(await scenery.pull()).number}/reviews`;
      requireDenied(await app('api').rest('POST', path, { body: { event: 'APPROVE' } }), 422);
    },
  },
  {
    id: 'draft-is-not-merged',
    says: 'A draft cannot be merged.',
    source:
      'https://docs.github.com/en/pull-requests/collaborating-with-pull-requests/incorporating-changes-from-a-pull-request/merging-a-pull-request',
    ask: async ({ app, person, scenery }) => {
      const { number, node: id } = await scenery.pull();
      requireAccepted(await app('ready').graphql(TO_DRAFT, { id }));
      const merge = await person.rest('PUT', `pulls/${number}/merge`, { body: {} });
      requireDenied(merge, 405);
      // What is asked after this needs it ready.
      requireAccepted(await app('ready').graphql(READY, { id }));
    },
  },
  {
    id: ownerOf('merged'),
    says: 'A person merges the pull request of the App.',
    source: 'https://docs.github.com/en/rest/pulls/pulls#merge-a-pull-request',
    ask: async ({ scenery }) => void (await scenery.merged()),
  },
  {
    id: 'reopen-of-merged',
    says: 'A merged pull request cannot be reopened.',
    source: 'openlinker-project/openlinker#3227',
    ask: async ({ scenery, person }) => {
      await scenery.merged();
      const path = `pulls/${(await scenery.pull()).number}`;
      requireDenied(await person.rest('PATCH', path, { body: { state: 'open' } }), 422);
    },
  },
];

export const PULL_REQUEST_BELIEFS: readonly Belief[] = [
  ...OPENING,
  ...READINESS,
  ...REVIEWING,
  ...REVIEWING_OTHERS,
];
