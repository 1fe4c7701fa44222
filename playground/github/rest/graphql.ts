// The route of GraphQL. What it knows is in `graphql/schema.ts`.
import { execute, GraphQLError, parse, validate } from 'graphql';
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
  if (request.actor.kind === 'anonymous') throw new GitHubError(401, 'Requires authentication');
  const { document, faults } = readDocument(query);
  if (document === undefined) return ok({ errors: faults.map(errorPayload) });
  const { data, errors } = await execute({
    schema: SCHEMA,
    document,
    rootValue: { ...queryNode(request), ...mutationNode(request) },
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  });
  return ok({
    ...(data === undefined ? {} : { data }),
    ...(errors === undefined ? {} : { errors: errors.map(errorPayload) }),
  });
}

/**
 * Unlike the specification, GitHub lets two types of a union have fields of one name with different types, which is what
 * its own command line sends for the state of an issue or a pull request. Its library allowed that until 2.5.3, and allows
 * schemas to go on so (rmosolgo/graphql-ruby#4351).
 */
const ALLOWED = / conflict because they return conflicting types /;

function readDocument(source: string) {
  try {
    const document = parse(source);
    const faults = validate(SCHEMA, document).filter(({ message }) => !ALLOWED.test(message));
    return faults.length === 0 ? { document, faults } : { document: undefined, faults };
  } catch (error) {
    if (error instanceof GraphQLError) return { document: undefined, faults: [error] };
    throw error;
  }
}

const TYPES = new Map([
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [422, 'UNPROCESSABLE'],
]);

/** As on GitHub, an error of the world has a type; one of the query itself has none. */
function errorPayload({ message, path, locations, originalError }: GraphQLError) {
  const cause = originalError instanceof GitHubError ? originalError : undefined;
  const type = cause && TYPES.get(cause.status);
  // What REST puts beside a general message is the message here.
  const [reason] = cause?.details ?? [];
  return {
    ...(type === undefined ? {} : { type }),
    ...(path === undefined ? {} : { path }),
    locations,
    message: typeof reason === 'string' ? reason : message,
  };
}

export const graphqlRoute: Route = { method: 'POST', path: '/graphql', handle };
