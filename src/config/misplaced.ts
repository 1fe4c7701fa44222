import { variableKind } from '../lib/command-variables.ts';
import { hasCredential } from '../lib/redact-patterns.ts';
import type { ConfigFault, Variables } from './faults.ts';
import { VARIABLES } from './variables.ts';

/** Besides the settings whose names say that they hold a secret. */
const NEVER_SHOWN = new Set(
  'DATABASE_URL MCP_SERVERS COMMAND_ENV HOST PAGES_HOST DATA_DIR'.split(' '),
);

/** Settings that are shown, on GitHub or in the log, and hold what has the format of a credential. */
export const misplacedIn = (variables: Variables): ConfigFault[] =>
  Object.entries(variables)
    .filter(([name, value]) => VARIABLES.has(name) && isShown(name) && hasCredential(value))
    .map(([name]) => ({
      name,
      fault:
        'holds what looks like a key or a token, which is not shown here. Set it in its own variable',
    }));

const isShown = (name: string): boolean =>
  !NEVER_SHOWN.has(name) && variableKind(name) !== 'secret';
