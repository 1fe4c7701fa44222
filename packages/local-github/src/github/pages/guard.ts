// Protects the pages from other sites: from cross-site forms and DNS rebinding.
import type { FastifyRequest } from 'fastify';
import { GitHubError } from '../github-error.ts';

const LOOPBACK = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Throws a 403 if the request's host name is not this machine's (DNS rebinding). */
export function checkHost(request: FastifyRequest): void {
  if (!LOOPBACK.test(request.headers.host ?? ''))
    throw new GitHubError('own', 403, 'The local GitHub answers on this machine only.');
}

/** Throws a 403 for a form that another site sent. */
export function checkOrigin(request: FastifyRequest): void {
  checkHost(request);
  const { origin, host, 'sec-fetch-site': site } = request.headers;
  const isForeign = origin !== undefined && origin !== `http://${host}`;
  if (isForeign || (site !== undefined && site !== 'same-origin'))
    throw new GitHubError('own', 403, 'This form came from another site.');
}
