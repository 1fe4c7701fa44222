// What happens to the checks of commits, if the branch is one of ours: a reason to look at them, or what someone asks
// for with our own check run. GitHub tells only us of that.
import type { CheckAction } from '../contracts/intent.ts';
import { buttonOf, issueOf } from '../session/github-names.ts';
import { CheckRun, CheckSuite, RequestedAction, Sender, StatusPayload } from './payload.ts';
import { eventReader, factReader, type EventReader, type Meaning } from './reader.ts';

const NO_BUTTON = 'the check run has no such button, or is not on a branch of Issuewright.';
const NOT_OURS = 'the commit is not the head of a branch of Issuewright.';

export const CHECK_EVENTS: readonly EventReader[] = [
  factReader({
    name: 'check_suite.completed',
    shape: { check_suite: CheckSuite },
    nothing: NOT_OURS,
    read: ({ check_suite: { id, head_branch: branch, head_sha: sha, updated_at: at } }) =>
      hint(branch, sha, `suite:${id}:${at}`),
  }),

  factReader({
    name: 'status',
    shape: StatusPayload,
    nothing: 'the status is not final, or the commit is not the head of a branch of Issuewright.',
    read: ({ id, sha, state, branches }) =>
      state === 'pending'
        ? undefined
        : branches.flatMap(({ name }) => hint(name, sha, `status:${id}`) ?? []).slice(0, 1),
  }),

  eventReader({
    name: 'check_run.requested_action',
    shape: { check_run: CheckRun, requested_action: RequestedAction, sender: Sender },
    nothing: NO_BUTTON,
    read: ({ check_run: run, requested_action: { identifier }, sender }) => {
      const button = buttonOf(identifier);
      const use = `${run.id}:${identifier}:${sender.id}`;
      return button && action(button, { ...run.check_suite, head_sha: run.head_sha }, use);
    },
  }),

  // When someone asks for a check again, GitHub queues its suite.
  eventReader({
    name: 'check_run.rerequested',
    shape: { check_run: CheckRun, sender: Sender },
    nothing: NOT_OURS,
    read: ({ check_run: { id, head_sha, check_suite: suite }, sender }) =>
      action('rerun', { ...suite, head_sha }, `${id}:${suite.updated_at ?? ''}:${sender.id}`),
  }),

  eventReader({
    name: 'check_suite.rerequested',
    shape: { check_suite: CheckSuite, sender: Sender },
    nothing: NOT_OURS,
    read: ({ check_suite: suite, sender }) =>
      action('rerun', suite, `suite:${suite.id}:${suite.updated_at}:${sender.id}`),
  }),
];

/** Admission looks whether the commit is the head. `use`: one use by one person. */
function action(
  what: CheckAction,
  suite: { readonly head_branch?: string | null | undefined; readonly head_sha: string },
  use: string,
): Meaning | undefined {
  const issue = issueOf(suite.head_branch ?? '');
  return issue === undefined
    ? undefined
    : {
        thread: { on: 'issue', number: issue },
        meaning: `check_action:${use}`,
        intent: { kind: 'check_action', action: what, sha: suite.head_sha },
      };
}

/** The name of a branch proves nothing: the pull request's head is looked up. */
function hint(branch: string | null, sha: string, what: string): Meaning | undefined {
  const issue = issueOf(branch ?? '');
  return issue === undefined
    ? undefined
    : {
        thread: { on: 'issue', number: issue },
        meaning: `checks:${sha}:${what}`,
        intent: { kind: 'checks_changed', sha },
      };
}
