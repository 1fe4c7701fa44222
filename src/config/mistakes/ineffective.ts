import { SHARED_BUDGETS, type SharedBudget } from '../../agent/limits.ts';
import type { ShellSettings } from '../../app/service/shells.ts';
import type { AgentConfig } from '../agent.ts';
import type { ConfigFault, Ineffective, Variables } from '../faults.ts';
import { flag } from '../values/fields.ts';
import type { ServiceConfig } from '../service.ts';
import { distance } from '../../lib/text/text.ts';
import { isOfNetwork } from '../network.ts';
import { VARIABLES } from '../variables.ts';
import { variableKind } from '../../session/settings/commands.ts';
import { hasCredential } from '../../lib/text/redact.ts';

/** The parts of the configuration that settle whether another setting counts. */
interface EffectiveSettings {
  readonly github: ServiceConfig['github'];
  readonly agent: AgentConfig;
  readonly shell: ShellSettings;
}

interface Rule {
  readonly names: readonly string[];
  readonly applies: (settled: EffectiveSettings, variables: Variables) => boolean;
  readonly why: string;
  readonly cure: string;
}

const OF_SANDBOX = ['SANDBOX_ALLOW_HOSTS', 'SANDBOX_PRIVATE_HOSTS', 'SANDBOX_READ_PATHS'];
const OF_COMMANDS =
  `SANDBOX ${OF_SANDBOX.join(' ')} COMMAND_ENV COMMAND_TIMEOUT TEST_TIMEOUT ENVIRONMENT_IMAGES`.split(
    ' ',
  );

/** Variables of model providers are not here: other programs read them too. */
const RULES: readonly Rule[] = [
  {
    names: ['PRIVATE_KEY_PATH'],
    applies: (_, { PRIVATE_KEY: key }) => key !== undefined,
    why: 'PRIVATE_KEY is set too, and that key is used',
    cure: 'Remove one of the two',
  },
  {
    names: ['GHE_PROTOCOL'],
    applies: ({ github }) => github.enterprise === undefined,
    why: 'GHE_HOST is not set, and github.com is used',
    cure: 'Set GHE_HOST to the host of your Enterprise Server, or remove GHE_PROTOCOL',
  },
  {
    names: ['ALLOWED_OWNERS'],
    applies: ({ github: { allowedOwners: owners } }) => owners.includes('*') && owners.length > 1,
    why: 'all names but `*` do nothing: `*` serves every account',
    cure: 'Remove `*` to serve the named accounts only, or remove the names',
  },
  {
    names: ['AGENT_MODE'],
    applies: ({ agent }, { AGENT_MODE: value }) => agent.mode === 'completion' && isOn(value),
    why: 'TOOLS_ENABLED is `false`, and counts',
    cure: 'Set both alike, or remove one',
  },
  {
    names: ['TOOLS_ENABLED'],
    applies: ({ agent }, { TOOLS_ENABLED: value }) => agent.mode === 'completion' && isOn(value),
    why: 'AGENT_MODE is `false`, and counts',
    cure: 'Set both alike, or remove one',
  },
  {
    names: ['ALLOW_DANGEROUS_TOOLS', 'PROTOCOL', 'MCP_SERVERS'],
    applies: ({ agent }) => agent.mode === 'completion',
    why: 'AGENT_MODE or TOOLS_ENABLED is `false`, so the agent has no tools',
    cure: 'Remove it, or let the agent have tools',
  },
  {
    names: OF_COMMANDS,
    applies: ({ shell }) => !shell.isAllowed,
    why: 'the agent may not run commands',
    cure: 'Set ALLOW_DANGEROUS_TOOLS=true to let it run commands, or remove the setting',
  },
  {
    names: OF_SANDBOX,
    applies: ({ shell }) => shell.isAllowed && shell.sandbox === 'unsafe',
    why: 'SANDBOX=unsafe lets commands reach every host and read every file that the service can',
    cure: 'Remove SANDBOX=unsafe, or remove the setting',
  },
  {
    names: ['ENVIRONMENT_IMAGES'],
    applies: ({ shell }) => shell.isAllowed && shell.sandbox === 'unsafe',
    why: 'SANDBOX=unsafe runs commands with the programs of this machine',
    cure: 'Remove one of the two',
  },
  {
    names: ['ENVIRONMENT_MAX_BYTES', 'REGISTRY_AUTH_FILE'],
    applies: ({ shell }) => shell.images.allowed.length === 0,
    why: 'ENVIRONMENT_IMAGES is not set, so no image is fetched',
    cure: 'Set ENVIRONMENT_IMAGES too, or remove the setting',
  },
  {
    names: ['MODEL_FALLBACK_MINUTES'],
    applies: (_, { MODEL_FALLBACK: model }) => model === undefined,
    why: 'MODEL_FALLBACK names no model, so a run waits for its own',
    cure: 'Set MODEL_FALLBACK too, or remove the setting',
  },
  {
    names: ['COMPACT_THRESHOLD', 'COMPACT_KEEP_RECENT'],
    applies: ({ agent }) => agent.relief.compaction === undefined,
    why: 'COMPACT_ENABLED is `false`, so nothing is summarised',
    cure: 'Set AGENT_MAX_MESSAGES instead, or enable COMPACT_ENABLED',
  },
  {
    names: ['AGENT_MAX_MESSAGES'],
    applies: ({ agent }) => agent.relief.compaction !== undefined,
    why: 'long conversations are summarised, not dropped',
    cure: 'Set COMPACT_THRESHOLD instead, or COMPACT_ENABLED=false',
  },
  {
    names: ['REVIEW_MODEL'],
    applies: ({ agent }) => !agent.selfReview,
    why: 'SELF_REVIEW is `false`, so no model reviews a change',
    cure: 'Remove one of the two',
  },
  {
    names: ['BUDGET_RUN'],
    applies: ({ agent: { limits } }) =>
      (limits.dollars.run ?? 0) > (limits.dollars.issue ?? Infinity),
    why: 'BUDGET_ISSUE is lower, and ends a run first',
    cure: 'Lower BUDGET_RUN, or raise BUDGET_ISSUE',
  },
  neverReached('repositoryDay', 'serviceDay'),
  neverReached('personDay', 'serviceDay'),
  neverReached('serviceDay', 'serviceMonth'),
];

/** A budget above another one that counts at least as much. */
function neverReached(name: SharedBudget, least: SharedBudget): Rule {
  const [setting, lower] = [SHARED_BUDGETS[name].setting, SHARED_BUDGETS[least].setting];
  return {
    names: [setting],
    applies: ({ agent: { limits } }) =>
      (limits.dollars[name] ?? 0) > (limits.dollars[least] ?? Infinity),
    why: `${lower} is lower, and is used up first`,
    cure: `Lower ${setting}, or raise ${lower}`,
  };
}

const isOn = (value: string | undefined): boolean => flag(false).parse(value);

/** The settings that are set and change nothing, because of their names or of other settings. */
export const ineffectiveIn = (
  variables: Variables,
  settled: EffectiveSettings,
): readonly Ineffective[] => [
  ...misspelledIn(variables),
  ...RULES.filter(({ applies }) => applies(settled, variables)).flatMap(({ names, why, cure }) =>
    names
      .filter((name) => Object.hasOwn(variables, name))
      .map((name): Ineffective => ({ name, why, cure })),
  ),
];

/** A variable that is none of ours, and the unset one of ours that it resembles. */
export interface MisspelledName extends Ineffective {
  readonly meant: string;
}

/** Shorter names, such as `HOME`, resemble too much. */
const MIN_LENGTH = 6;
const MAX_LENGTH = 60;

export const misspelledIn = (
  variables: Readonly<Record<string, string>>,
): readonly MisspelledName[] =>
  Object.keys(variables)
    .filter((name) => !VARIABLES.has(name) && !isOfNetwork(name) && name.length <= MAX_LENGTH)
    .flatMap((name) => {
      const meant = [...VARIABLES].find(
        (one) => !isOfNetwork(one) && isNear(name, one) && !Object.hasOwn(variables, one),
      );
      if (meant === undefined) return [];
      const why = 'its name is unknown, and may be misspelled';
      return [{ name, meant, why, cure: `Rename it to ${meant}, or remove it` }];
    });

const isNear = (name: string, ours: string): boolean =>
  ours.length >= MIN_LENGTH && distance(name.toUpperCase(), ours) <= (ours.length > 8 ? 2 : 1);

/** Besides the settings whose names say that they hold a secret. */
const NEVER_SHOWN = new Set(
  'DATABASE_URL MCP_SERVERS HTTPS_PROXY HTTP_PROXY COMMAND_ENV HOST PAGES_HOST DATA_DIR TMPDIR OTEL_EXPORTER_OTLP_HEADERS'.split(
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
const PATHS = new Set([
  'DATA_DIR',
  'PRIVATE_KEY_PATH',
  'MODEL_CATALOG',
  'SANDBOX_READ_PATHS',
  'REGISTRY_AUTH_FILE',
]);
/** Words for the secret that belongs there. */
const WORDS =
  /^(?:(?:your|my)[-_ ](?:[\w-]{1,40}[-_ ])?(?:secret|token|key)(?:[-_ ][\w -]*)?|[\w-]{1,12}[-_](?:\.{3}|…|x{4,})|x{4,}|change[-_ ]?me)$/i;

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
