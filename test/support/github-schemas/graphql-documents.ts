// GraphQL documents and their variables, by GitHub's schema.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildASTSchema,
  getVariableValues,
  GraphQLError,
  Kind,
  parse,
  validate,
  type DocumentNode,
  type SelectionSetNode,
  type GraphQLSchema,
} from 'graphql';
import { objectOf, type Json } from './json.ts';
import { excerpt, OCTOKIT, type Fault } from './schema-file.ts';

/** Documents have the same text each time: what changes is in variables. */
const MOST_KEPT = 1000;

export class GraphqlDocuments {
  readonly schema: GraphQLSchema;
  readonly #checked = new Map<string, readonly GraphQLError[]>();

  constructor() {
    const file = path.join(OCTOKIT, 'graphql-schema', 'schema.graphql');
    const document = parse(readFileSync(file, 'utf8'), { noLocation: true });
    this.schema = buildASTSchema(document, { assumeValid: true, assumeValidSDL: true });
  }

  /** The fields that it asks for, and what is wrong with it. */
  check(body: unknown): { readonly name: string; readonly faults: readonly Fault[] } {
    const { query, variables, ...more } = objectOf(body);
    const text = String(query);
    return { name: this.#nameOf(text), faults: this.#faults(text, objectOf(variables), more) };
  }

  /** Such as `repository.pullRequest.reviewThreads`. */
  #nameOf(text: string): string {
    const names: string[] = [];
    let at: SelectionSetNode | undefined;
    for (const one of read(text)?.definitions ?? [])
      if (one.kind === Kind.OPERATION_DEFINITION) at = one.selectionSet;
    while (at !== undefined && names.length < 3) {
      const [first] = at.selections;
      if (first?.kind === Kind.FIELD) names.push(first.name.value);
      at = first?.kind === Kind.FRAGMENT_SPREAD ? undefined : first?.selectionSet;
    }
    return names.join('.') || 'a document that cannot be read';
  }

  #faults(text: string, variables: Json, more: Json): Fault[] {
    const errors = [...this.#documentErrors(text)];
    if (errors.length === 0) errors.push(...this.#variableErrors(text, variables));
    const wrong = errors.map(({ message }) => ({
      path: `: ${message}`,
      wanted: 'valid',
      found: excerpt(text),
    }));
    const unknown = Object.keys(more).filter((name) => name !== 'operationName');
    return [
      ...wrong,
      ...unknown.map((name) => ({
        path: `/${name}`,
        wanted: 'no such field',
        found: excerpt(more[name]),
      })),
    ];
  }

  #documentErrors(text: string): readonly GraphQLError[] {
    const known = this.#checked.get(text);
    if (known !== undefined) return known;
    if (this.#checked.size >= MOST_KEPT) this.#checked.clear();
    const errors = this.#validate(text);
    this.#checked.set(text, errors);
    return errors;
  }

  #validate(text: string): readonly GraphQLError[] {
    const document = read(text);
    if (document === undefined) return [new GraphQLError('no GraphQL')];
    return validate(this.schema, document);
  }

  #variableErrors(text: string, values: Json): readonly GraphQLError[] {
    const definitions = parse(text).definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION ? (one.variableDefinitions ?? []) : [],
    );
    const names = new Set(definitions.map(({ variable }) => variable.name.value));
    const unused = Object.keys(values)
      .filter((name) => !names.has(name))
      .map((name) => new GraphQLError(`the variable $${name} is declared`));
    return [...(getVariableValues(this.schema, definitions, values).errors ?? []), ...unused];
  }
}

/** `undefined`: it is no GraphQL. */
function read(text: string): DocumentNode | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}
