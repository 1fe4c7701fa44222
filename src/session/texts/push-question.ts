// The question before anything is pushed to the branch of someone else's pull request.
import type { AdoptedPullRequest, PushConcern } from '../../contracts/pull-request.ts';
import { code, oneLine } from './markdown.ts';

export const pushQuestion = (
  { branch }: Pick<AdoptedPullRequest, 'branch'>,
  concern: PushConcern,
): string =>
  `${why(branch, concern)} May I push to it? Reply **yes** to let me. After any other reply I only review and push nothing.`;

function why(branch: string, concern: PushConcern): string {
  const name = code(branch);
  switch (concern.kind) {
    case 'default_branch':
      return `${name} is the default branch of this repository.`;
    case 'protected':
      return `${name} is protected.`;
    case 'bot':
      return `${name} belongs to a bot, ${oneLine(concern.login)}, which may overwrite what I push.`;
    default:
      return concern satisfies never;
  }
}
