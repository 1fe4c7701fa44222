import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { ToolArguments } from '../contracts/tool.ts';
import { plainLine } from './plain-line.ts';
import { isObject, type Schema } from './safe-schema.ts';

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
      if (!isObject(given)) return { wrong: 'they are no object' };
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
  const names = Object.keys(isObject(properties) ? properties : {});
  if (others === true || isObject(others)) return undefined;
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
