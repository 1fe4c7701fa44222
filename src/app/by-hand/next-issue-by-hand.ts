// Continuous work by hand on GitHub: after an issue, the next open one with the label.
import type { IssueAtRequest } from '../../events/pull-request-events.ts';
import type { RepositoryByToken } from '../../github/by-token.ts';
import { handBranch, issueBranch } from '../../session/github-names.ts';
import { rulesFor } from '../admission/settings.ts';
import { isWantedBy } from '../admission/starts.ts';
import type { KnownRoles } from '../admission/who-may.ts';

const MOST_PAGES = 5;
/** Issues whose history is looked at, which takes GitHub some requests for each. */
const MOST_CANDIDATES = 20;

/** The oldest that nobody has begun, by hand or by an App, and that a person who may request work labelled. */
export async function nextIssue(
  github: RepositoryByToken,
  begun: ReadonlySet<number>,
): Promise<IssueAtRequest | undefined> {
  const rules = await rulesFor(github, github.ref);
  const known: KnownRoles = new Map();
  let looked = 0;
  for (let page = 1; page <= MOST_PAGES; page += 1) {
    const { issues, hasMore } = await github.waitingIssues(rules.label, page);
    for (const { number, title, body } of issues) {
      if (begun.has(number) || (await hasWork(github, number))) continue;
      if ((looked += 1) > MOST_CANDIDATES) return undefined;
      const trigger = await github.triggerOf(number, rules);
      if (trigger === undefined || !(await isWantedBy(github, trigger, rules, known))) continue;
      // These words were read before it was asked who edited them.
      return { number, title, body, at: trigger.at };
    }
    if (!hasMore) return undefined;
  }
  return undefined;
}

async function hasWork(github: RepositoryByToken, issue: number): Promise<boolean> {
  for (const branch of [handBranch(issue, 1), issueBranch(issue)])
    if (await github.hasBranch(branch)) return true;
  return false;
}
