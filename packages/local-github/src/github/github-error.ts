import type { RuleId } from './behaviours/index.ts';

/** An error answer of GitHub. */
export class GitHubError extends Error {
  /** The behaviour of GitHub that the answer relies on. `own`: a page or form of the local GitHub alone. */
  readonly rule: RuleId | 'own';
  readonly status: number;
  readonly details: readonly unknown[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly #documentation: string;

  constructor(
    rule: RuleId | 'own',
    status: number,
    message: string,
    details?: readonly unknown[],
    headers: Readonly<Record<string, string>> = {},
    documentation = 'https://docs.github.com/rest',
  ) {
    super(message);
    this.name = 'GitHubError';
    this.rule = rule;
    this.status = status;
    this.details = details;
    this.headers = headers;
    this.#documentation = documentation;
  }

  /** Its status is in it: rule `error-status`. */
  body(): Record<string, unknown> {
    return {
      message: this.message,
      ...(this.details === undefined ? {} : { errors: this.details }),
      documentation_url: this.#documentation,
      status: String(this.status),
    };
  }
}

/** GitHub's 403 for a token without a permission. The header names the permission that is needed. */
export const notAccessible = (permission: string, by = 'integration'): GitHubError =>
  new GitHubError('permission-denied', 403, `Resource not accessible by ${by}`, undefined, {
    'x-accepted-github-permissions': permission.replace(':', '='),
  });

/** GitHub's 422 for an invalid field, in GitHub's own words. */
export function invalid(
  rule: RuleId,
  resource: string,
  message: string,
  field?: string,
): GitHubError {
  const error = { resource, code: 'custom', ...(field === undefined ? {} : { field }), message };
  return new GitHubError(rule, 422, 'Validation Failed', [error]);
}

/** GraphQL's answer for an id of nothing. */
export const unresolved = (id: string): GitHubError =>
  new GitHubError(
    'graphql-unknown-id',
    404,
    `Could not resolve to a node with the global id of '${id}'`,
  );
