// The route of GraphQL. What it knows is in `graphql/schema.ts`.
import { graphql, type GraphQLError } from 'graphql';
import { z } from 'zod';
import { mutationNode } from '../graphql/mutations.ts';
import { queryNode } from '../graphql/nodes.ts';
import { SCHEMA } from '../graphql/schema.ts';
import { GitHubError } from '../github-error.ts';
import type { RestRequest, Route } from './route.ts';
import { ok, parseBody } from './route.ts';

const GraphqlBody = z.object({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
});

async function handle(request: RestRequest) {
  const { query, variables, operationName } = parseBody(GraphqlBody, request.body);
  if (request.actor.kind === 'anonymous')
    throw new GitHubError('sign-in-required', 401, 'Requires authentication');
  const { data, errors } = await graphql({
    schema: SCHEMA,
    source: query,
    rootValue: { ...queryNode(request), ...mutationNode(request) },
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  });
  return ok({
    ...(data === undefined ? {} : { data }),
    ...(errors === undefined ? {} : { errors: errors.map(errorPayload) }),
  });
}

const TYPES = new Map([
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [422, 'UNPROCESSABLE'],
]);

/** An error of the world has a type, one of the query itself has none (rule `graphql-error-types`). */
function errorPayload({ message, path, locations, originalError }: GraphQLError) {
  const type = originalError instanceof GitHubError ? TYPES.get(originalError.status) : undefined;
  return {
    ...(type === undefined ? {} : { type }),
    ...(path === undefined ? {} : { path }),
    locations,
    message,
  };
}

export const graphqlRoute: Route = { method: 'POST', path: '/graphql', handle };
