import { variableKind } from '../lib/command-variables.ts';
import type { ConfigFault, Variables } from './faults.ts';
import { VARIABLES } from './variables.ts';

const QUOTED = /^(?:"[^]*"|'[^]*'|`[^]*`|“[^]*”)$/;
/** A variable that nobody has replaced, or a template. */
const UNREPLACED =
  /^(?:\$\{?[a-z_]\w*\}?|\$\(.*\)|%[a-z_]\w*%|<[^<>]*>|\{\{[^{}]*\}\}|undefined|null|nan|\[object object\])$/i;
/** A home directory or a variable in a path, which only shells replace. */
const UNEXPANDED = /^~|\$\{?[a-z_]|%[a-z_]\w*%/i;
const PATHS = new Set(['DATA_DIR', 'PRIVATE_KEY_PATH', 'MODEL_CATALOG', 'SANDBOX_READ_PATHS']);
/** Words for the secret that belongs there. */
const WORDS =
  /^(?:(?:your|my)[-_ ](?:[\w-]+[-_ ])?(?:secret|token|key)(?:[-_ ][\w -]*)?|[\w-]{1,12}[-_](?:\.{3}|…|x{4,})|x{4,}|change[-_ ]?me)$/i;

/** Settings whose text is surely not the value that was meant. */
export const notValuesIn = (variables: Variables): ConfigFault[] =>
  Object.entries(variables)
    .filter(([name]) => VARIABLES.has(name))
    .flatMap(([name, value]) => {
      const fault = faultOf(name, value.trim());
      return fault === undefined ? [] : [{ name, fault }];
    });

function faultOf(name: string, value: string): string | undefined {
  const isSecret = variableKind(name) === 'secret';
  // Shells take quotes away, others do not.
  if (QUOTED.test(value))
    return 'is in quotes, which are part of the value here. Set it without them: `docker --env-file`, for one, does not take them away';
  if (UNREPLACED.test(value) || (isSecret && WORDS.test(value)))
    return 'is a placeholder, or a variable that was not replaced. Set the value itself';
  if (value.startsWith(`${name}=`))
    return 'begins with its own name. Set only what follows the `=`';
  if (isSecret && value.startsWith('/run/secrets/'))
    return 'is the path of a file. Set what is in the file';
  if (PATHS.has(name) && value.split(',').some((path) => UNEXPANDED.test(path.trim())))
    return 'has a `~` or a variable in a path, which only a shell replaces. Write the whole path';
  return undefined;
}
