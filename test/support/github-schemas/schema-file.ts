// A file of GitHub's OpenAPI descriptions. Validators are compiled when they are first used.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { isObject, objectOf, type Json } from './json.ts';
import { unknownFields } from './unknown-fields.ts';

/** Where a value differs from its schema. */
export interface Fault {
  /** Such as `/labels/-/color`: `-` is any place in a list. */
  readonly path: string;
  readonly wanted: string;
  readonly found: string;
}

/** GitHub's descriptions, as npm has them. Their packages export no single file. */
export const OCTOKIT = path.resolve(import.meta.dirname, '../../../node_modules/@octokit');
const REFERENCE = '#/components/schemas/';
/** They say nothing about what is valid. */
const NOTES = /^(x-.*|examples?|title|description|default|readOnly|deprecated|discriminator)$/;
const LONGEST = 120;

export class SchemaFile {
  readonly content: Json;
  readonly #exact: Validators;
  readonly #coercing: Validators;

  constructor(name: string) {
    const file = path.join(OCTOKIT, name, 'generated', 'api.github.com.json');
    this.content = objectOf(JSON.parse(readFileSync(file, 'utf8')));
    this.#exact = new Validators(this.resolve, { coerces: false });
    this.#coercing = new Validators(this.resolve, { coerces: true });
  }

  /** Follows a reference, if it is one. */
  readonly resolve = (value: unknown): Json => {
    const { $ref, ...own } = objectOf(value);
    if (typeof $ref !== 'string') return own;
    const names = $ref.slice(2).split('/');
    return objectOf(names.reduce<unknown>((at, name) => objectOf(at)[name], this.content));
  };

  /** What is wrong with a value, and which of its fields the schema does not know. */
  faults(schema: unknown, value: unknown): Fault[] {
    const unknown = unknownFields(this.resolve, [schema], value);
    return [
      ...this.#exact.faults(schema, value),
      ...unknown.map(({ path: names, value: found }) => ({
        path: pathOf(names),
        wanted: 'no such field',
        found: excerpt(found),
      })),
    ];
  }

  /** The same of a text, as those of a query, which may stand for something else. */
  faultsOfText(schema: unknown, text: string): Fault[] {
    return this.#coercing.faults(schema, text);
  }
}

class Validators {
  readonly #resolve: (reference: unknown) => Json;
  readonly #ajv: Ajv2020;
  readonly #added = new Set<string>();
  readonly #compiled = new Map<unknown, ValidateFunction>();

  constructor(resolve: (reference: unknown) => Json, { coerces }: { readonly coerces: boolean }) {
    this.#resolve = resolve;
    this.#ajv = new Ajv2020({
      allErrors: true,
      strict: false,
      inlineRefs: false,
      coerceTypes: coerces ? 'array' : false,
      formats: { 'repo.nwo': /^[^/]+\/[^/]+$/ },
    });
    addFormats.default(this.#ajv);
  }

  faults(schema: unknown, value: unknown): Fault[] {
    // Ajv coerces what is in an object.
    const root = { value };
    const validate = this.#validator(schema);
    const errors = validate(root) ? [] : (validate.errors ?? []);
    return decisive(errors).map((error) => faultOf(error, root));
  }

  #validator(schema: unknown): ValidateFunction {
    const known = this.#compiled.get(schema);
    if (known !== undefined) return known;
    const own = this.#prepare(schema);
    const compiled = this.#ajv.compile({ type: 'object', properties: { value: own } });
    this.#compiled.set(schema, compiled);
    return compiled;
  }

  /**
   * The schema for Ajv, which needs no `nullable`. GitHub's alternatives (`oneOf`) overlap: an answer often fits
   * several of them.
   */
  #prepare(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.#prepare(one));
    if (!isObject(schema)) return schema;
    if (typeof schema['$ref'] === 'string') return { $ref: this.#add(schema['$ref']) };
    const own: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema))
      if (keyword === 'properties')
        own[keyword] = Object.fromEntries(
          Object.entries(objectOf(value)).map(([name, one]) => [name, this.#prepare(one)]),
        );
      else if (keyword === 'oneOf') own['anyOf'] = this.#prepare(value);
      else if (keyword === 'enum') own[keyword] = value;
      else if (keyword !== 'nullable' && !NOTES.test(keyword)) own[keyword] = this.#prepare(value);
    return schema['nullable'] === true ? { anyOf: [{ type: 'null' }, own] } : own;
  }

  /** Makes the component known to Ajv, and returns its name there. */
  #add(reference: string): string {
    const name = reference.slice(REFERENCE.length);
    if (this.#added.has(name)) return name;
    this.#added.add(name);
    this.#ajv.addSchema(objectOf(this.#prepare(this.#resolve({ $ref: reference }))), name);
    return name;
  }
}

/** Without those that only say that no alternative fits, if something within one does not fit. */
function decisive(errors: readonly ErrorObject[]): ErrorObject[] {
  const isVague = ({ keyword, params }: ErrorObject): boolean =>
    keyword === 'anyOf' || (keyword === 'type' && params['type'] === 'null');
  return errors.filter(
    (one) =>
      !isVague(one) ||
      !errors.some(
        (other) => !isVague(other) && `${other.instancePath}/`.startsWith(`${one.instancePath}/`),
      ),
  );
}

function faultOf({ keyword, params, instancePath, message }: ErrorObject, root: Json): Fault {
  const names = instancePath.split('/').slice(1).map(unescape);
  const found = names.reduce<unknown>((at, name) => Object(at)[name], root);
  const at = pathOf(names.slice(1));
  if (keyword === 'required')
    return { path: `${at}/${params['missingProperty']}`, wanted: 'a field', found: 'nothing' };
  const wanted =
    keyword === 'enum' ? `one of ${JSON.stringify(params['allowedValues'])}` : String(message);
  return { path: at, wanted: wanted.replace(/^must be /, ''), found: excerpt(found) };
}

const unescape = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~');

const pathOf = (names: readonly string[]): string =>
  names.map((name) => `/${/^\d+$/.test(name) ? '-' : name}`).join('');

export function excerpt(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
