import type { Script } from '../../packages/local-github/src/model/script.ts';

type Reply = NonNullable<Script['turns'][number]['say']>;

/** A call in a reply of the scripted model. */
export const call = (
  tool_name: string,
  args: Record<string, unknown> = {},
): Reply['tool_calls'][number] => ({ tool_name, arguments: args });

/** A reply that makes these calls. */
export const say = (...tool_calls: Reply['tool_calls']): { readonly say: Reply } => ({
  say: { plan: 'as scripted', tool_calls },
});
