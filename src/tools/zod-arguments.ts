import { z } from 'zod';
import { cutCharacters } from '../lib/text.ts';
import type { ToolArguments } from '../contracts/tool.ts';

/** Characters: a call may be wrong in ten thousand places. */
const MAX_FAULT = 2_000;

const made = new WeakMap<z.ZodObject, ToolArguments>();

/** Arguments that a schema of zod describes and checks. */
export function zodArguments(schema: z.ZodObject): ToolArguments {
  const known = made.get(schema);
  if (known !== undefined) return known;
  const { $schema: _version, ...parameters } = z.toJSONSchema(schema, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const keyword of UNSAID) delete jsonSchema[keyword];
    },
  });
  const args: ToolArguments = {
    parameters,
    names: Object.keys(schema.shape),
    check: (given) => {
      const parsed = schema.safeParse(given);
      if (parsed.success) return { args: parsed.data };
      return { wrong: cutCharacters(z.prettifyError(parsed.error), MAX_FAULT) };
    },
  };
  made.set(schema, args);
  return args;
}

/** Validation still applies them. Models rarely break one, and then they are told. */
const UNSAID = [
  'additionalProperties',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'default',
] as const;
