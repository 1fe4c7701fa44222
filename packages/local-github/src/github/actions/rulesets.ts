import { GitHubError } from '../github-error.ts';
import type { Hub } from '../hub.ts';
import { RulesetBody, type NewRuleset, type Ruleset } from '../rules/ruleset.ts';
import type { Repository } from '../state.ts';
import { timestamp } from '../state.ts';

export function findRuleset({ rulesets }: Repository, id: number): Ruleset {
  const ruleset = rulesets.find((one) => one.id === id);
  if (ruleset === undefined) throw new GitHubError('hidden-as-not-found', 404, 'Not Found');
  return ruleset;
}

export function addRuleset({ world }: Hub, repository: Repository, wanted: NewRuleset): Ruleset {
  const now = timestamp();
  const own = RulesetBody.parse(wanted);
  const ruleset = { ...own, id: world.nextId(), createdAt: now, updatedAt: now };
  repository.rulesets.push(ruleset);
  world.changed();
  return ruleset;
}

export function changeRuleset({ world }: Hub, ruleset: Ruleset, wanted: NewRuleset): void {
  Object.assign(ruleset, RulesetBody.parse(wanted), { updatedAt: timestamp() });
  world.changed();
}

export function removeRuleset({ world }: Hub, { rulesets }: Repository, ruleset: Ruleset): void {
  rulesets.splice(rulesets.indexOf(ruleset), 1);
  world.changed();
}
