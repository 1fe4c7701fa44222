import { z } from 'zod';
import { addRuleset, changeRuleset, findRuleset, removeRuleset } from '../actions/rulesets.ts';
import { rulePayloads, rulesetPayload, rulesetSummary } from '../payloads/ruleset.ts';
import { bypassOf, rulesetsFor } from '../rules/changes.ts';
import { RulesetBody, type Ruleset } from '../rules/ruleset.ts';
import type { RepositoryRequest, RepositoryRoute } from './route.ts';
import { created, noContent, numberParam, ok, page, parseBody } from './route.ts';

const rulesetOf = (request: RepositoryRequest): Ruleset =>
  findRuleset(request.repository, numberParam(request, 'id'));

function present({ services: { world }, repository, user }: RepositoryRequest, ruleset: Ruleset) {
  return rulesetPayload(world, repository, ruleset, bypassOf(world, repository, ruleset, user));
}

function list(request: RepositoryRequest) {
  const { services, repository } = request;
  return page(request, repository.rulesets, (one) =>
    rulesetSummary(services.world, repository, one),
  );
}

function create(request: RepositoryRequest) {
  const wanted = parseBody(RulesetBody, request.body);
  return created(present(request, addRuleset(request.services, request.repository, wanted)));
}

function change(request: RepositoryRequest) {
  const ruleset = rulesetOf(request);
  const changes = parseBody(z.looseObject({}), request.body);
  changeRuleset(request.services, ruleset, parseBody(RulesetBody, { ...ruleset, ...changes }));
  return ok(present(request, ruleset));
}

function remove(request: RepositoryRequest) {
  removeRuleset(request.services, request.repository, rulesetOf(request));
  return noContent;
}

function rulesOfBranch(request: RepositoryRequest) {
  const { services, repository, params } = request;
  const found = rulesetsFor(services.world, repository, `refs/heads/${params['*'] ?? ''}`);
  return page(
    request,
    found.flatMap((one) => rulePayloads(repository, one)),
    (one) => one,
  );
}

const permission = 'metadata:read';
const write = { permission: 'administration:write', role: 'admin' } as const;

export const rulesetRoutes: readonly RepositoryRoute[] = [
  { method: 'GET', path: '/rules/branches/*', permission, handle: rulesOfBranch },
  { method: 'GET', path: '/rulesets', permission, handle: list },
  { method: 'POST', path: '/rulesets', ...write, handle: create },
  {
    method: 'GET',
    path: '/rulesets/:id',
    permission,
    handle: (request) => ok(present(request, rulesetOf(request))),
  },
  { method: 'PUT', path: '/rulesets/:id', ...write, handle: change },
  { method: 'DELETE', path: '/rulesets/:id', ...write, handle: remove },
];
