// What happens to the checks of commits. Each is only a reason to look at them, if the branch is one of ours.
import type { Meaning } from './reader.ts';
import { issueOf } from '../session/github-names.ts';
import { CheckSuite, StatusPayload } from './payload.ts';
import { factReader, type EventReader } from './reader.ts';

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
];

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
