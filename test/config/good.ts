import { ConfigError, readConfig, type Environment } from '../../src/config.ts';
import { PRIVATE_KEY } from '../support/private-key.ts';

/** The least that a service needs. */
export const GOOD = {
  APP_ID: '12',
  PRIVATE_KEY,
  WEBHOOK_SECRET: 'a-secret-that-nobody-knows',
  ALLOWED_OWNERS: 'Example-Org, someone',
  MODEL: 'openai:gpt-5.2, openai:small:v2',
  OPENAI_API_KEY: 'sk-test',
};

/** What is wrong with an environment, by the names of its variables. */
export function faultsOf(environment: Environment): ReadonlyMap<string, string> {
  try {
    readConfig(environment);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return new Map(error.faults.map(({ name, fault }) => [name, fault]));
  }
  return new Map();
}
