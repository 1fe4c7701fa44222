import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { codeOf } from '../lib/errors.ts';

const LONGEST_PATH = 1000;

/** Variables by name; empty ones are left out. */
export type Variables = Readonly<Record<string, string>>;

/** A setting that is missing or invalid, and how to fix it. */
export interface ConfigFault {
  readonly name: string;
  readonly fault: string;
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

/** Names the path only if it surely is one: people paste secrets into the wrong variable. */
export function unreadableFile(value: string, error: unknown): string {
  const path = value.trim();
  const file = isPath(path) ? `the file ${resolve(path)}` : 'the file that it names';
  return `${file} cannot be read (${codeOf(error)}). Correct the path, or let the service's user read it`;
}

/** It exists, or its name has a usual ending, or its directory exists; any word is a file of this directory. */
function isPath(path: string): boolean {
  if (/[\n\0]/.test(path) || path.length > LONGEST_PATH) return false;
  const parent = resolve(dirname(path));
  const says = parent !== resolve('.') && parent !== resolve('/') && existsSync(parent);
  return says || existsSync(path) || /^[\w./ @~-]+\.(?:pem|key|json)$/.test(path);
}

/** One fault per setting is enough: the next one shows once the first is fixed. */
export const firstOfEach = (faults: readonly ConfigFault[]): ConfigFault[] =>
  faults.filter(({ name }, at) => faults.findIndex((other) => other.name === name) === at);
