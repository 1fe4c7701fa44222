// Has every local GitHub of a process checked. Jest's environment does so for each test file; other programs import
// `check-this-process.ts`.
import { SchemaCheck } from './check.ts';
import { CHECKS } from './checks-of-file.ts';
import { WRONG_REQUESTS } from './wrong-requests.ts';

/** What `observerOfProcess` of the playground looks for. */
const OBSERVE = Symbol.for('issuewright.observe-local-github');

/** The checks of the local GitHubs that were started in `realm`. */
export function observeLocalGitHubs(realm: object): readonly SchemaCheck[] {
  const checks: SchemaCheck[] = [];
  const observe = (): SchemaCheck => {
    const check = new SchemaCheck({
      mayBeRefused: () => Reflect.get(realm, WRONG_REQUESTS) === true,
    });
    checks.push(check);
    return check;
  };
  Object.assign(realm, { [OBSERVE]: observe, [CHECKS]: checks });
  return checks;
}

/** A local GitHub that is started in `realm` throws. */
export function forbidLocalGitHubs(realm: object): void {
  const refuse = (): never => {
    throw new Error('a test file that starts a local GitHub is named *.integration.ts');
  };
  Object.assign(realm, { [OBSERVE]: refuse });
}
