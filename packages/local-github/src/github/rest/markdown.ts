// Renders any text (rule `markdown-of-github`).
import { z } from 'zod';
import { GitHubError } from '../github-error.ts';
import { renderMarkdown } from '../markdown/index.ts';
import { surroundings } from '../payloads/body.ts';
import type { Repository } from '../state.ts';
import { admit } from './access.ts';
import type { RestRequest, Route } from './route.ts';
import { parseBody } from './route.ts';

const MAX_BYTES = 400 * 1024;

const Wanted = z.object({
  text: z.string(),
  mode: z.enum(['markdown', 'gfm']).default('markdown'),
  context: z.string().optional(),
});

function render(request: RestRequest) {
  const { world } = request.services;
  const { text, mode, context = '' } = parseBody(Wanted, request.body);
  if (Buffer.byteLength(text) > MAX_BYTES)
    throw new GitHubError(
      'markdown-size',
      403,
      'This API can only be used to render up to 400 KB of text.',
    );
  const repository = world.repositories.get(context.toLowerCase());
  checkCaller(request, repository);
  const html = renderMarkdown(text, mode, surroundings(world, repository));
  return { status: 200, body: html, headers: { 'content-type': 'text/html; charset=utf-8' } };
}

/**
 * Everybody may render text. An installation that names its repository needs `contents: read` there, as in
 * a private one.
 */
function checkCaller({ services, actor }: RestRequest, repository: Repository | undefined): void {
  if (actor.kind === 'app') throw new GitHubError('jwt-is-no-token', 401, 'Bad credentials');
  if (actor.kind === 'anonymous') return;
  if (repository === undefined) services.world.usedPermissions.add('contents:read');
  else admit(services.world, actor, repository, 'contents:read', 'read');
}

export const markdownRoute: Route = { method: 'POST', path: '/markdown', handle: render };
