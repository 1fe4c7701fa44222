// The route of GraphQL. What it knows is in `graphql/schema.ts`.
import { withoutUndefined } from '../../../../../src/lib/without-undefined.ts';
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
  if (request.actor.kind === 'anonymous')
    throw new GitHubError('sign-in-required', 401, 'Requires authentication');
  const { document, faults } = readDocument(query);
  if (document === undefined) return ok({ errors: faults.map(errorPayload) });
  const { data, errors } = await execute({
    schema: SCHEMA,
    document,
    rootValue: { ...queryNode(request), ...mutationNode(request) },
    variableValues: variables ?? {},
    operationName: operationName ?? null,
  });
  return ok(withoutUndefined({ data, errors: errors?.map(errorPayload) }));
}

/** Unlike in the specification, two types of a union may have fields of one name with two types (rule `graphql-types-of-a-union`). */
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

/** An error of the world has a type, one of the query itself has none (rule `graphql-error-types`). */
function errorPayload({ message, path, locations, originalError }: GraphQLError) {
  const cause = originalError instanceof GitHubError ? originalError : undefined;
  const type = cause && TYPES.get(cause.status);
  // What REST puts beside a general message is the message here (rule `graphql-reasons`).
  const [reason] = cause?.details ?? [];
  return {
    ...withoutUndefined({ type, path }),
    locations,
    message: typeof reason === 'string' ? reason : message,
  };
}

export const graphqlRoute: Route = { method: 'POST', path: '/graphql', handle };
