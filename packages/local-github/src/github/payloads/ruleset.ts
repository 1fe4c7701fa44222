import type { Bypass } from '../rules/changes.ts';
import type { Ruleset } from '../rules/ruleset.ts';
import type { Repository } from '../state.ts';
import { nodeId } from '../state.ts';
import type { World } from '../world.ts';
import { apiUrl, webUrl } from './repository.ts';

/** A ruleset in a list. */
export const rulesetSummary = (world: World, repository: Repository, ruleset: Ruleset) => ({
  id: ruleset.id,
  node_id: nodeId('RRS', ruleset.id),
  name: ruleset.name,
  target: ruleset.target,
  source_type: 'Repository',
  source: repository.fullName,
  enforcement: ruleset.enforcement,
  created_at: ruleset.createdAt,
  updated_at: ruleset.updatedAt,
  _links: {
    self: { href: `${apiUrl(world, repository)}/rulesets/${ruleset.id}` },
    html: { href: `${webUrl(world, repository)}/rules` },
  },
});

export const rulesetPayload = (
  world: World,
  repository: Repository,
  ruleset: Ruleset,
  bypass: Bypass,
) => ({
  ...rulesetSummary(world, repository, ruleset),
  conditions: ruleset.conditions ?? null,
  bypass_actors: ruleset.bypass_actors,
  current_user_can_bypass: bypass,
  rules: ruleset.rules,
});

/** The rules of a ruleset, as they apply to a branch. */
export const rulePayloads = (repository: Repository, { id, rules }: Ruleset) =>
  rules.map((rule) => ({
    ...rule,
    ruleset_source_type: 'Repository',
    ruleset_source: repository.fullName,
    ruleset_id: id,
  }));
