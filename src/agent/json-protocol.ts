import { z } from 'zod';
import type { Call } from './entries.ts';
import { isObject, readJsonObject } from './json-reader.ts';
import type { CallOutcome, Protocol, Reading } from './protocol.ts';
import type { Tool } from './tool.ts';

const FORM =
  '{"plan": "what you do next and why, in a sentence or two", "tool_calls": [{"tool_name": "name_of_the_tool", "arguments": {}}]}';

/** Results are kept in memory and go back to the model together. */
const MAX_CALLS = 50;
/** Deeper arguments are no tool's, and would exhaust the stack of whoever walks them. */
const MAX_DEPTH = 64;

const faulty = (fault: string): Reading => ({ thought: '', calls: [], fault });

/** A tool as the model reads it: one line, then its arguments as JSON schema. */
function describe(tool: Tool): string {
  const {
    $schema: _version,
    additionalProperties: _closed,
    ...schema
  } = z.toJSONSchema(tool.arguments, { io: 'input' });
  return `- ${tool.name}: ${tool.description}\n  arguments: ${JSON.stringify(schema)}`;
}

/** One item of `tool_calls`, or what is wrong with it. */
function readCall(item: unknown, index: number): Call | string {
  const place = `tool_calls[${index}]`;
  if (!isObject(item)) return `${place} is not an object`;
  const { tool_name: name } = item;
  if (typeof name !== 'string' || name === '') return `${place} has no "tool_name" (a string)`;
  if (!Object.hasOwn(item, 'arguments')) {
    return `${place} has no "arguments"; the key must be exactly "arguments"`;
  }
  const args =
    typeof item['arguments'] === 'string' ? unwrapped(item['arguments']) : item['arguments'];
  if (!isObject(args)) return `the "arguments" of ${place} is not an object`;
  if (isDeeper(args, MAX_DEPTH)) return `the "arguments" of ${place} are nested too deeply`;
  return { tool: name, arguments: args };
}

/** Level by level, since a recursion would need the stack that it is to spare. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > levels) return true;
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
  }
  return false;
}

/** Arguments that were encoded once too often. */
function unwrapped(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function read(text: string, cut: boolean): Reading {
  const found = readJsonObject(text, cut);
  if ('fault' in found) return faulty(found.fault);
  const { object } = found;
  const thought = object['plan'] ?? object['thoughts'];
  if (typeof thought !== 'string') return faulty('"plan" is missing or not a string');
  const list = object['tool_calls'];
  if (!Array.isArray(list)) return faulty('"tool_calls" is missing or not an array');
  if (list.length === 0) {
    return faulty(
      '"tool_calls" is empty. Call `finish` when the work is done, or `ask_question` when you need a person',
    );
  }
  if (list.length > MAX_CALLS) {
    return faulty(`"tool_calls" has ${list.length} calls; at most ${MAX_CALLS} fit into one reply`);
  }
  const calls: Call[] = [];
  for (const [index, item] of list.entries()) {
    const call = readCall(item, index);
    if (typeof call === 'string') return faulty(call);
    calls.push(call);
  }
  return { thought, calls, fault: null };
}

/**
 * The protocol for any model that can write JSON: a reply is one object with `plan` (or `thoughts`)
 * and `tool_calls`, executed in order; the results come back as one object as well, in which
 * hostile file content cannot break out of its string.
 */
export const jsonProtocol: Protocol = {
  name: 'json',
  instructions: (tools) =>
    [
      '# Form of every reply',
      `Reply with ONE JSON object and nothing else, no prose and no code fence around it:\n${FORM}`,
      'The calls run in order; when one fails, those after it are not run. You get the results in the next message.',
      '# Tools',
      ...tools.map(describe),
    ].join('\n'),
  read,
  results: (outcomes: readonly CallOutcome[]) =>
    JSON.stringify({
      tool_results: outcomes.map(({ tool, ok, output }) => ({
        tool_name: tool,
        ...(ok ? { output } : { error: output }),
      })),
    }),
  correction: (fault) =>
    `Your reply could not be used: ${fault}. No call was run. Reply again in exactly this form:\n${FORM}`,
};
