// An issue and its pull request on GitHub: what people do there, as webhooks tell of it and as GitHub's lists show it later.
import { pino } from 'pino';
import type { ProbotOctokit } from 'probot';
import { reconcile, type ReconcileParts } from '../../src/app/receive/reconcile.ts';
import { activityReader } from '../../src/github/activity/recent-activity.ts';
import type { GitHub } from '../../src/github/index.ts';

export const ISSUE = 7;
export const PULL = 12;
const REPOSITORY = { id: 21, owner: 'example', name: 'greeter' };
const INSTALLATION = 11;
const PERSON = { login: 'octo-maintainer', id: 5, type: 'User' };
const WHERE = {
  installation: { id: INSTALLATION },
  repository: { id: 21, name: 'greeter', owner: { login: 'example' } },
  sender: PERSON,
};

/** What GitHub would deliver. */
export interface Delivery {
  /** With its action. */
  readonly name: string;
  readonly payload: object;
}

interface Comment {
  readonly id: number;
  readonly body: string;
  readonly created_at: string;
  readonly updated_at: string;
}

interface Event {
  readonly id: number;
  readonly event: string;
  readonly thread: number;
  readonly created_at: string;
}

/** What GitHub says when it is asked. Never changed in place. */
export interface GitHubState {
  readonly isLabelled: boolean;
  readonly isIssueOpen: boolean;
  readonly pull: 'none' | 'open' | 'closed' | 'merged';
  readonly closedAt: string | undefined;
  readonly comments: readonly Comment[];
  readonly reviews: readonly { readonly id: number; readonly body: string; readonly at: string }[];
  readonly events: readonly Event[];
  readonly updatedAt: string;
}

export const NEW_STATE: GitHubState = {
  isLabelled: true,
  isIssueOpen: true,
  pull: 'none',
  closedAt: undefined,
  comments: [],
  reviews: [],
  events: [],
  updatedAt: '2030-01-15T14:00:00Z',
};

export const issueIn = ({ isIssueOpen, updatedAt }: GitHubState) => ({
  number: ISSUE,
  node_id: 'I_7',
  title: 'Greet',
  body: 'Again.',
  state: isIssueOpen ? 'open' : 'closed',
  created_at: '2030-01-15T14:00:00Z',
  updated_at: updatedAt,
  labels: [],
  user: { id: 9 },
});

export const pullIn = ({ pull, closedAt, updatedAt }: GitHubState) => ({
  number: PULL,
  node_id: 'PR_12',
  title: 'Greet',
  body: '',
  state: pull === 'open' ? 'open' : 'closed',
  merged: pull === 'merged',
  closed_at: pull === 'open' ? null : closedAt,
  updated_at: updatedAt,
  head: { ref: 'issuewright/issue-7', repo: { id: 21 } },
  base: { repo: { id: 21 } },
});

export const delivery = (name: string, payload: object): Delivery => ({
  name,
  payload: { action: name.split('.')[1], ...WHERE, ...payload },
});

export const commentIn = (one: Comment) => ({ ...one, node_id: `IC_${one.id}`, user: PERSON });

export const reviewIn = ({ id, body, at }: GitHubState['reviews'][number], state: string) => ({
  id,
  node_id: `R_${id}`,
  body,
  state,
  submitted_at: at,
  user: PERSON,
});

/** GitHub's lists, by the code that reads them. */
const activityOf = (state: GitHubState): GitHub['recentActivity'] =>
  activityReader(() => ({ rest: listsOf(state) }) as unknown as ProbotOctokit);

function listsOf(state: GitHubState) {
  const answer = (data: unknown) => Promise.resolve({ data, headers: {} });
  const pull = { ...issueIn(state), ...pullIn(state), node_id: 'I_12', pull_request: {} };
  const threads = [issueIn(state), ...(state.pull === 'none' ? [] : [pull])];
  const issues = {
    listForRepo: () => answer(threads),
    listCommentsForRepo: () =>
      answer(state.comments.map((one) => ({ ...commentIn(one), issue_url: `…/${ISSUE}` }))),
    listEventsForRepo: () =>
      answer(
        state.events.toReversed().map(({ thread, ...one }) => ({
          ...one,
          actor: PERSON,
          issue: { number: thread },
          label: { name: 'issuewright' },
        })),
      ),
  };
  const pulls = {
    get: () => answer(pullIn(state)),
    listReviews: () => answer(state.reviews.map((one) => reviewIn(one, 'CHANGES_REQUESTED'))),
  };
  return { issues, pulls };
}

/** After the session began, and before people did anything. */
const LOOKED_AT = new Date('2030-01-15T14:45:00Z');

/** The service compares GitHub with these meanings, which it knows, and takes what is missing. */
export async function compareWith(
  state: GitHubState,
  known: ReadonlySet<string>,
  take: (missing: Delivery) => void,
): Promise<void> {
  const repository = {
    readFile: () => Promise.resolve(undefined),
    ownersFile: () => Promise.resolve(undefined),
    triggerOf: () => Promise.resolve(undefined),
  };
  const installation = { id: INSTALLATION, owner: 'example', createdAt: LOOKED_AT };
  const github = {
    identity: () => Promise.resolve({ slug: 'issuewright' }),
    installations: {
      list: () => Promise.resolve([installation]),
      repositories: () => Promise.resolve([REPOSITORY]),
    },
    recentActivity: activityOf(state),
    repository: () => repository,
    take: ({ event, payload }: { event: string; payload: { action: string } }) => {
      take({ name: `${event}.${payload.action}`, payload });
      return Promise.resolve({ status: 200 });
    },
  };
  const missed = {
    watermark: () => Promise.resolve({ until: LOOKED_AT, etag: undefined }),
    markSeen: () => Promise.resolve(),
    begunAt: () => Promise.resolve(new Map([ISSUE, PULL].map((number) => [number, LOOKED_AT]))),
    knownMeanings: (all: readonly string[]) =>
      Promise.resolve(new Set(all.filter((one) => known.has(one)))),
  };
  const parts = {
    github,
    store: { missed, retention: { reachable: () => Promise.resolve() } },
    serves: () => true,
    assignee: undefined,
    log: pino({ level: 'silent' }),
  };
  await reconcile(parts as unknown as ReconcileParts, new AbortController().signal);
}
