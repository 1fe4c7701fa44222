import { distance } from '../lib/distance.ts';
import { PROVIDERS } from '../models/index.ts';
import { AgentVariables } from './agent.ts';
import { ModelVariables } from './models.ts';
import { ServiceVariables } from './service.ts';
import { ShellVariables } from './shell.ts';

/** A variable that is none of ours, and the unset one of ours that it resembles. */
export interface Misspelled {
  readonly name: string;
  readonly meant: string;
}

const SCHEMAS = [
  ServiceVariables,
  ModelVariables,
  AgentVariables,
  ShellVariables,
  ...PROVIDERS.map(({ variables }) => variables),
];
const OURS = new Set(SCHEMAS.flatMap(({ shape }) => Object.keys(shape)));
/** Shorter names, such as `HOME`, resemble too much. */
const MIN_LENGTH = 6;
const MAX_LENGTH = 60;

export const misspelledIn = (variables: Readonly<Record<string, string>>): readonly Misspelled[] =>
  Object.keys(variables)
    .filter((name) => !OURS.has(name) && name.length <= MAX_LENGTH)
    .flatMap((name) => {
      const meant = [...OURS].find((one) => isNear(name, one) && !Object.hasOwn(variables, one));
      return meant === undefined ? [] : [{ name, meant }];
    });

const isNear = (name: string, ours: string): boolean =>
  ours.length >= MIN_LENGTH && distance(name.toUpperCase(), ours) <= (ours.length > 8 ? 2 : 1);
