// GraphQL, which reports errors with status 200 and a list.
import type { ProbotOctokit } from 'probot';
import { rateLimitWait, TryLater } from '../../lib/errors.ts';
import type { Redactor } from '../../lib/text/redact.ts';
import { GRAPHQL_FIELDS } from '../access/permissions.ts';
import { GitHubDenied } from '../errors.ts';
import { z } from 'zod';

interface GraphqlError {
  readonly errors: readonly { readonly type?: unknown; readonly message?: unknown }[];
  readonly headers?: Readonly<Record<string, unknown>>;
}

export const isGraphqlError = (error: unknown): error is GraphqlError =>
  error instanceof Error && 'errors' in error && Array.isArray(error.errors);

/** For `catch`: nothing is known if GitHub answers with errors. Throws all others. */
export function unlessGraphqlError(error: unknown): undefined {
  if (!isGraphqlError(error)) throw error;
}

export interface Mutation {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** What did not happen if GitHub denies it: "GitHub did not …". */
  readonly denied: string;
}

/** @throws {GitHubDenied} with GitHub's reason and, since GitHub does not say it, the permissions that this needs */
export async function mutate(
  { octokit, redactor }: { readonly octokit: ProbotOctokit; readonly redactor: Redactor },
  { document, variables, denied }: Mutation,
): Promise<unknown> {
  try {
    return await octokit.graphql(document, variables);
  } catch (error) {
    if (!isGraphqlError(error)) throw error;
    const said = error.errors.map(({ message }) => String(message)).join('; ');
    if (error.errors.some(({ type }) => type === 'RATE_LIMITED'))
      throw new TryLater("GitHub's rate limit was reached (GraphQL)", {
        retryAfterMs: rateLimitWait(429, error.headers ?? {}, said),
      });
    const words = `${denied}: ${said}`;
    const needs = NOT_ACCESSIBLE.test(said) ? neededWords(document) : '';
    throw new GitHubDenied(redactor.redact(words + needs), 200, [redactor.redact(said)]);
  }
}

const NOT_ACCESSIBLE = /not accessible by/i;

function neededWords(document: string): string {
  const [, field] = /^\s*mutation[^{]*\{\s*(\w+)/.exec(document) ?? [];
  const row = GRAPHQL_FIELDS.find(({ request }) => request === `mutation ${field}`);
  const needs = Object.entries(row?.needs ?? {}).map(([name, level]) => `\`${name}: ${level}\``);
  return needs.length === 0 ? '' : `. As far as is known, it needs ${needs.join(' and ')}`;
}

// Whoever did something, as GraphQL names them.

/** What to ask of an `Actor`, for `GraphqlActor`. */
export const ACTOR_FIELDS = '__typename login';

/**
 * The login as REST has it. GraphQL leaves out the `[bot]` (fullsend-ai/fullsend#6205, DataDog/rshell#227), and what is left
 * may be the login of a person.
 */
export const GraphqlActor = z
  .object({ __typename: z.string(), login: z.string() })
  .transform(({ __typename, login }) => (__typename === 'Bot' ? `${login}[bot]` : login));
