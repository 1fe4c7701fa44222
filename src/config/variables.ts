import { PROVIDERS } from '../models/index.ts';
import { AgentVariables } from './agent.ts';
import { GitVariables } from './git.ts';
import { KeyFileVariables } from './key-files.ts';
import { McpVariables } from './mcp.ts';
import { ModelVariables } from './models.ts';
import { NetworkVariables } from './network.ts';
import { OpenTelemetryVariables, MetricsVariables } from './monitoring.ts';
import { ServiceVariables } from './service.ts';
import { ShellVariables } from './shell.ts';
import { SignInVariables } from './sign-in.ts';
import { SlotVariables } from './slots.ts';

const SCHEMAS = [
  ServiceVariables,
  SlotVariables,
  GitVariables,
  NetworkVariables,
  MetricsVariables,
  OpenTelemetryVariables,
  ModelVariables,
  AgentVariables,
  ShellVariables,
  SignInVariables,
  McpVariables,
  KeyFileVariables,
  ...PROVIDERS.map(({ variables }) => variables),
];

/** The names of all environment variables that are settings of the operator. */
export const VARIABLES: ReadonlySet<string> = new Set(
  SCHEMAS.flatMap(({ shape }) => Object.keys(shape)),
);
