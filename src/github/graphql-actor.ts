// Whoever did something, as GraphQL names them.
import { z } from 'zod';

/** What to ask of an `Actor`, for `GraphqlActor`. */
export const ACTOR_FIELDS = '__typename login';

/**
 * The login as REST has it. GraphQL leaves out the `[bot]` (fullsend-ai/fullsend#6205, DataDog/rshell#227), and what is left
 * may be the login of a person.
 */
export const GraphqlActor = z
  .object({ __typename: z.string(), login: z.string() })
  .transform(({ __typename, login }) => (__typename === 'Bot' ? `${login}[bot]` : login));
