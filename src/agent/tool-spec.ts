import { z } from 'zod';
import type { ToolSpec } from '../contracts/model.ts';
import type { Tool } from '../contracts/tool.ts';

const made = new WeakMap<object, ToolSpec>();

/** A tool as it is described to models: short, because every request contains it. */
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
