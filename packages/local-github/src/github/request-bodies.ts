// How bodies of requests are read.
import type { FastifyInstance } from 'fastify';
import { GitHubError } from './github-error.ts';

/**
 * Parses every body as JSON, whatever its content type (rule `json-without-a-type`), except the pages' forms, and git's
 * bodies, which stay streams.
 */
export function parseBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(/^application\/x-git-/, (_request, payload, done) =>
    done(null, payload),
  );
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => {
      // The name of a form's field never begins so: a browser encodes it.
      if (/^\s*[{[]/.test(String(text))) return parseJson(String(text), done);
      return done(null, Object.fromEntries(new URLSearchParams(String(text))));
    },
  );
  server.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) =>
    text === '' ? done(null, undefined) : parseJson(String(text), done),
  );
}

function parseJson(text: string, done: (error: Error | null, body?: unknown) => void): void {
  try {
    done(null, JSON.parse(text));
  } catch {
    done(new GitHubError('body-is-json', 400, 'Problems parsing JSON'));
  }
}
