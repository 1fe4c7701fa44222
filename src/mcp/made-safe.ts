// What servers send, made safe: their schemas, their text, and values without secrets.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { ToolArguments } from '../contracts/tool.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { withoutInvisible } from '../lib/text/invisible.ts';
import { cutWords } from '../lib/text/text.ts';

// A JSON schema is copied part by part, with known keywords only. What is left out (`pattern`, `format`, `not`, conditions)
// only makes it wider; the server checks its arguments itself.

export type Schema = Readonly<Record<string, unknown>>;

/** Why a schema cannot be used; the words follow "its arguments". */
export class SchemaFault extends Error {
  override readonly name = 'SchemaFault';
}

const MAX_NODES = 300;
const MAX_DEPTH = 12;
const MAX_LIST = 100;
const MAX_TEXT = 300;

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);
const NUMBERS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
const COUNTS = [
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
] as const;
/** As every provider takes them; `__proto__` is none. */
const PROPERTY = /^(?!__proto__$)[\w.-]{1,64}$/;

/**
 * The arguments of a tool: an object at the top, no references, all in bounds.
 * @throws {SchemaFault}
 */
export function safeSchema(given: unknown): Schema {
  if (!isSchemaObject(given)) throw new SchemaFault('are not described by a schema');
  const top = new Copier(given).copy(given, 0);
  const { anyOf: _any, allOf: _all, enum: _enum, const: _const, ...rest } = top;
  if (rest['type'] !== undefined && rest['type'] !== 'object')
    throw new SchemaFault('are no object');
  return { properties: {}, ...rest, type: 'object' };
}

class Copier {
  readonly #root: Schema;
  readonly #open: unknown[] = [];
  #nodes = 0;

  constructor(root: Schema) {
    this.#root = root;
  }

  copy(schema: unknown, depth: number): Schema {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) throw new SchemaFault(`have more than ${MAX_NODES} parts`);
    if (depth > MAX_DEPTH) throw new SchemaFault(`are nested more than ${MAX_DEPTH} deep`);
    if (!isSchemaObject(schema)) return {};
    if (typeof schema['$ref'] === 'string') return this.#follow(schema['$ref'], depth);
    return {
      ...typeOf(schema),
      ...safeDescription(schema),
      ...boundsOf(schema),
      ...valuesOf(schema),
      ...this.#object(schema, depth),
      ...(isSchemaObject(schema['items']) ? { items: this.copy(schema['items'], depth + 1) } : {}),
      ...this.#alternatives(schema, depth),
    };
  }

  /** A schema that contains itself takes anything there. */
  #follow(reference: string, depth: number): Schema {
    const target = this.#lookUp(reference);
    if (this.#open.includes(target)) return {};
    this.#open.push(target);
    const copied = this.copy(target, depth + 1);
    this.#open.pop();
    return copied;
  }

  #lookUp(reference: string): Schema {
    if (!reference.startsWith('#')) throw new SchemaFault('refer to another document');
    let found: unknown = this.#root;
    for (const part of reference.split('/').slice(1)) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
      found = isSchemaObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }
    if (!isSchemaObject(found)) throw new SchemaFault('refer to what is not there');
    return found;
  }

  #object(schema: Schema, depth: number): Schema {
    const { properties, required, additionalProperties: others } = schema;
    const names = isSchemaObject(properties) ? Object.keys(properties) : [];
    const kept = names.filter((name) => PROPERTY.test(name));
    const needed = (Array.isArray(required) ? required : []).filter(
      (name: unknown) => typeof name === 'string',
    );
    if (needed.some((name) => !PROPERTY.test(name)))
      throw new SchemaFault('have a name that is not allowed');
    const copied = kept.map((name) => [name, this.copy((properties as Schema)[name], depth + 1)]);
    return {
      ...(isSchemaObject(properties) ? { properties: Object.fromEntries(copied) } : {}),
      ...(needed.length > 0 ? { required: [...new Set(needed)].slice(0, MAX_LIST) } : {}),
      ...(typeof others === 'boolean' ? { additionalProperties: others } : {}),
      ...(isSchemaObject(others) ? { additionalProperties: this.copy(others, depth + 1) } : {}),
    };
  }

  /** `oneOf` too becomes `anyOf`: without their patterns, several alternatives may fit. */
  #alternatives({ anyOf, oneOf, allOf }: Schema, depth: number): Schema {
    const copies = (list: unknown): Schema[] | undefined =>
      Array.isArray(list) && list.length > 0
        ? list.map((one: unknown) => this.copy(one, depth + 1))
        : undefined;
    return withoutUndefined({ anyOf: copies(anyOf) ?? copies(oneOf), allOf: copies(allOf) });
  }
}

export const isSchemaObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function typeOf({ type }: Schema): Schema {
  if (typeof type === 'string') return TYPES.has(type) ? { type } : {};
  if (!Array.isArray(type)) return {};
  const types = type.filter((one: unknown) => typeof one === 'string' && TYPES.has(one));
  return types.length === 0 ? {} : { type: [...new Set(types)] };
}

const safeDescription = ({ description }: Schema): Schema =>
  typeof description === 'string' && description !== ''
    ? { description: plainLine(description, MAX_TEXT) }
    : {};

function boundsOf(schema: Schema): Schema {
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
  const kept = [
    ...NUMBERS.filter((name) => Number.isFinite(schema[name])),
    ...COUNTS.filter((name) => isCount(schema[name])),
  ];
  return Object.fromEntries(kept.map((name) => [name, schema[name]]));
}

function valuesOf({ enum: list, const: only, default: standard }: Schema): Schema {
  const isList = Array.isArray(list) && list.length > 0 && list.length <= MAX_LIST;
  return {
    ...(isList && list.every(isScalar) ? { enum: [...new Set(list)] } : {}),
    ...(only !== undefined && isScalar(only) ? { enum: [only] } : {}),
    ...(isDefault(standard) ? { default: standard } : {}),
  };
}

/** Of a choice of several: a list. */
const isDefault = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length <= MAX_LIST && value.every(isScalar)
    : value !== undefined && isScalar(value);

/** The value with the defaults of what it leaves out. */
export function withDefaults({ properties }: Schema, value: Schema): Schema {
  const missing = Object.entries(isSchemaObject(properties) ? properties : {}).flatMap(
    ([name, schema]) =>
      isSchemaObject(schema) && Object.hasOwn(schema, 'default') && !Object.hasOwn(value, name)
        ? [[name, schema['default']] as const]
        : [],
  );
  return { ...Object.fromEntries(missing), ...value };
}

const isScalar = (value: unknown): boolean =>
  value === null ||
  typeof value === 'boolean' ||
  Number.isFinite(value) ||
  (typeof value === 'string' && value.length <= MAX_TEXT && value.isWellFormed());

const MAX_BYTES = 256 * 1024;
const MAX_FAULT = 500;

/**
 * Arguments that a JSON schema describes.
 * @param parameters what `safeSchema` returned: nothing in it takes long to check
 */
export function jsonArguments(parameters: Schema): ToolArguments {
  let validate: ValidateFunction | undefined;
  return {
    parameters,
    names: namesIn(parameters),
    check: (given) => {
      if (!isSchemaObject(given)) return { wrong: 'they are no object' };
      if (Buffer.byteLength(JSON.stringify(given)) > MAX_BYTES)
        return { wrong: `they have more than ${MAX_BYTES / 1024} kB` };
      validate ??= compile(parameters);
      return validate(given) === true ? { args: given } : { wrong: faultIn(validate.errors) };
    },
  };
}

/** Each has a compiler of its own, which would keep every schema that it ever saw. */
const compile = (parameters: Schema): ValidateFunction =>
  new Ajv({ strict: false, ownProperties: true, validateSchema: false, logger: false }).compile(
    parameters,
  );

/** One that says nothing of its arguments takes any. */
function namesIn({ properties, additionalProperties: others }: Schema): string[] | undefined {
  const names = Object.keys(isSchemaObject(properties) ? properties : {});
  if (others === true || isSchemaObject(others)) return undefined;
  return names.length === 0 && others === undefined ? undefined : names;
}

function faultIn(errors: readonly ErrorObject[] | null | undefined): string {
  const [first] = errors ?? [];
  if (first === undefined) return 'they do not fit the schema';
  const { instancePath, message = 'is wrong', params } = first;
  const detail: unknown = params['allowedValues'] ?? params['additionalProperty'];
  const place = instancePath === '' ? 'the arguments' : instancePath.slice(1);
  const words = detail === undefined ? message : `${message}: ${JSON.stringify(detail)}`;
  return plainLine(`${place} ${words}`, MAX_FAULT);
}

/** Removes secrets. It comes before anything is cut: half a secret is one too. */
export type Redact = (text: string) => string;

/** Characters that are looked at for each one that is kept: some may be invisible. */
const LOOKED_AT = 4;

/** Text of a server on one line, bounded, with nothing in it that people cannot see. */
export const plainLine = (text: string, limit: number, redact: Redact = (same) => same): string =>
  cutWords(
    redact(withoutInvisible(text.slice(0, limit * LOOKED_AT)))
      .replaceAll(/\s+/g, ' ')
      .trim(),
    limit,
  );

const MAX_CHARACTERS = 200_000;

/** The value without secrets, wherever they are in it; `undefined` if it is too large. */
export function redactedJson(value: unknown, redact: Redact): unknown {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value);
  if (text.length > MAX_CHARACTERS) return undefined;
  try {
    return JSON.parse(redact(text));
  } catch {
    return undefined;
  }
}
