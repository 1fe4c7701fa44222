// What a command has done, as a text for people or as JSON for scripts.
import { escapeUnseen } from '../lib/text/invisible.ts';
import type { CommandContext } from './command.ts';

/** The option that asks for JSON. */
export const JSON_OPTION = ['--json', 'print a JSON object, for scripts'] as const;

/** `text` for people, or with `--json` the facts, without what would act on a terminal. */
export function printOutcome(
  { options, print }: Pick<CommandContext, 'options' | 'print'>,
  text: string,
  facts: object,
): void {
  print(options['json'] === true ? escapeUnseen(JSON.stringify(facts, undefined, 2)) : text);
}
