// Requests to the REST API and their answers, by GitHub's description of the operation.
import type { Exchange } from '../../../packages/local-github/src/github/observer.ts';
import { listOf, objectOf, type Json } from './json.ts';
import { excerpt, SchemaFile, type Fault } from './schema-file.ts';

/** A `Fault`, and the part of the request or the answer that has it. */
export interface PlacedFault extends Fault {
  readonly part: 'path' | 'query' | 'body' | 'status' | 'answer';
}

interface Operation {
  readonly id: string;
  readonly path: string;
  readonly description: Json;
}

/** GitHub's documentation lets the path of a file be empty; a description of a path cannot. */
const ALIASES = new Map([['/repos/:owner/:repo/contents', '/repos/:owner/:repo/contents/*']]);

/**
 * What errors have. Not each operation describes all its errors, and the description of 422 leaves out the `status`
 * that it has (r-lib/gh#229).
 */
const ERRORS = {
  anyOf: ['basic-error', 'validation-error'].map((name) => ({
    $ref: `#/components/schemas/${name}`,
  })),
};

/** Names of parameters differ between descriptions and routes. */
const skeleton = (path: string): string => path.replace(/\{[^}]+\}|:\w+|\*/g, '{}');

export class Operations {
  readonly #file = new SchemaFile('openapi');
  readonly #errorSchemas = new Map<unknown, Json>();
  readonly #byRoute = new Map<string, Operation>();

  constructor() {
    for (const [path, methods] of Object.entries(objectOf(this.#file.content['paths'])))
      for (const [method, description] of Object.entries(objectOf(methods))) {
        const id = String(objectOf(description)['operationId']);
        const route = `${method.toUpperCase()} ${skeleton(path)}`;
        this.#byRoute.set(route, { id, path, description: objectOf(description) });
      }
  }

  /** The name of GitHub's operation; `undefined` if it describes none. */
  find(method: string, route: string): Operation | undefined {
    return this.#byRoute.get(`${method} ${skeleton(ALIASES.get(route) ?? route)}`);
  }

  faults(operation: Operation, exchange: Exchange): PlacedFault[] {
    return [
      ...this.#requestFaults(operation, exchange),
      ...this.#answerFaults(operation, exchange),
    ];
  }

  #requestFaults({ path, description }: Operation, exchange: Exchange): PlacedFault[] {
    const parameters = listOf(description['parameters']).map((one) => this.#file.resolve(one));
    const values = Object.values(exchange.params);
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name);
    const inPath = Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
    return [
      ...this.#parameterFaults(parameters, 'path', inPath),
      ...this.#parameterFaults(parameters, 'query', exchange.query),
      ...this.#bodyFaults(description, exchange.body),
    ];
  }

  #parameterFaults(
    parameters: readonly Json[],
    part: 'path' | 'query',
    values: Readonly<Record<string, string>>,
  ): PlacedFault[] {
    const ofPart = parameters.filter((one) => one['in'] === part);
    const byName = new Map(ofPart.map((one) => [String(one['name']), one]));
    const given = Object.entries(values).flatMap(([name, value]): Fault[] => {
      const parameter = byName.get(name);
      const path = `/${name}`;
      if (parameter === undefined)
        return [{ path, wanted: 'no such parameter', found: excerpt(value) }];
      const faults = this.#file.faultsOfText(parameter['schema'], value);
      return faults.map((fault) => ({ ...fault, path: path + fault.path }));
    });
    const missing = ofPart
      .filter((one) => one['required'] === true && values[String(one['name'])] === undefined)
      .map((one) => ({ path: `/${String(one['name'])}`, wanted: 'a parameter', found: 'nothing' }));
    return [...given, ...missing].map((fault) => ({ ...fault, part }));
  }

  #bodyFaults(description: Json, body: unknown): PlacedFault[] {
    const wanted = description['requestBody'];
    const { required, content } = this.#file.resolve(wanted);
    const part = 'body';
    if (body === undefined || body === null)
      return required === true ? [{ part, path: '', wanted: 'a body', found: 'nothing' }] : [];
    if (wanted === undefined) return [{ part, path: '', wanted: 'no body', found: excerpt(body) }];
    const schema = jsonSchema(content);
    if (schema === undefined) return [];
    return this.#file.faults(schema, body).map((fault) => ({ ...fault, part }));
  }

  /** One for each description, since compiled schemas are kept. */
  #errors(described: unknown = ERRORS): Json {
    const known = this.#errorSchemas.get(described) ?? { anyOf: [described, ERRORS] };
    this.#errorSchemas.set(described, known);
    return known;
  }

  #answerFaults({ description }: Operation, { status, answer }: Exchange): PlacedFault[] {
    const responses = objectOf(description['responses']);
    const response = responses[String(status)];
    const part = 'answer';
    if (response === undefined && status < 300) {
      const wanted = `one of ${Object.keys(responses).join(', ')}`;
      return [{ part: 'status', path: '', wanted, found: String(status) }];
    }
    // A file or a difference as such, which a media type of its own asks for.
    if (typeof answer === 'string') return [];
    const { content } = this.#file.resolve(response);
    const described = jsonSchema(content);
    const schema = status < 400 ? described : this.#errors(described);
    if (schema !== undefined)
      return this.#file.faults(schema, answer).map((fault) => ({ ...fault, part }));
    const isEmpty = answer === undefined || status >= 300;
    return isEmpty ? [] : [{ part, path: '', wanted: 'nothing', found: excerpt(answer) }];
  }
}

const jsonSchema = (content: unknown): unknown =>
  objectOf(objectOf(content)['application/json'])['schema'];
