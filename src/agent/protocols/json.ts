import type { Call } from '../../contracts/model.ts';
import type { Protocol, Reading, ReceivedReply, Turn } from '../protocol.ts';
import {
  badItem,
  CORRECTIONS,
  FAULTS,
  jsonInstructions,
  orderOfCalls,
  toolSpec,
} from '../prompts/replies.ts';
import { faultOfCalls, unreadableReply } from './call-checks.ts';
import { readForeign } from './foreign/foreign-call.ts';
import { readContract } from './json-reader.ts';
import { isObject, readWholeJson, type JsonObject } from './relaxed-json.ts';
import {
  asJson,
  callsOf,
  faulty,
  retold,
  said,
  user,
  withoutThinking,
  wordsOfReply,
} from './telling.ts';

/** One item of `tool_calls`, or what is wrong with it. */
function readCall(item: unknown, index: number): Call | string {
  if (!isObject(item)) return badItem(index, 'noObject');
  const { tool_name: name } = item;
  if (typeof name !== 'string' || name === '') return badItem(index, 'noName');
  if (!Object.hasOwn(item, 'arguments')) return badItem(index, 'noArguments');
  const given = item['arguments'];
  const args = typeof given === 'string' ? readWholeJson(given) : given;
  if (!isObject(args)) return badItem(index, 'argumentsNoObject');
  return { tool: name, arguments: args };
}

function readObject(object: JsonObject): Reading {
  const thought = object['plan'] ?? object['thoughts'];
  if (typeof thought !== 'string') return faulty(FAULTS.noPlan);
  const list = object['tool_calls'];
  if (!Array.isArray(list)) return faulty(FAULTS.noCalls, thought);
  if (list.length === 0) return faulty(FAULTS.emptyCalls, thought);
  const calls: Call[] = [];
  for (const [index, item] of list.entries()) {
    const call = readCall(item, index);
    if (typeof call === 'string') return faulty(call, thought);
    calls.push(call);
  }
  const fault = faultOfCalls(calls);
  return fault === null ? { thought, calls, answer: null, fault } : faulty(fault, thought);
}

function read(reply: ReceivedReply): Reading {
  const unread = unreadableReply(reply);
  if (unread !== null) return faulty(unread);
  const found = readContract(reply.text);
  if (!('fault' in found)) return readObject(found.object);
  const foreign =
    found.fault === FAULTS.noObject
      ? readForeign(withoutThinking(reply.text), reply.tools)
      : undefined;
  if (typeof foreign !== 'object') return faulty(found.fault);
  const { thought, calls } = foreign;
  const fault = faultOfCalls(calls);
  return fault === null ? { thought, calls, answer: null, fault } : faulty(fault, thought);
}

const restated = ({ reply }: Turn): string =>
  JSON.stringify({
    plan: reply.thought,
    tool_calls: reply.calls.map((call) => ({ tool_name: call.tool, arguments: call.arguments })),
  });

/** The reply as it was written, but in valid JSON: a model repeats the form that it sees. */
function inJson({ reply: { text } }: Turn): string {
  const found = readContract(text);
  return 'fault' in found ? text : asJson(text, found.written, found.object);
}

const results = (turn: Turn): string =>
  JSON.stringify({
    tool_results: callsOf(turn).map(([{ tool }, { ok, output }]) => ({
      tool_name: tool,
      ...(ok ? { output } : { error: output }),
    })),
  });

/**
 * The protocol for any model that can write JSON: a reply is one object with `plan` (or `thoughts`)
 * and `tool_calls`, executed in order; the results come back as one object as well, in which
 * hostile file content cannot break out of its string.
 */
export const jsonProtocol: Protocol = {
  name: 'json',
  instructions: (tools) => jsonInstructions(tools.map(toolSpec), orderOfCalls(tools)),
  specs: () => [],
  read,
  messages: (turn) => {
    const { protocol, fault } = turn.reply;
    const isOwn = protocol === 'json';
    if (fault !== null) {
      return [isOwn ? said(turn) : retold(wordsOfReply(turn)), user(CORRECTIONS.json(fault))];
    }
    return [isOwn ? said(turn, inJson(turn)) : retold(restated(turn)), user(results(turn))];
  },
};
