import type { AskedCall } from '../contracts/mcp.ts';
import { blockquote } from '../lib/text/text.ts';
import { plainLine } from './plain-line.ts';
import { isObject } from './safe-schema.ts';

const MAX_FIELD = 300;

/** A server's question as people read it. Markdown; what the server says is quoted. */
export function questionForPeople(server: string, { tool, question }: AskedCall): string {
  const { properties, required } = question.parameters;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const fields = Object.entries(isObject(properties) ? properties : {}).map(([name, schema]) =>
    fieldLine(name, schema, needed.includes(name)),
  );
  return [
    `The MCP server \`${server}\` asks this before \`${tool}\` continues. These are its words, not mine:`,
    blockquote([question.message, ...(fields.length > 0 ? ['', ...fields] : [])].join('\n')),
    'Answer in your own words, or say that it should not be answered. Do not write secrets here.',
  ].join('\n\n');
}

function fieldLine(name: string, schema: unknown, isNeeded: boolean): string {
  const { type, description } = isObject(schema) ? schema : {};
  const kind = typeof type === 'string' ? type : 'any';
  const said = typeof description === 'string' ? `: ${description}` : '';
  const choices = choicesOf(schema);
  const few = kind === 'array' ? 'Any of' : 'One of';
  const choice = choices.length === 0 ? '' : ` ${few}: ${choices.map(String).join(', ')}`;
  return `- ${plainLine(`${name} (${kind}${isNeeded ? '' : ', optional'})${said}${choice}`, MAX_FIELD)}`;
}

/** The values of a list to choose from, however the schema writes it. */
function choicesOf(schema: unknown): readonly unknown[] {
  const { enum: list, anyOf, items } = isObject(schema) ? schema : {};
  if (Array.isArray(list)) return list;
  if (Array.isArray(anyOf)) return anyOf.flatMap((one: unknown) => choicesOf(one));
  return isObject(items) ? choicesOf(items) : [];
}
