import { existsSync } from 'node:fs';
import { loadEnvFile } from 'node:process';
import { readAgent, type AgentConfig } from './config/agent.ts';
import { ConfigError, firstOfEach, type ConfigFault } from './config/faults.ts';
import { readModels, type ModelsConfig } from './config/models.ts';
import { readService, type ServiceConfig } from './config/service.ts';

export { ConfigError } from './config/faults.ts';

/** The settings of the operator, from the environment alone; handed down in parts by main.ts. */
export interface Config extends ServiceConfig {
  readonly models: ModelsConfig;
  readonly agent: AgentConfig;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The process's environment, with what an `.env` file beside package.json adds to it. */
export function processEnvironment(): Environment {
  if (existsSync('.env')) loadEnvFile('.env');
  return process.env;
}

/**
 * Reads the settings. All faults are found at once.
 * @throws {ConfigError} naming each setting that is missing or wrong
 */
export function readConfig(environment: Environment): Config {
  // An empty variable is an unset one: `docker compose` passes those on.
  const variables = Object.fromEntries(
    Object.entries(environment).filter((pair): pair is [string, string] => !!pair[1]?.trim()),
  );
  const faults: ConfigFault[] = [];
  const service = readService(variables, faults);
  const models = readModels(variables, faults);
  const agent = readAgent(variables, faults);
  if (faults.length > 0 || !service || !models || !agent)
    throw new ConfigError(firstOfEach(faults));
  return { ...service, models, agent };
}
