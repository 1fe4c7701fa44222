// Which faults in a settings file do not stop a run. The rule is in docs/decisions/0028.
import type { Fault } from './settings-faults.ts';
import { RepositorySettings } from './index.ts';
import { Limits } from './fields.ts';
import { Paths } from './paths.ts';
import { distance } from '../../lib/text/distance.ts';

/** Settings whose default allows no more than any other value. */
const HARMLESS: ReadonlySet<PropertyKey> = new Set([
  'label',
  'protocol',
  'cache',
  'draft',
  'reviewers',
  'language',
  'continuous',
  'comment_wait',
  'duplicates',
  'question_timeout',
  'answers_from',
  'edit_instructions',
] satisfies readonly (keyof RepositorySettings)[]);

/** All other settings, and the members of groups, whose group name people may leave out. */
const STRICT: readonly string[] = [
  ...Object.keys(RepositorySettings.shape).filter((name) => !HARMLESS.has(name)),
  ...Object.keys(Limits.shape),
  ...Object.keys(Paths.shape),
];

/**
 * Whether the default may replace the setting. It may not if the setting could be a restriction, or is
 * an unknown name that looks like a misspelled restriction.
 */
export function isHarmless({ path, isUnknown }: Fault): boolean {
  const [name] = path;
  if (path.length === 1 && isUnknown) return meant(String(name)) === undefined;
  return name !== undefined && HARMLESS.has(name);
}

/** The strict setting that an unknown name may be a misspelling of. */
export function meant(name: string): string | undefined {
  const letters = lettersOf(name);
  return STRICT.find((strict) => {
    const other = lettersOf(strict);
    return letters.includes(other.replace(/s$/, '')) || isNear(letters, other);
  });
}

const LONGEST_NAME = 40;

const lettersOf = (name: string): string =>
  name
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .slice(0, LONGEST_NAME);

/** Two letters may be wrong, or one in a short name. */
const isNear = (one: string, other: string): boolean =>
  distance(one, other) <= (other.length > 4 ? 2 : 1);
