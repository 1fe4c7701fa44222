import type { RequestedReview } from '../contracts/forge.ts';
import { Refused } from './errors.ts';
import type { Gate } from './gate.ts';

/**
 * Requests reviews of a pull request. People already asked are not asked again; one who cannot be
 * asked stands in nobody's way. Safe to repeat.
 */
export async function requestReview(
  gate: Gate,
  number: number,
  logins: readonly string[],
): Promise<RequestedReview> {
  const { owner, name: repo } = gate.repository;
  const at = { owner, repo, pull_number: number };
  const { data } = await gate.octokit.rest.pulls.get(at);
  const before = new Set((data.requested_reviewers ?? []).map(({ login }) => login.toLowerCase()));
  const asked: string[] = [];
  const refused: string[] = [];
  for (const login of logins) {
    const known = before.has(login.toLowerCase());
    const done = known || (await ask(gate, { ...at, reviewers: [login] }));
    (done ? asked : refused).push(login);
  }
  return { asked, refused };
}

type Request = Parameters<Gate['octokit']['rest']['pulls']['requestReviewers']>[0];

async function ask(gate: Gate, request: NonNullable<Request>): Promise<boolean> {
  try {
    // GitHub keeps one request for each person.
    await gate.octokit.rest.pulls.requestReviewers({ ...request, request: { repeatable: true } });
    return true;
  } catch (error) {
    if (error instanceof Refused && (error.status === 422 || error.status === 403)) return false;
    throw error;
  }
}
