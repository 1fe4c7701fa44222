import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Octokit } from '../../src/github/requests/octokit.ts';
import { EXPECTED } from '../../src/github/requests/whole-responses.ts';

/** Of these the status says all. */
const WITHOUT_BODY = new Set([
  '/repos/{owner}/{repo}/assignees/{assignee}',
  '/repos/{owner}/{repo}/actions/jobs/{job_id}/logs',
]);

function readRoutes(): ReadonlySet<string> {
  const code = globSync('{src,packages/sandbox/src}/**/*.ts').map((file) =>
    readFileSync(file, 'utf8'),
  );
  const calls = code.flatMap((text) => [...text.matchAll(/\brest\.(\w+)\.(\w+)\b/g)]);
  const methods = new Map(
    Object.entries(new Octokit().rest).map(([area, all]) => [area, new Map(Object.entries(all))]),
  );
  const routes = calls.flatMap(([, area = '', method = '']) => {
    const { method: verb, url } = methods.get(area)?.get(method)?.endpoint.DEFAULTS ?? {};
    return verb === 'GET' && url !== undefined ? [url] : [];
  });
  return new Set(routes.filter((route) => !WITHOUT_BODY.has(route)));
}

describe('what is expected of an answer', () => {
  it('is known for each read that the code makes, and for no other', () => {
    expect(new Set(EXPECTED.keys())).toEqual(readRoutes());
  });
});
