import { describe, expect, it } from '@jest/globals';
import { ConfigError, readByHand } from '../../src/config.ts';

const MODEL = { MODEL: 'openai:small', OPENAI_API_KEY: 'a-key-of-a-test' };

/** What is said of each setting that is wrong. */
function faultsOf(environment: Readonly<Record<string, string>>): Map<string, string> {
  try {
    readByHand(environment);
    return new Map();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return new Map(error.faults.map(({ name, fault }) => [name, fault]));
  }
}

describe('the settings of a session by hand', () => {
  it('are those of a model, and no others are needed', () => {
    expect(readByHand(MODEL)).toMatchObject({ logLevel: 'warn', servers: [], commandSecrets: [] });
  });

  it('are all named that are missing or wrong, as for the service', () => {
    const faults = faultsOf({ LOG_LEVEL: 'loud', COMMAND_TIMEOUT: 'long' });
    expect([...faults.keys()].toSorted()).toEqual(['COMMAND_TIMEOUT', 'LOG_LEVEL', 'MODEL']);
    expect(faults.get('LOG_LEVEL')).toMatch(/^must be `trace`/);
  });

  it('hold no secret in the wrong place, and none is repeated', () => {
    const secret = 'sk-proj-Zebrafish0123456789abcdefghij';
    const faults = faultsOf({ ...MODEL, MODEL: `openai:${secret}` });
    expect(faults.get('MODEL')).toMatch(/looks like a key or a token/);
    expect([...faults.values()].join()).not.toContain('Zebrafish');
  });
});
