import type { Call, Message, ModelReply } from '../../contracts/model.ts';
import type { Protocol, Reading, ReceivedReply, Turn } from '../protocol.ts';
import { CORRECTIONS, FAULTS, orderOfCalls, toolSpec } from '../prompts/replies.ts';
import { faultOfArguments, faultOfCalls } from './call-checks.ts';
import { callsAtEnd, readForeign } from './foreign/foreign-call.ts';
import {
  answered,
  callsOf,
  failedEnd,
  faulty,
  retold,
  said,
  shownThought,
  user,
  withoutThinking,
  wordsOfReply,
} from './telling.ts';

function read({ text, reasoning, calls, stop, tools }: ReceivedReply): Reading {
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
function readReasoning(reasoning: string, tools: ReceivedReply['tools'], thought: string): Reading {
  const calls = callsAtEnd(reasoning, tools);
  if (calls.length > 0) return readCalls(calls, 'end', thought);
  return faulty(reasoning.trim() === '' ? FAULTS.nothing : FAULTS.onlyReasoning, thought);
}

/** Faulty calls are kept: a provider wants each of them answered. */
function readCalls(calls: readonly Call[], stop: ModelReply['stop'], thought: string): Reading {
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
  read,
  messages: (turn) => {
    const { protocol, calls, answer, fault } = turn.reply;
    const isOwn = protocol === 'native';
    if (answer !== null) return [isOwn ? said(turn) : retold(answer), ...failedEnd(turn)];
    if (calls.length > 0) return withResults(turn);
    return [
      isOwn ? said(turn) : retold(wordsOfReply(turn)),
      user(CORRECTIONS.native(fault ?? FAULTS.nothing)),
    ];
  },
};
