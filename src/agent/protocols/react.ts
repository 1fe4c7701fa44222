import type { Call, Message } from '../../contracts/model.ts';
import type { CallOutcome, Protocol, Reading, ReceivedReply, Turn } from '../protocol.ts';
import {
  callInTags,
  CORRECTIONS,
  FAULTS,
  ONE_CALL,
  reactInstructions,
  toolSpec,
} from '../prompts/replies.ts';
import { faultOfCalls, unreadableReply } from './call-checks.ts';
import { readForeign, type ForeignCalls } from './foreign/foreign-call.ts';
import { readReact, type ReactReading } from './react-reader.ts';
import {
  answered,
  asJson,
  callsOf,
  failedEnd,
  faulty,
  retold,
  said,
  user,
  withoutThinking,
  wordsOfReply,
} from './telling.ts';
import { textArgumentOf, type TextArgument } from './thought-action-reader.ts';
import { isObject } from './relaxed-json.ts';

function read(reply: ReceivedReply): Reading {
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

function called(calls: readonly Call[], thought: string): Reading {
  const wrong = faultOfCalls(calls);
  return wrong === null ? { thought, calls, answer: null, fault: null } : faulty(wrong, thought);
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
  read,
  messages: (turn) => {
    const { protocol, answer, fault } = turn.reply;
    const isOwn = protocol === 'react';
    if (fault !== null) {
      return [isOwn ? said(turn) : retold(wordsOfReply(turn)), user(CORRECTIONS.react(fault))];
    }
    if (answer === null) return isOwn ? ownCall(turn) : retoldCalls(turn);
    return [isOwn ? said(turn) : retold(answer), ...failedEnd(turn)];
  },
};
