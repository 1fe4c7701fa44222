// The protocols: how a model is told of its tools, how its replies are read, and how a turn is told to it again.
import type { ProtocolName } from '../../contracts/entries.ts';
import type { Call, Message, ModelReply } from '../../contracts/model.ts';
import {
  ANSWER_WAS_CUT,
  badItem,
  callInTags,
  FAULTS,
  jsonInstructions,
  ONE_CALL,
  orderOfCalls,
  reactInstructions,
  toolSpec,
} from '../prompts/replies.ts';
import {
  answered,
  asJson,
  called,
  callsOf,
  corrected,
  ended,
  faultOfArguments,
  faultOfCalls,
  faulty,
  retold,
  said,
  shownThought,
  unreadableReply,
  user,
  withoutThinking,
  type CallOutcome,
  type Protocol,
  type ReplyReading,
  type ReceivedReply,
  type Turn,
} from './protocol.ts';
import { callsAtEnd, readForeign, type ForeignCalls } from './foreign/foreign-calls.ts';
import { readContract } from './json-reader.ts';
import { isObject, readWholeJson, type JsonObject } from './relaxed-json.ts';
import { readReact, textArgumentOf, type ReactReading, type TextArgument } from './react-reader.ts';

function readNativeReply({ text, reasoning, calls, stop, tools }: ReceivedReply): ReplyReading {
  const thought = shownThought(withoutThinking(text)) || shownThought(reasoning);
  if (calls.length > 0) return readCalls(calls, stop, thought);
  if (stop === 'cut') return faulty(FAULTS.cut, thought);
  const answer = withoutThinking(text).trim();
  if (answer === '') return readReasoning(reasoning, tools, thought);
  const foreign = readForeign(answer, tools);
  if (foreign === undefined) return answered(answer, shownThought(reasoning));
  if (foreign === 'unreadable') return faulty(FAULTS.writtenCall, thought);
  return readCalls(foreign.calls, stop, shownThought(foreign.thought) || shownThought(reasoning));
}

/**
 * A reply with nothing but reasoning. Some servers take a call for a part of it: if it ends with calls, and there is no doubt
 * about them, they are meant.
 */
function readReasoning(
  reasoning: string,
  tools: ReceivedReply['tools'],
  thought: string,
): ReplyReading {
  const calls = callsAtEnd(reasoning, tools);
  if (calls.length > 0) return readCalls(calls, 'end', thought);
  return faulty(reasoning.trim() === '' ? FAULTS.nothing : FAULTS.onlyReasoning, thought);
}

/** Faulty calls are kept: a provider wants each of them answered. */
function readCalls(
  calls: readonly Call[],
  stop: ModelReply['stop'],
  thought: string,
): ReplyReading {
  const fault = stop === 'cut' ? FAULTS.cut : faultOfCalls(calls);
  return { thought, calls: fault === null ? calls : calls.map(storable), answer: null, fault };
}

/** Drops arguments that are nested too deeply to traverse; the call is not run. */
const storable = (call: Call): Call =>
  faultOfArguments(call.arguments) === null ? call : { ...call, arguments: {} };

/** Under another protocol the calls of a reply have no names; these are the same in every request. */
const withIds = ({ reply }: Turn): readonly (Call & { readonly id: string })[] =>
  reply.calls.map((call, index) => ({ ...call, id: call.id ?? `call_${reply.seq}_${index}` }));

function withResults(turn: Turn): readonly Message[] {
  const { reply } = turn;
  // Calls that were read from the text have no ids. The model sees them made as it was asked to make them.
  const isOwn = reply.protocol === 'native' && reply.calls.some(({ id }) => id !== undefined);
  const calls = withIds(turn);
  const results = callsOf(turn).map(([{ tool }, { ok, output }], index) => ({
    id: calls[index]?.id ?? '',
    tool,
    ok,
    output,
  }));
  return [
    {
      role: 'assistant',
      text: isOwn ? reply.text : reply.thought,
      calls,
      native: isOwn ? reply.native : null,
    },
    { role: 'results', results },
  ];
}

/** The provider's own tool calling. Models are trained for it, so the system prompt only says what they cannot know. */
export const native: Protocol = {
  name: 'native',
  instructions: (tools) => `# Calls\n${orderOfCalls(tools)}`,
  specs: (tools) => tools.map(toolSpec),
  read: readNativeReply,
  messages: (turn) => {
    const { calls, answer, fault } = turn.reply;
    if (answer !== null) return ended(turn, 'native', answer);
    if (calls.length > 0) return withResults(turn);
    return corrected(turn, 'native', fault ?? FAULTS.nothing);
  },
};

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

function readObject(object: JsonObject): ReplyReading {
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
  return called(calls, thought);
}

function readJsonReply(reply: ReceivedReply): ReplyReading {
  const unread = unreadableReply(reply);
  if (unread !== null) return faulty(unread);
  const found = readContract(reply.text);
  if (!('fault' in found)) return readObject(found.object);
  const foreign =
    found.fault === FAULTS.noObject
      ? readForeign(withoutThinking(reply.text), reply.tools)
      : undefined;
  return typeof foreign === 'object' ? called(foreign.calls, foreign.thought) : faulty(found.fault);
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

const jsonResults = (turn: Turn): string =>
  JSON.stringify({
    tool_results: callsOf(turn).map(([{ tool }, { ok, output }]) =>
      ok ? { tool_name: tool, output } : { tool_name: tool, error: output },
    ),
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
  read: readJsonReply,
  messages: (turn) => {
    const { protocol, fault } = turn.reply;
    if (fault !== null) return corrected(turn, 'json', fault);
    const words = protocol === 'json' ? said(turn, inJson(turn)) : retold(restated(turn));
    return [words, user(jsonResults(turn))];
  },
};

function readReactReply(reply: ReceivedReply): ReplyReading {
  const unread = unreadableReply(reply);
  if (unread !== null) return faulty(unread);
  const found = readReact(reply.text, textArgumentOf(reply.tools));
  const { thought, call, answer } = found;
  if (call !== undefined) return called([call], thought);
  const foreign = foreignIn(found, reply);
  if (typeof foreign === 'object') return called(foreign.calls, foreign.thought);
  if (foreign === 'unreadable') return faulty(FAULTS.otherForm, thought);
  if (answer !== undefined) return answered(answer, thought);
  return faulty(found.fault ?? FAULTS.unreadable, thought);
}

/** Calls in another form where an answer would be. In the tags of an answer they are its subject, unless they are all of it. */
function foreignIn({ answer, fault }: ReactReading, { text, tools }: ReceivedReply): ForeignCalls {
  if (answer === undefined) {
    const isOpen = fault === FAULTS.thoughtOnly || fault === FAULTS.noActionInput;
    const found = isOpen ? readForeign(withoutThinking(text), tools) : undefined;
    return found === 'unreadable' ? undefined : found;
  }
  const inside = readForeign(answer, tools);
  if (!text.includes('</final_answer>')) return inside;
  const outside = readForeign(withoutThinking(text).split(answer).join(' '), tools);
  const isWhole = typeof inside === 'object' && inside.thought === '';
  return outside !== undefined || isWhole ? 'unreadable' : undefined;
}

/**
 * What a tool said cannot close its tag: a closing tag of its own gets a backslash, and one that has
 * backslashes gets one more, so that it can be told what stood there.
 */
const escaped = (output: string): string =>
  output.replaceAll(/<(\\*)(\s*\/\s*observation)/gi, String.raw`<\$1$2`);

const observation = ({ ok, output }: CallOutcome): string =>
  `<observation>\n${ok ? '' : 'Error: '}${escaped(output)}\n</observation>`;

const written = ({ tool, arguments: args }: Call): string => callInTags(tool, JSON.stringify(args));

/**
 * The reply as far as it was used: what a model makes up about the result must not stay there. Its arguments
 * are valid JSON: a model repeats the form that it sees.
 */
function ownCall(turn: Turn): readonly Message[] {
  const { text } = turn.reply;
  const { end, written: args, call } = readReact(text, textArgumentIn(turn));
  const used = text.slice(0, end);
  const results = callsOf(turn).map(([, outcome]) => observation(outcome));
  if (used !== text) results.push(ONE_CALL);
  const words = args === undefined ? used : asJson(used, args, call?.arguments);
  return [said(turn, words), user(results.join('\n'))];
}

/** As it was read: the call has the name that its text got. */
const textArgumentIn =
  ({ reply: { calls } }: Turn): TextArgument =>
  (tool) => {
    const args = calls.find((call) => call.tool === tool)?.arguments;
    return isObject(args) ? Object.keys(args)[0] : undefined;
  };

/** Calls that were made together, told one by one. */
const retoldCalls = (turn: Turn): readonly Message[] =>
  callsOf(turn).flatMap(([call, outcome], index) => {
    const thought = index === 0 ? turn.reply.thought : '';
    return [retold(`${thought}\n\n${written(call)}`.trim()), user(observation(outcome))];
  });

/**
 * Thought, action and observation in tags: one call in a reply, chosen after the result of the one
 * before it. The classic `Action:` lines are read as well.
 */
export const reactProtocol: Protocol = {
  name: 'react',
  instructions: (tools) => reactInstructions(tools.map(toolSpec)),
  specs: () => [],
  read: readReactReply,
  messages: (turn) => {
    const { protocol, answer, fault } = turn.reply;
    if (fault !== null) return corrected(turn, 'react', fault);
    if (answer !== null) return ended(turn, 'react', answer);
    return protocol === 'react' ? ownCall(turn) : retoldCalls(turn);
  },
};

function readAnswerOnly({ text, reasoning, stop }: ReceivedReply): ReplyReading {
  const thought = shownThought(reasoning);
  const answer = withoutThinking(text).trim();
  if (answer === '') return faulty(stop === 'cut' ? FAULTS.cut : FAULTS.wordless, thought);
  return answered(stop === 'cut' ? answer + ANSWER_WAS_CUT : answer, thought);
}

/** For models, or owners, that want no tools: whatever the model says is its answer. */
export const none: Protocol = {
  name: 'none',
  instructions: () => '',
  specs: () => [],
  read: readAnswerOnly,
  messages: (turn) => {
    const { answer, fault } = turn.reply;
    if (fault !== null) return corrected(turn, 'none', fault);
    return answer === null ? jsonProtocol.messages(turn) : ended(turn, 'none', answer);
  },
};

const PROTOCOLS: Readonly<Record<ProtocolName, Protocol>> = {
  native,
  json: jsonProtocol,
  react: reactProtocol,
  none,
};

export const protocolNamed = (name: ProtocolName): Protocol => PROTOCOLS[name];
