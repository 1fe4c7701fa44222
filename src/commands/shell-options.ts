import type { Environment } from '../config.ts';
import type { CommandContext } from './command.ts';

export const ALLOW_DANGEROUS_TOOLS = '--allow-dangerous-tools';

type Options = { readonly environment: Environment } | { readonly fault: string };

/** The options of a command that starts the service, as changes to its environment. */
export function shellOptions(
  { arguments: given, environment }: Pick<CommandContext, 'arguments' | 'environment'>,
  others: readonly string[] = [],
): Options {
  const known = [...others, ALLOW_DANGEROUS_TOOLS];
  const unknown = given.find((option) => !known.includes(option));
  if (unknown !== undefined)
    return { fault: `Unknown option "${unknown}". Options: ${known.join(', ')}.` };
  if (!given.includes(ALLOW_DANGEROUS_TOOLS)) return { environment };
  return { environment: { ...environment, ALLOW_DANGEROUS_TOOLS: 'true' } };
}
