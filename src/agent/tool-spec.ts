import { z } from 'zod';
import type { ToolSpec } from '../contracts/model.ts';
import type { Tool } from '../contracts/tool.ts';

const made = new WeakMap<object, ToolSpec>();

/** A tool as models are told of it: short, since it goes with every request. */
export function toolSpec(tool: Pick<Tool, 'name' | 'description' | 'arguments'>): ToolSpec {
  const known = made.get(tool);
  if (known !== undefined) return known;
  const schema = z.toJSONSchema(tool.arguments, {
    io: 'input',
    override: ({ jsonSchema }) => {
      for (const keyword of UNSAID) delete jsonSchema[keyword];
    },
  });
  const { $schema: _version, ...parameters } = schema;
  const spec = { name: tool.name, description: tool.description, parameters };
  made.set(tool, spec);
  return spec;
}

/** Validation still applies them; few models ever break one, and those are told. */
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
