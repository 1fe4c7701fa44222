// The fields of a value that its schema does not name. Ajv lets them pass, since GitHub's schemas forbid none.
import { isObject, listOf, objectOf, type Json } from './json.ts';

export interface UnknownField {
  readonly path: readonly string[];
  readonly value: unknown;
}

const UNIONS = ['allOf', 'anyOf', 'oneOf'];
const LIMITING = ['type', 'enum', 'items', 'properties', 'additionalProperties', ...UNIONS];

/** A field is known if any alternative of the schemas names it. `resolve` follows references. */
export function unknownFields(
  resolve: (schema: unknown) => Json,
  schemas: readonly unknown[],
  value: unknown,
  path: readonly string[] = [],
): UnknownField[] {
  const shapes = schemas.flatMap((schema) => alternatives(resolve, schema));
  if (Array.isArray(value)) {
    const items = shapes.flatMap(({ items: one }) => (one === undefined ? [] : [one]));
    return value.flatMap((one, at) => unknownFields(resolve, items, one, [...path, String(at)]));
  }
  if (!isObject(value) || shapes.length === 0) return [];
  return Object.entries(value).flatMap(([name, one]) => {
    const named = shapes.flatMap(({ properties, additionalProperties }) => {
      const own = objectOf(properties);
      if (Object.hasOwn(own, name)) return [own[name]];
      return isObject(additionalProperties) ? [additionalProperties] : [];
    });
    const at = [...path, name];
    if (named.length > 0) return unknownFields(resolve, named, one, at);
    return shapes.some(takesAnyField) ? [] : [{ path: at, value: one }];
  });
}

/** The schema and those that it is made of. */
function alternatives(resolve: (schema: unknown) => Json, schema: unknown): Json[] {
  const own = resolve(schema);
  const within = UNIONS.flatMap((union) => listOf(own[union]));
  return [own, ...within.flatMap((one) => alternatives(resolve, one))];
}

function takesAnyField(schema: Json): boolean {
  if (LIMITING.every((keyword) => schema[keyword] === undefined)) return true;
  if (schema['additionalProperties'] === true) return true;
  const isPlain = ['properties', 'additionalProperties', ...UNIONS].every(
    (keyword) => schema[keyword] === undefined,
  );
  return isPlain && [schema['type']].flat().includes('object');
}
