import type { Call, Message } from '../../contracts/model.ts';
import type { CallOutcome, Protocol, Reading, Turn } from '../protocol.ts';
import { toolSpec } from '../tool-spec.ts';
import type { Tool } from '../../contracts/tool.ts';
import { faultOfCalls, unreadableReply } from './call-checks.ts';
import { readReact } from './react-reader.ts';
import { answered, callsOf, faulty, refusedEnd, retold, said, user, wordsOf } from './telling.ts';

const CALL_FORM = `<tool_code>
<name>name_of_the_tool</name>
<parameters>
{"argument": "value"}
</parameters>
</tool_code>`;
const ANSWER_FORM = '<final_answer>\nWhat was done and why, for people.\n</final_answer>';

const ONE_CALL =
  'Only the first call of your reply was run, and nothing after it was kept: one call in a reply, then wait for its observation.';

const inXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
/** JSON in which no tag can stand. */
const inJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll('<', String.raw`\u003c`);

function describe(tool: Tool): string {
  const { name, description, parameters } = toolSpec(tool);
  return `<tool><name>${inXml(name)}</name><description>${inXml(description)}</description>
<parameters>${inJson(parameters)}</parameters></tool>`;
}

const instructions = (tools: readonly Tool[]): string => `# Tools
<tool_definitions>
${tools.map(describe).join('\n')}
</tool_definitions>

# Protocol
You work in a loop:
1. THOUGHT: say in a sentence or two what you learned and what you do next.
2. ACTION: call the one tool that does it, and stop there.
3. OBSERVATION: you get its result in <observation> tags.
4. FINAL ANSWER: when nothing is left to do, say how the work ended. This ends it.

# Output format
A call is written like this, its parameters as one JSON object:
${CALL_FORM}
A final answer is text without a call; it may stand in tags:
${ANSWER_FORM}

# Constraints
- Call only the tools that are defined above.
- ONE call in a reply, and nothing after it.
- Wait for the <observation>; never write one yourself.`;

function read(reply: Parameters<Protocol['read']>[0]): Reading {
  const unread = unreadableReply(reply);
  if (unread !== null) return faulty(unread);
  const { thought, call, answer, fault } = readReact(reply.text);
  if (answer !== undefined) return answered(answer, thought);
  if (call === undefined) return faulty(fault ?? 'it cannot be read', thought);
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

const correction = (fault: string): string =>
  `Your reply could not be used: ${fault}. No call was run. Reply again, either with one call in exactly this form:\n${CALL_FORM}\nor with your final answer:\n${ANSWER_FORM}`;

const written = ({ tool, arguments: args }: Call): string =>
  `<tool_code>\n<name>${tool}</name>\n<parameters>\n${JSON.stringify(args)}\n</parameters>\n</tool_code>`;

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
  instructions,
  specs: () => [],
  read,
  messages: (turn) => {
    const { protocol, answer, fault } = turn.reply;
    const isOwn = protocol === 'react';
    if (fault !== null) {
      return [isOwn ? said(turn) : retold(wordsOf(turn)), user(correction(fault))];
    }
    if (answer === null) return isOwn ? ownCall(turn) : retoldCalls(turn);
    return [isOwn ? said(turn) : retold(answer), ...refusedEnd(turn)];
  },
};
