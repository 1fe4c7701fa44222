import { variableKind } from '../lib/command-variables.ts';
import type { ConfigFault, Variables } from './faults.ts';
import { VARIABLES } from './variables.ts';

const QUOTED = /^(?:"[^]*"|'[^]*'|`[^]*`|“[^]*”)$/;
/** A variable that nobody has replaced, or a template. */
const UNREPLACED = /^(?:\$\{?[a-z_]\w*\}?|\$\(.*\)|%[a-z_]\w*%|<[^<>]*>|\{\{[^{}]*\}\})$/i;
/** Words for the secret that belongs there. */
const WORDS =
  /^(?:(?:your|my)[-_ ](?:[\w-]+[-_ ])?(?:secret|token|key)(?:[-_ ][\w -]*)?|[\w-]{1,12}[-_](?:\.{3}|…|x{4,})|x{4,})$/i;

/** Settings whose text is surely not the value that was meant. */
export const notValuesIn = (variables: Variables): ConfigFault[] =>
  Object.entries(variables)
    .filter(([name]) => VARIABLES.has(name))
    .flatMap(([name, value]) => {
      const fault = faultOf(value.trim(), variableKind(name) === 'secret');
      return fault === undefined ? [] : [{ name, fault }];
    });

function faultOf(value: string, isSecret: boolean): string | undefined {
  // Shells take quotes away, others do not.
  if (QUOTED.test(value))
    return 'is in quotes, which are part of the value here. Set it without them: `docker --env-file`, for one, does not take them away';
  if (UNREPLACED.test(value) || (isSecret && WORDS.test(value)))
    return 'is a placeholder, or a variable that was not replaced. Set the value itself';
  return undefined;
}
