// Versions of the REST API. A request without the header gets the default (docs.github.com, "API Versions"). One that names
// another version is answered with 400, in words that users of scripts have reported (expipiplus1/update-nix-fetchgit#79).
import type { FastifyRequest } from 'fastify';
import { GitHubError } from './github-error.ts';

/** The newest first. */
export const API_VERSIONS: readonly string[] = ['2026-03-10', '2022-11-28'];

export function versionOf({ headers }: FastifyRequest): string | undefined {
  const asked = headers['x-github-api-version'];
  return asked === undefined ? undefined : String(asked);
}

/**
 * Throws GitHub's 400 for a version that this server does not know. A server without versions is an Enterprise Server
 * before 3.9. That those answer 400 is unproven; they may as well ignore the header.
 */
export function checkApiVersion(asked: string | undefined, versions: readonly string[]): void {
  if (asked === undefined || versions.includes(asked)) return;
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
    super(400, 'Bad Request');
    this.name = 'UnknownVersion';
    this.#words = words;
  }

  override body(): Record<string, unknown> {
    return { ...super.body(), errors: this.#words };
  }
}
