// Compares webhooks with the examples that octokit has of GitHub's.
import webhookExamples from '@octokit/webhooks-examples' with { type: 'json' };
import type { LocalGitHub } from '../src/index.ts';

type Delivery = LocalGitHub['deliveries'][number];

/** The package's types describe a namespace; what it exports is the list itself. */
const examples = webhookExamples as unknown as { name: string; examples: unknown[] }[];

/** The fields that all of GitHub's examples of such an event have and this one has not, or has with another type. */
export function missingFields({ event, action, payload }: Delivery): string[] {
  const all = examplesOf(event);
  const same = all.filter((one) => one['action'] === action);
  // An event without an example is compared with the event's other actions.
  const judges =
    same.length > 0 ? same : all.filter((one) => one['action'] !== 'locked').slice(0, 1);
  return judges.length === 0 ? [`no example of ${event}`] : missing(payload, judges);
}

type Json = Record<string, unknown>;

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const examplesOf = (event: string): Json[] =>
  examples
    .filter((one) => one.name === event)
    .flatMap((one) => one.examples)
    .filter(isObject);

/**
 * What GitHub no longer sends, or sends only of repositories in an organization's plan; and permissions, which each
 * App has others of.
 */
const EXCUSED =
  /(^|\.)(installation|organization|changes|assignee|label|before|after|draft|app\.permissions)$/;

/** Paths that every example has and ours has not, or has with another type. */
function missing(ours: unknown, examples: unknown[], where = ''): string[] {
  if (where !== '' && EXCUSED.test(where)) return [];
  const present = examples.filter((one) => one !== null);
  if (ours === null || present.length === 0) return [];
  if (present.every(Array.isArray)) {
    if (!Array.isArray(ours)) return [`${where} is no list`];
    const items = present.flat();
    return ours.flatMap((one, index) => missing(one, items, `${where}.${index}`));
  }
  if (!present.every(isObject)) {
    const types = new Set(present.map((one) => typeof one));
    return types.has(typeof ours) ? [] : [`${where} is a ${typeof ours}`];
  }
  if (!isObject(ours)) return [`${where} is no object`];
  const keys = Object.keys(present[0] ?? {}).filter((key) => present.every((one) => key in one));
  return keys.flatMap((key) => {
    const path = where === '' ? key : `${where}.${key}`;
    if (!(key in ours)) return EXCUSED.test(path) ? [] : [`${path} is missing`];
    return missing(
      ours[key],
      present.map((one) => one[key]),
      path,
    );
  });
}
