import { distance } from '../../lib/text/distance.ts';
import type { Ineffective } from '../faults.ts';
import { VARIABLES } from '../variables.ts';

/** A variable that is none of ours, and the unset one of ours that it resembles. */
export interface Misspelled extends Ineffective {
  readonly meant: string;
}

/** Shorter names, such as `HOME`, resemble too much. */
const MIN_LENGTH = 6;
const MAX_LENGTH = 60;

export const misspelledIn = (variables: Readonly<Record<string, string>>): readonly Misspelled[] =>
  Object.keys(variables)
    .filter((name) => !VARIABLES.has(name) && name.length <= MAX_LENGTH)
    .flatMap((name) => {
      const meant = [...VARIABLES].find(
        (one) => isNear(name, one) && !Object.hasOwn(variables, one),
      );
      if (meant === undefined) return [];
      const why = 'its name is unknown, and may be misspelled';
      return [{ name, meant, why, cure: `Rename it to ${meant}, or remove it` }];
    });

const isNear = (name: string, ours: string): boolean =>
  ours.length >= MIN_LENGTH && distance(name.toUpperCase(), ours) <= (ours.length > 8 ? 2 : 1);
