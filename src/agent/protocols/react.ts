import type { Call, Message } from '../../contracts/model.ts';
import type { CallOutcome, Protocol, Reading, Turn } from '../protocol.ts';
import { toolSpec } from '../tool-spec.ts';
import { CORRECTIONS, FAULTS, ONE_CALL } from '../prompts/faults.ts';
import { callInTags, reactInstructions } from '../prompts/forms.ts';
import { faultOfCalls, unreadableReply } from './call-checks.ts';
import { readReact } from './react-reader.ts';
import { answered, callsOf, faulty, failedEnd, retold, said, user, wordsOf } from './telling.ts';

function read(reply: Parameters<Protocol['read']>[0]): Reading {
  const unread = unreadableReply(reply);
  if (unread !== null) return faulty(unread);
  const { thought, call, answer, fault } = readReact(reply.text);
  if (answer !== undefined) return answered(answer, thought);
  if (call === undefined) return faulty(fault ?? FAULTS.unreadable, thought);
  const wrong = faultOfCalls([call]);
  return wrong === null
    ? { thought, calls: [call], answer: null, fault: null }
    : faulty(wrong, thought);
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

/** The reply as far as it was used: what a model makes up about the result must not stay there. */
function ownCall(turn: Turn): readonly Message[] {
  const { text } = turn.reply;
  const used = text.slice(0, readReact(text).end);
  const results = callsOf(turn).map(([, outcome]) => observation(outcome));
  if (used !== text) results.push(ONE_CALL);
  return [said(turn, used), user(results.join('\n'))];
}

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
export const react: Protocol = {
  name: 'react',
  instructions: (tools) => reactInstructions(tools.map(toolSpec)),
  specs: () => [],
  read,
  messages: (turn) => {
    const { protocol, answer, fault } = turn.reply;
    const isOwn = protocol === 'react';
    if (fault !== null) {
      return [isOwn ? said(turn) : retold(wordsOf(turn)), user(CORRECTIONS.react(fault))];
    }
    if (answer === null) return isOwn ? ownCall(turn) : retoldCalls(turn);
    return [isOwn ? said(turn) : retold(answer), ...failedEnd(turn)];
  },
};
