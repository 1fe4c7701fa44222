// Comments, reactions, labels, how GitHub renders Markdown, sub-issues, and deliveries.
import { valueIn } from '../ask-github.ts';
import {
  NotAsked,
  BeliefRefuted,
  requireAccepted,
  requireDenied,
  requireThat,
  type Belief,
  type Proof,
} from '../proof.ts';
import { PROOF_PREFIX, ownerOf } from '../scenery.ts';
import { SUB_ISSUE_CHANGES } from '../../../github/sub-issues.ts';

/** GitHub's limit, which the service keeps to. */
const MOST_CHARACTERS = 65_536;

const textAt = (body: unknown, name: string): string => {
  const text = valueIn(body, name);
  return typeof text === 'string' ? text : '';
};

const readComment = async ({ app, scenery }: Proof, accept?: string): Promise<unknown> => {
  const { id } = await scenery.comment();
  const headers = accept === undefined ? {} : { accept };
  const path = `issues/comments/${id}`;
  return requireAccepted(await app('api').rest('GET', path, { headers })).body;
};

export const ISSUE_BELIEFS: readonly Belief[] = [
  {
    id: ownerOf('comment'),
    says: 'A comment keeps its text to the letter, hidden markers too.',
    source: 'unproven',
    ask: async (proof) => {
      const { body } = await proof.scenery.comment();
      const isKept = textAt(await readComment(proof), 'body') === body;
      requireThat(isKept, 'the text of the comment is another one');
    },
  },
  {
    id: 'media-types',
    says: 'Comments come with their Markdown rendered, if the request asks for it.',
    source:
      'https://docs.github.com/en/rest/using-the-rest-api/getting-started-with-the-rest-api#media-types',
    ask: async (proof) => {
      const body = await readComment(proof, 'application/vnd.github.full+json');
      const html = textAt(body, 'body_html');
      requireThat(html.includes('<strong>Bold</strong>'), 'the text is not rendered');
      requireThat(!html.includes('user-mention'), 'a login in code is a mention');
      requireThat(textAt(body, 'body_text').includes('Bold'), 'there is no body_text');
    },
  },
  {
    id: 'markdown-as-repository',
    says: 'A text that is rendered with the repository as its context links to its issues.',
    source: 'https://docs.github.com/en/rest/markdown/markdown#render-a-markdown-document',
    ask: async ({ app, repository: { owner, name }, issue }) => {
      const body = { text: `See #${issue}.`, mode: 'gfm', context: `${owner}/${name}` };
      const answer = requireAccepted(await app('api').rest('POST', '/markdown', { body }));
      const isLinked = String(answer.body).includes(`/issues/${issue}"`);
      requireThat(isLinked, 'the number of the issue is no link');
    },
  },
  {
    id: 'reaction-once',
    says: 'The same reaction a second time changes nothing, and is answered with 200.',
    source:
      'https://docs.github.com/en/rest/reactions/reactions#create-reaction-for-an-issue-comment',
    ask: async ({ app, scenery }) => {
      const path = `issues/comments/${(await scenery.comment()).id}/reactions`;
      const options = { body: { content: 'rocket' } };
      const first = requireAccepted(await app('api').rest('POST', path, options));
      const again = requireAccepted(await app('api').rest('POST', path, options));
      requireThat(again.status === 200, `it is answered with ${again.status}`);
      const isSame = valueIn(first.body, 'id') === valueIn(again.body, 'id');
      requireThat(isSame, 'there are two reactions');
    },
  },
  {
    id: 'body-limit',
    says: 'A comment has at most 65,536 characters.',
    source: 'telia-oss/github-pr-resource#259',
    ask: async ({ app, issue }) => {
      const options = { body: { body: 'x'.repeat(MOST_CHARACTERS + 1) } };
      requireDenied(await app('api').rest('POST', `issues/${issue}/comments`, options), 422);
    },
  },
  {
    id: 'locked-conversation',
    says: 'The App cannot comment on a locked issue.',
    source: 'probot/stale#25',
    ask: async ({ app, person, issue }) => {
      const path = `issues/${issue}`;
      const locked = await person.rest('PUT', `${path}/lock`);
      if (locked.status >= 300) throw new NotAsked('your token may not lock issues');
      const comment = { body: { body: 'Denied.' } };
      try {
        requireDenied(await app('api').rest('POST', `${path}/comments`, comment), 403);
      } finally {
        await person.rest('DELETE', `${path}/lock`);
      }
    },
  },
  {
    id: 'labels-ignore-case',
    says: 'Two labels do not differ in case alone.',
    source: 'karelz/GitHubIssues#128',
    ask: async ({ person, id }) => {
      const named = (name: string) => ({ body: { name } });
      requireAccepted(await person.rest('POST', 'labels', named(`${PROOF_PREFIX} ${id} case`)));
      requireDenied(await person.rest('POST', 'labels', named(`${PROOF_PREFIX} ${id} CASE`)), 422);
    },
  },
  {
    id: 'shortcode-in-label',
    says: 'The shortcode of an emoji and the emoji itself make two names of labels.',
    source: 'mdn/browser-compat-data#4807',
    ask: async ({ person, id }) => {
      const name = `:robot: ${PROOF_PREFIX} ${id}`;
      const made = requireAccepted(await person.rest('POST', 'labels', { body: { name } }));
      requireThat(textAt(made.body, 'name') === name, 'the label has another name');
      const other = name.replace(':robot:', '🤖');
      requireAccepted(await person.rest('POST', 'labels', { body: { name: other } }));
    },
  },
];

// Issues that the App opens, and makes sub-issues of another one.

const numbersIn = (body: unknown): readonly unknown[] =>
  Array.isArray(body) ? body.map((one) => valueIn(one, 'number')) : [];

async function readSubIssues({ app, scenery }: Proof): Promise<readonly unknown[]> {
  const { number } = await scenery.parent();
  const path = `issues/${number}/sub_issues?per_page=100`;
  return numbersIn(requireAccepted(await app('api').rest('GET', path)).body);
}

export const SUB_ISSUE_BELIEFS: readonly Belief[] = [
  {
    id: ownerOf('opened'),
    says: 'A list of issues has a new one as soon as it was opened.',
    source: 'unproven',
    ask: async ({ app, scenery }) => {
      const { number } = await scenery.opened();
      const path = 'issues?state=all&sort=created&direction=desc&per_page=100';
      const { body } = requireAccepted(await app('api').rest('GET', path));
      requireThat(numbersIn(body).includes(number), `the list has no #${number}`);
    },
  },
  {
    id: ownerOf('parent'),
    says: 'With issues: write, the App makes an issue a sub-issue of another one.',
    source: 'https://docs.github.com/en/rest/issues/sub-issues#add-sub-issue',
    ask: async (proof) => {
      const { children } = await proof.scenery.parent();
      const listed = await readSubIssues(proof);
      const isThere = children.every(({ number }) => listed.includes(number));
      requireThat(isThere, `the parent has ${listed.length} sub-issues`);
    },
  },
  {
    id: 'sub-issue-added-last',
    says: 'An issue that is added becomes the last sub-issue of its parent.',
    source: 'unproven',
    ask: async (proof) => {
      const added = (await proof.scenery.parent()).children.map(({ number }) => number);
      const listed = await readSubIssues(proof);
      requireThat(String(listed) === String(added), `the order is ${listed.join(', ')}`);
    },
  },
  {
    id: 'parent-of-an-issue',
    says: 'A sub-issue names its parent.',
    source: 'google/go-github#3840',
    ask: async ({ app, scenery }) => {
      const { number, children } = await scenery.parent();
      const path = `issues/${children[0].number}`;
      const { body } = requireAccepted(await app('api').rest('GET', path));
      const parent = String(valueIn(body, 'parent_issue_url'));
      requireThat(parent.endsWith(`/issues/${number}`), `its parent_issue_url is ${parent}`);
    },
  },
  {
    id: 'parent-in-timeline',
    says: 'By GraphQL, the App reads who made an issue a sub-issue, and when.',
    source: 'https://docs.github.com/en/graphql/reference/objects#parentissueaddedevent',
    ask: async ({ app, scenery, repository: { owner, name }, appLogin }) => {
      const [{ number: issue }] = (await scenery.parent()).children;
      const asked = await app('api').graphql(SUB_ISSUE_CHANGES, { owner, name, issue });
      const path = ['data', 'repository', 'issue', 'timelineItems', 'nodes'];
      const nodes = valueIn(requireAccepted(asked).body, ...path);
      const events: readonly unknown[] = Array.isArray(nodes) ? nodes : [];
      const added = events.find((one) => valueIn(one, '__typename') === 'ParentIssueAddedEvent');
      const by = String(valueIn(added, 'actor', 'login'));
      requireThat(`${by}[bot]` === appLogin, `it was ${by}`);
    },
  },
  {
    id: 'one-parent',
    says: 'An issue that has a parent is not added to another one.',
    source: 'cli/cli#13413',
    ask: async ({ app, scenery }) => {
      const [one, other] = (await scenery.parent()).children;
      const options = { body: { sub_issue_id: one.id } };
      const path = `issues/${other.number}/sub_issues`;
      requireDenied(await app('api').rest('POST', path, options), 422);
    },
  },
];

export const DELIVERY_BELIEFS: readonly Belief[] = [
  {
    id: 'delivery-listed',
    says: 'GitHub lists what it delivered to the App, or tried to.',
    source: 'https://docs.github.com/en/rest/apps/webhooks#list-deliveries-for-an-app-webhook',
    ask: async (proof) => void (await openedDelivery(proof)),
  },
  {
    id: 'delivery-payload',
    says: 'A delivery can be read in full, whether it arrived or not.',
    source: 'https://docs.github.com/en/rest/apps/webhooks#get-a-delivery-for-an-app-webhook',
    ask: async (proof) => {
      const { attempt } = await found(proof);
      const payload = await proof.deliveries.payload(attempt);
      const number = valueIn(payload, 'issue', 'number');
      requireThat(number === proof.issue, 'the delivery has no such payload');
    },
  },
  {
    id: 'redelivery-keeps-guid',
    says: 'A delivery that is sent again keeps its GUID.',
    source:
      'https://docs.github.com/en/webhooks/testing-and-troubleshooting-webhooks/redelivering-webhooks',
    ask: async (proof) => {
      const { attempt, id } = await found(proof);
      await proof.deliveries.deliverAgain(attempt);
      await proof.until(
        'second attempt with the same GUID',
        async () => {
          for await (const page of proof.deliveries.pages())
            return page.find((one) => one.id === id && one.attempt !== attempt);
          return undefined;
        },
        30,
      );
    },
  },
];

interface WantedDelivery {
  /** With its action. */
  readonly name: string;
  /** What it tells of, and what it needs. */
  readonly what: string;
  readonly isIt: (payload: unknown) => boolean;
}

/** GitHub waits ten seconds for an answer, and lists a delivery then. */
export const deliveryOf = (
  { deliveries, since, until }: Proof,
  { name, what, isIt }: WantedDelivery,
) =>
  until(
    `delivery of ${what} and an active webhook of the App`,
    async () => {
      for await (const page of deliveries.pages())
        for (const one of page) {
          const isNew = Date.parse(one.at) >= since.getTime() - 1000;
          if (!isNew || one.name !== name) continue;
          if (isIt(await deliveries.payload(one.attempt))) return one;
        }
      return undefined;
    },
    60,
  );

export const openedDelivery = (proof: Proof) =>
  deliveryOf(proof, {
    name: 'issues.opened',
    what: 'the opened issue, which needs the event `issues`',
    isIt: (payload) => valueIn(payload, 'issue', 'number') === proof.issue,
  });

async function found(proof: Proof) {
  try {
    return await openedDelivery({ ...proof, until: once(proof) });
  } catch (error) {
    if (!(error instanceof BeliefRefuted)) throw error;
    throw new NotAsked('it needs delivery-listed', { cause: error });
  }
}

/** It was waited for already. */
const once =
  ({ until }: Proof): Proof['until'] =>
  (what, look) =>
    until(what, look, 1);
