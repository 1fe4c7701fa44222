// Versions of the REST API. A request without the header gets the default.
import type { FastifyRequest } from 'fastify';
import { GitHubError } from './github-error.ts';

/** The newest first. */
const API_VERSIONS: readonly string[] = ['2026-03-10', '2022-11-28'];

export function versionOf({ headers }: FastifyRequest): string | undefined {
  const asked = headers['x-github-api-version'];
  return asked === undefined ? undefined : String(asked);
}

/**
 * Throws GitHub's 400 for a version that this server does not know. One without any: rule `api-version-before-versions`.
 * By rule `api-version-of-graphql`, that has none.
 */
export function checkApiVersion(
  request: FastifyRequest,
  { path }: { readonly path: string },
  versions = API_VERSIONS,
): void {
  const asked = versionOf(request);
  if (asked === undefined || versions.includes(asked) || path === '/graphql') return;
  const known = versions.map((one, at) => `"${one}"${at === 0 ? ' (most recent)' : ''}`);
  throw new UnknownVersion(
    `The version you specified in the "X-GitHub-API-Version" request header, "${asked}", is not a supported version. ` +
      `The following versions are currently supported: ${known.join(' and ')}.`,
  );
}

/** Its errors are a text, and no list as elsewhere. */
class UnknownVersion extends GitHubError {
  readonly #words: string;

  constructor(words: string) {
    super('api-version-unknown', 400, 'Bad Request');
    this.name = 'UnknownVersion';
    this.#words = words;
  }

  override body(): Record<string, unknown> {
    return { ...super.body(), errors: this.#words };
  }
}
