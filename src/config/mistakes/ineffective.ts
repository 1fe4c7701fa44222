import type { ShellSettings } from '../../app/service/shells.ts';
import type { AgentConfig } from '../agent.ts';
import type { Ineffective, Variables } from '../faults.ts';
import { flag } from '../values/fields.ts';
import { misspelledIn } from './misspelled.ts';
import type { ServiceConfig } from '../service.ts';
import type { Slots } from '../slots.ts';

/** The parts of the configuration that settle whether another setting counts. */
interface Settled {
  readonly github: ServiceConfig['github'];
  readonly slots: Slots;
  readonly agent: AgentConfig;
  readonly shell: ShellSettings;
}

interface Rule {
  readonly names: readonly string[];
  readonly applies: (settled: Settled, variables: Variables) => boolean;
  readonly why: string;
  readonly cure: string;
}

const OF_SANDBOX = ['SANDBOX_ALLOW_HOSTS', 'SANDBOX_READ_PATHS'];
const OF_COMMANDS = ['SANDBOX', ...OF_SANDBOX, 'COMMAND_ENV', 'COMMAND_TIMEOUT'];

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
    names: ['ACCOUNT_WEIGHTS'],
    applies: ({ github: { allowedOwners: owners }, slots: { limits } }) =>
      !owners.includes('*') &&
      Object.keys(limits.weights ?? {}).some((name) => !owners.includes(name)),
    why: 'an account in it is not in ALLOWED_OWNERS, and is not served',
    cure: 'Add the account to ALLOWED_OWNERS, or remove its weight',
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
    applies: ({ agent: { limits } }) => isAbove(limits.dollars.run, limits.dollars.issue),
    why: 'BUDGET_ISSUE is lower, and ends a run first',
    cure: 'Lower BUDGET_RUN, or raise BUDGET_ISSUE',
  },
  {
    names: ['CONCURRENCY'],
    applies: ({ slots }) => isAbove(slots.ofProcess, slots.limits.service),
    why: 'CONCURRENCY_TOTAL is lower, and counts for each process too',
    cure: 'Lower CONCURRENCY, or raise CONCURRENCY_TOTAL',
  },
  {
    names: ['CONCURRENCY_INSTALLATION'],
    applies: ({ slots: { limits } }) => isAbove(limits.installation, limits.service),
    why: 'CONCURRENCY_TOTAL is lower',
    cure: 'Lower CONCURRENCY_INSTALLATION, or raise CONCURRENCY_TOTAL',
  },
  {
    names: ['CONCURRENCY_REPOSITORY'],
    applies: ({ slots: { limits } }) =>
      isAbove(limits.repository, limits.service) || isAbove(limits.repository, limits.installation),
    why: 'CONCURRENCY_INSTALLATION or CONCURRENCY_TOTAL is lower',
    cure: 'Lower CONCURRENCY_REPOSITORY, or raise the other',
  },
];

const isOn = (value: string | undefined): boolean => flag(false).parse(value);

/** Both are limits; `undefined`: none. */
const isAbove = (one: number | undefined, other: number | undefined): boolean =>
  one !== undefined && other !== undefined && one > other;

/** The settings that are set and change nothing, because of their names or of other settings. */
export const ineffectiveIn = (variables: Variables, settled: Settled): readonly Ineffective[] => [
  ...misspelledIn(variables),
  ...RULES.filter(({ applies }) => applies(settled, variables)).flatMap(({ names, why, cure }) =>
    names
      .filter((name) => Object.hasOwn(variables, name))
      .map((name): Ineffective => ({ name, why, cure })),
  ),
];
