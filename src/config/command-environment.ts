// The environment variables that the operator gives commands.
import { NOT_FOR_COMMANDS, variableKind } from '../session/settings/commands.ts';
import type { ConfigFault, Variables } from './faults.ts';
import { VARIABLES } from './variables.ts';

export interface CommandEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** The values to keep out of prompts, logs, pages and texts. */
  readonly secrets: readonly string[];
}

const SETTING = 'COMMAND_ENV';
/** The redactor leaves shorter values alone: they are often plain words. */
const LEAST_SECRET = 8;

/** `items`: `NAME`, whose value is that of the service's own variable, or `NAME=value`. */
export function commandEnvironment(
  items: readonly string[],
  own: Variables,
  faults: ConfigFault[],
): CommandEnvironment {
  const variables: Record<string, string> = {};
  const secrets: string[] = [];
  for (const item of items) {
    const [name = '', ...rest] = item.split('=');
    const value = rest.length === 0 ? own[name] : rest.join('=');
    const fault = Object.hasOwn(variables, name)
      ? `${nameShown(name)} is given twice. Remove one`
      : faultOf(name, value);
    if (fault !== undefined) faults.push({ name: SETTING, fault });
    if (fault !== undefined || value === undefined) continue;
    variables[name] = value;
    if (variableKind(name) !== 'plain') secrets.push(value);
  }
  return { variables, secrets };
}

function faultOf(name: string, value: string | undefined): string | undefined {
  const kind = variableKind(name);
  if (VARIABLES.has(name))
    return `\`${name}\` is a setting of the service itself, which commands must not know. Remove it`;
  if (kind === undefined) return `${nameShown(name)} ${NOT_FOR_COMMANDS}`;
  if (value === undefined) return `\`${name}\` is not set. Set it, or write \`${name}=value\``;
  if (kind === 'secret' && value.length < LEAST_SECRET)
    return `the value of \`${name}\` has fewer than ${LEAST_SECRET} characters: a secret so short cannot be kept out of texts`;
  return undefined;
}

/** People paste secrets into the wrong place: only what is surely a name is repeated. */
const nameShown = (name: string): string =>
  /^[A-Z][A-Z_]{0,40}$/.test(name) ? `\`${name}\`` : 'one of its items';
