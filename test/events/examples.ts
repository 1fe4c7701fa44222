import { createRequire } from 'node:module';
import { EVENTS } from '../../src/events/index.ts';

interface Example {
  readonly name: string;
  readonly examples: readonly Record<string, unknown>[];
}

const ALL = createRequire(import.meta.url)('@octokit/webhooks-examples') as unknown;
const groups = (ALL as { default?: Example[] }).default ?? (ALL as Example[]);

/** Events that GitHub's examples lack, and one whose payload has the same shape. */
const STAND_INS: Readonly<Record<string, string>> = {
  'issues.closed': 'issues.unlabeled',
  'issues.reopened': 'issues.unlabeled',
  'issues.typed': 'issues.unlabeled',
  'issues.untyped': 'issues.unlabeled',
  'pull_request.dequeued': 'pull_request.closed',
  'pull_request_review.edited': 'pull_request_review.submitted',
  'pull_request_review_comment.edited': 'pull_request_review_comment.created',
};

/** GitHub's own example of an event, made to come from an installation and a person. */
export function example(
  name: string,
  changes: Record<string, unknown> = {},
): Record<string, unknown> {
  const [event, action] = (STAND_INS[name] ?? name).split('.');
  const group = groups.find((one) => one.name === event);
  const found = group?.examples.find((payload) => payload['action'] === action);
  if (found === undefined) throw new Error(`there is no example of ${name}`);
  return structuredClone({
    ...onOurBranch(found),
    ...(name.endsWith('.edited') ? byItsAuthor(found) : {}),
    ...(name.endsWith('.dequeued') ? { reason: 'CI_FAILURE' } : {}),
    ...(name.endsWith('typed') ? { type: { id: 411, name: 'Bug' } } : {}),
    installation: { id: 7 },
    sender: { login: 'maintainer', id: 5, type: 'User' },
    ...changes,
  });
}

/** An edit means something only if its author made it. */
const byItsAuthor = (payload: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    ['comment', 'review'].flatMap((part) =>
      part in payload ? [[part, { ...(payload[part] as object), user: { id: 5 } }]] : [],
    ),
  );

/** Those of checks mean something only on our own branches. */
function onOurBranch(payload: Record<string, unknown>): Record<string, unknown> {
  const head_branch = 'issuewright/issue-7';
  const { check_suite: suite, check_run: run, branches } = payload;
  const ofRun = (run as { check_suite?: object } | undefined)?.check_suite;
  return {
    ...payload,
    ...(run === undefined
      ? {}
      : { check_run: { ...(run as object), check_suite: { ...ofRun, head_branch } } }),
    ...(payload['requested_action'] === undefined
      ? {}
      : { requested_action: { identifier: 'fix-0' } }),
    ...(suite === undefined ? {} : { check_suite: { ...(suite as object), head_branch } }),
    ...(branches === undefined ? {} : { branches: [{ name: head_branch }] }),
  };
}

export const read = (name: string, payload: unknown) => readAll(name, payload)[0];

export function readAll(name: string, payload: unknown) {
  const reader = EVENTS.find((one) => one.name === name);
  if (reader === undefined) throw new Error(`no reader for ${name}`);
  return reader.read(payload);
}
