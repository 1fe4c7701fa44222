import type { z } from 'zod';
import { codeOf } from '../lib/errors.ts';
import { shownSettingPath } from '../lib/directories.ts';

/** Variables by name; empty ones are left out. */
export type Variables = Readonly<Record<string, string>>;

/** A setting that is missing or invalid, and how to fix it. */
export interface ConfigFault {
  readonly name: string;
  readonly fault: string;
}

/** A setting that changes nothing, and what to do about it. Sentences without a full stop. */
export interface Ineffective {
  readonly name: string;
  readonly why: string;
  readonly cure: string;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly ConfigFault[];

  constructor(faults: readonly ConfigFault[]) {
    super(faults.map(({ name, fault }) => `${name}: ${fault}`).join('\n'));
    this.faults = faults;
  }
}

/** Parses the variables that the schema names. Adds what is missing or invalid to `faults`. */
export function check<Schema extends z.ZodObject>(
  schema: Schema,
  variables: Variables,
  faults: ConfigFault[],
): z.output<Schema> | undefined {
  const parsed = schema.safeParse(variables);
  if (parsed.success) return parsed.data;
  const [first] = Object.keys(schema.shape);
  for (const { path, message } of parsed.error.issues)
    faults.push({ name: String(path[0] ?? first), fault: message });
  return undefined;
}

export function unreadableFile(value: string, error: unknown): string {
  const path = shownSettingPath(value);
  const file = path === undefined ? 'the file that it names' : `the file ${path}`;
  return `${file} cannot be read (${codeOf(error)}). Correct the path, or let the service's user read it`;
}

/** One fault per setting is enough: the next one shows once the first is fixed. */
export const firstOfEach = (faults: readonly ConfigFault[]): ConfigFault[] =>
  faults.filter(({ name }, at) => faults.findIndex((other) => other.name === name) === at);
