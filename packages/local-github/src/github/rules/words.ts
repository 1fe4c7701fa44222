// The words for violated rules (rule `ruleset-words`): to git, and in answers of the REST API.
import { GitHubError } from '../github-error.ts';
import type { Repository } from '../state.ts';
import type { World } from '../world.ts';
import type { Violation } from './changes.ts';

/** The reason for the ref, beside the lines that git shows as `remote:`. */
export const DECLINED = 'push declined due to repository rule violations';

export function pushWords(
  world: World,
  repository: Repository,
  ref: string,
  violations: readonly Violation[],
): string[] {
  const page = `${world.url}/${repository.fullName}/rules?ref=${encodeURIComponent(ref)}`;
  return [
    `error: GH013: Repository rule violations found for ${ref}.`,
    `Review all repository rules at ${page}`,
    '',
    ...violations.flatMap(({ message, found }) => [`- ${message}`, ...listed(found), '']),
  ];
}

const listed = (found: readonly string[]): string[] =>
  found.length === 0
    ? []
    : [
        `  Found ${found.length} violation${found.length === 1 ? '' : 's'}:`,
        '',
        ...found.map((one) => `  ${one}`),
      ];

export const ruleError = (status: number, violations: readonly Violation[]): GitHubError =>
  new GitHubError(
    'ruleset-words',
    status,
    `Repository rule violations found\n\n${violations.map(({ message }) => `${message}\n`).join('\n')}`,
  );
