import { variableKind } from '../../lib/command-variables.ts';
import type { ConfigFault, Variables } from '../faults.ts';
import { VARIABLES } from '../variables.ts';

const QUOTED = /^(?:"[^]*"|'[^]*'|`[^]*`|[“”][^]*[“”]|[‘’][^]*[‘’])$/;
const HALF_QUOTED = /^\\?["'`“”‘’]|["'`“”‘’]$/;
/** An item of a list may have quotes of its own. */
const MAY_HAVE_QUOTES = new Set(['COMMAND_ENV']);
/** Programs that read `.env` take it for a comment, others do not. */
const COMMENTED = /\s#(?:\s|$)/;
/** A variable that nobody has replaced, or a template. */
const UNREPLACED =
  /^(?:\$\{?[a-z_]\w*\}?|\$\(.*\)|%[a-z_]\w*%|<[^<>]*>|\{\{[^{}]*\}\}|undefined|null|nan|\[object object\])$/i;
/** A home directory or a variable in a path, which only shells replace. */
const UNEXPANDED = /^~|\$\{?[a-z_]|%[a-z_]\w*%/i;
const KEYS = /_API_KEY$/;
const EXAMPLES = /(?:^|,)\s*(?:your-org|your-login)\s*(?:,|$)/i;
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
  if (HALF_QUOTED.test(value) && !MAY_HAVE_QUOTES.has(name))
    return 'begins or ends with a quote, which is part of the value here. Remove it';
  if (UNREPLACED.test(value) || (isSecret && WORDS.test(value)))
    return 'is a placeholder, or a variable that was not replaced. Set the value itself';
  if (isSecret && COMMENTED.test(value))
    return 'has a `#` and words behind the value, which are part of it here. Remove them';
  if (KEYS.test(name) && /^https?:\/\//i.test(value))
    return 'is an address. Set the key, and the address in the variable for it, which ends in `_URL`';
  if (KEYS.test(name) && /[;,]$/.test(value))
    return 'ends with a `;` or a `,`, which no key does. Remove it';
  if (EXAMPLES.test(value) && name === 'ALLOWED_OWNERS')
    return 'has a name from the example. List your own accounts';
  if (value.startsWith(`${name}=`))
    return 'begins with its own name. Set only what follows the `=`';
  if (isSecret && value.startsWith('/run/secrets/'))
    return 'is the path of a file. Set what is in the file';
  if (PATHS.has(name) && value.split(',').some((path) => UNEXPANDED.test(path.trim())))
    return 'has a `~` or a variable in a path, which only a shell replaces. Write the whole path';
  return undefined;
}
