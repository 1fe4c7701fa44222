// The question before anything is pushed to the branch of someone else's pull request.
import type { AdoptedPullRequest, PushConcern } from '../../contracts/pull-request.ts';
import { code, oneLine } from './markdown.ts';

export const pushQuestion = (
  { branch }: Pick<AdoptedPullRequest, 'branch'>,
  concern: PushConcern,
): string =>
  `${why(branch, concern)} May I push commits to it? Reply with **yes** if I may. With any other reply, I look at the pull request and answer, and push nothing.`;

function why(branch: string, concern: PushConcern): string {
  const name = code(branch);
  switch (concern.kind) {
    case 'default_branch':
      return `The branch of this pull request, ${name}, is the default branch of this repository.`;
    case 'protected':
      return `The branch of this pull request, ${name}, is protected.`;
    case 'bot':
      return `The branch of this pull request, ${name}, is the work of a bot, ${oneLine(concern.login)}, which may overwrite what I push.`;
    default:
      return concern satisfies never;
  }
}
