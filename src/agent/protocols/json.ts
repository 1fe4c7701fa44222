import type { Call, ModelReply } from '../../contracts/model.ts';
import type { Protocol, Reading, Turn } from '../protocol.ts';
import { toolSpec } from '../tool-spec.ts';
import type { Tool } from '../../contracts/tool.ts';
import { faultOfCalls, unreadableReply } from './call-checks.ts';
import { readContract } from './json-reader.ts';
import type { JsonObject } from './relaxed-json.ts';
import { isObject, readWholeJson } from './relaxed-json.ts';
import { callsOf, faulty, retold, said, user, wordsOf } from './telling.ts';

const FORM =
  '{"plan": "what you do next and why, in a sentence or two", "tool_calls": [{"tool_name": "name_of_the_tool", "arguments": {}}]}';

/** A tool as the model reads it: one line, then its arguments as JSON schema. */
function describe(tool: Tool): string {
  const { name, description, parameters } = toolSpec(tool);
  return `- ${name}: ${description}\n  arguments: ${JSON.stringify(parameters)}`;
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
  const given = item['arguments'];
  const args = typeof given === 'string' ? readWholeJson(given) : given;
  if (!isObject(args)) return `the "arguments" of ${place} is not an object`;
  return { tool: name, arguments: args };
}

function readObject(object: JsonObject): Reading {
  const thought = object['plan'] ?? object['thoughts'];
  if (typeof thought !== 'string') return faulty('"plan" is missing or not a string');
  const list = object['tool_calls'];
  if (!Array.isArray(list)) return faulty('"tool_calls" is missing or not an array', thought);
  if (list.length === 0) {
    return faulty(
      '"tool_calls" is empty. Call `finish` when the work is done, or `ask_question` when you need a person',
      thought,
    );
  }
  const calls: Call[] = [];
  for (const [index, item] of list.entries()) {
    const call = readCall(item, index);
    if (typeof call === 'string') return faulty(call, thought);
    calls.push(call);
  }
  const fault = faultOfCalls(calls);
  return fault === null ? { thought, calls, answer: null, fault } : faulty(fault, thought);
}

function read(reply: Pick<ModelReply, 'text' | 'calls' | 'stop'>): Reading {
  const unread = unreadableReply(reply);
  if (unread !== null) return faulty(unread);
  const found = readContract(reply.text);
  return 'fault' in found ? faulty(found.fault) : readObject(found.object);
}

const restated = ({ reply }: Turn): string =>
  JSON.stringify({
    plan: reply.thought,
    tool_calls: reply.calls.map((call) => ({ tool_name: call.tool, arguments: call.arguments })),
  });

const results = (turn: Turn): string =>
  JSON.stringify({
    tool_results: callsOf(turn).map(([{ tool }, { ok, output }]) => ({
      tool_name: tool,
      ...(ok ? { output } : { error: output }),
    })),
  });

const correction = (fault: string): string =>
  `Your reply could not be used: ${fault}. No call was run. Reply again in exactly this form:\n${FORM}`;

/**
 * The protocol for any model that can write JSON: a reply is one object with `plan` (or `thoughts`)
 * and `tool_calls`, executed in order; the results come back as one object as well, in which
 * hostile file content cannot break out of its string.
 */
export const json: Protocol = {
  name: 'json',
  instructions: (tools) =>
    [
      '# Form of every reply',
      `Reply with ONE JSON object and nothing else, no prose and no code fence around it:\n${FORM}`,
      'The calls run in order; when one fails, those after it are not run. You get the results in the next message.',
      '# Tools',
      ...tools.map(describe),
    ].join('\n'),
  specs: () => [],
  read,
  messages: (turn) => {
    const { protocol, fault } = turn.reply;
    const isOwn = protocol === 'json';
    if (fault !== null) {
      return [isOwn ? said(turn) : retold(wordsOf(turn)), user(correction(fault))];
    }
    return [isOwn ? said(turn) : retold(restated(turn)), user(results(turn))];
  },
};
