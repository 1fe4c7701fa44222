import type { Model } from '../../src/contracts/model.ts';
import { readModels } from '../../src/config/models.ts';
import { ConfigError, type ConfigFault } from '../../src/config/faults.ts';
import { openModel } from '../../src/models/index.ts';
import { KEY, MODEL } from './task.ts';

export const OUR_MODEL = `openai:${MODEL}`;

/** The stub, set up as an operator sets up a server of their own. */
export function openOurModel(baseUrl: string): Promise<Model> {
  const faults: ConfigFault[] = [];
  const variables = { MODEL: OUR_MODEL, OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: KEY };
  const models = readModels(variables, faults);
  if (models === undefined || faults.length > 0) throw new ConfigError(faults);
  return openModel(OUR_MODEL, models.settings, models.catalog);
}
