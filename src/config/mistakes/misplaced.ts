import { variableKind } from '../../lib/command-variables.ts';
import { hasCredential } from '../../lib/text/redact-patterns.ts';
import type { ConfigFault, Variables } from '../faults.ts';
import { VARIABLES } from '../variables.ts';

/** Besides the settings whose names say that they hold a secret. */
const NEVER_SHOWN = new Set(
  'DATABASE_URL MCP_SERVERS COMMAND_ENV HOST PAGES_HOST DATA_DIR TMPDIR OTEL_EXPORTER_OTLP_HEADERS'.split(
    ' ',
  ),
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

/** Secrets of ours that GitHub or browsers get: each must be good for nothing else. */
const GIVEN_AWAY = ['WEBHOOK_SECRET', 'PAGES_TOKEN', 'CLIENT_SECRET'] as const;

/** Secrets that are something else as well. */
export const reusedIn = (variables: Variables): ConfigFault[] =>
  GIVEN_AWAY.flatMap((name) => {
    const value = variables[name]?.trim();
    if (value === undefined) return [];
    const other = Object.entries(variables).find(
      ([each, same]) => each !== name && VARIABLES.has(each) && same.trim() === value,
    );
    if (other !== undefined && name !== 'WEBHOOK_SECRET')
      return [{ name, fault: `has the same value as ${other[0]}. ${OF_ITS_OWN}` }];
    if (!hasCredential(value)) return [];
    return [
      { name, fault: `holds what looks like a key or a token for something else. ${OF_ITS_OWN}` },
    ];
  });

const OF_ITS_OWN = 'Create one of its own with `openssl rand -hex 32`';

const isShown = (name: string): boolean =>
  !NEVER_SHOWN.has(name) && variableKind(name) !== 'secret';
