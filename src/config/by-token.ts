// GitHub by the token of a person, for work on an issue without an App.
import { z } from 'zod';
import type { Person } from '../contracts/intent.ts';
import { check, type ConfigFault, type Variables } from './faults.ts';
import { ServiceVariables, type ServiceConfig } from './service.ts';

export interface TokenConfig {
  readonly token: string;
  readonly enterprise: ServiceConfig['github']['enterprise'];
  /** In a workflow of GitHub Actions: who triggered it. */
  readonly actor: Person | undefined;
  /** In a workflow: the file with the event that started it. */
  readonly event: string | undefined;
  /** Whether it is the token that GitHub makes for a workflow. */
  readonly isOfWorkflow: boolean;
}

const NEEDED = {
  write:
    'missing. Working on an issue needs a token of yours that may write the contents and the pull requests of the repository, and read its issues',
  read: 'missing. An evaluation needs a token of yours that may read the contents, the issues and the pull requests of the repository',
};

/** How those of installations begin, that of a workflow among them. */
const OF_INSTALLATION = 'ghs_';

const TokenVariables = ServiceVariables.pick({ GHE_HOST: true, GHE_PROTOCOL: true }).extend({
  GITHUB_TOKEN: z
    .string()
    .trim()
    .regex(/^[\x21-\x7e]+$/, 'has characters that no token has'),
  GITHUB_ACTIONS: z.string().optional(),
  GITHUB_ACTOR: z.string().optional(),
  GITHUB_ACTOR_ID: z
    .string()
    .regex(/^[1-9]\d{0,14}$/)
    .transform(Number)
    .optional(),
  GITHUB_EVENT_PATH: z.string().optional(),
  COMMAND_ENV: z
    .string()
    .refine((names) => !/\bGITHUB_TOKEN\b/.test(names), 'names GITHUB_TOKEN, which no command gets')
    .optional(),
});

/** `undefined`: `faults` says why. */
export function readToken(
  variables: Variables,
  faults: ConfigFault[],
  access: keyof typeof NEEDED,
): TokenConfig | undefined {
  if (variables['GITHUB_TOKEN'] === undefined) {
    faults.push({ name: 'GITHUB_TOKEN', fault: NEEDED[access] });
    return undefined;
  }
  const read = check(TokenVariables, variables, faults);
  if (read === undefined) return undefined;
  const { GITHUB_TOKEN: token, GHE_HOST: host, GHE_PROTOCOL: protocol } = read;
  const { GITHUB_ACTIONS: actions, GITHUB_ACTOR: login, GITHUB_ACTOR_ID: id } = read;
  const event = actions === 'true' ? read.GITHUB_EVENT_PATH : undefined;
  const isNamed = actions === 'true' && login !== undefined && id !== undefined;
  const isOfWorkflow = token.startsWith(OF_INSTALLATION);
  if (isOfWorkflow && !isNamed) {
    const fault =
      'is that of a GitHub App or a workflow. Outside of GitHub Actions, use one of a person';
    faults.push({ name: 'GITHUB_TOKEN', fault });
    return undefined;
  }
  const enterprise = host === undefined ? undefined : { host, protocol };
  const actor = isNamed ? { login, id } : undefined;
  return { token, enterprise, actor, event, isOfWorkflow };
}
