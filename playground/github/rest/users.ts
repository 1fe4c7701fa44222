import { GitHubError } from '../github-error.ts';
import { userPayload } from '../payloads/user.ts';
import type { Route } from './route.ts';
import { ok } from './route.ts';

export const userRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/users/:login',
    handle: ({ services: { world }, params }) => {
      const login = params['login'] ?? '';
      const user = login === world.app.bot.login ? world.app.bot : world.user(login);
      if (user === undefined) throw new GitHubError(404, 'Not Found');
      return ok(userPayload(world, user));
    },
  },
];
