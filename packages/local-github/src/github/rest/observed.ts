import { GitHubError } from '../github-error.ts';
import type { Observer } from '../observer.ts';
import type { RestAnswer, RestRequest, Route } from './route.ts';

/** Answers the request, and tells the observer how. */
export async function observed(
  route: Route,
  request: RestRequest,
  observer: Observer | undefined,
): Promise<RestAnswer> {
  const { method, params, query, body } = request;
  const tell = (status: number, answer: unknown): void =>
    observer?.answered({ method, route: route.path, params, query, body, status, answer });
  try {
    const answer = await route.handle(request);
    tell(answer.status, answer.body);
    return answer;
  } catch (error) {
    if (error instanceof GitHubError) tell(error.status, error.body());
    throw error;
  }
}
