// How a model without tool calling of its own is told to call tools.
import type { ToolSpec } from '../../contracts/model.ts';

export const JSON_FORM =
  '{"plan": "what you do next and why, in a sentence or two", "tool_calls": [{"tool_name": "name_of_the_tool", "arguments": {}}]}';

/** `tools`: a tool is one line, then its arguments as JSON schema. */
export const jsonInstructions = (tools: readonly ToolSpec[]): string =>
  [
    '# Form of every reply',
    `Reply with ONE JSON object and nothing else, no prose and no code fence around it:\n${JSON_FORM}`,
    'The calls run in order; if one fails, those after it are not run. You get the results in the next message.',
    '# Tools',
    ...tools.map(
      ({ name, description, parameters }) =>
        `- ${name}: ${description}\n  arguments: ${JSON.stringify(parameters)}`,
    ),
  ].join('\n');

/** ReAct: a call, its arguments as JSON. */
export const callInTags = (tool: string, args: string): string =>
  `<tool_code>\n<name>${tool}</name>\n<parameters>\n${args}\n</parameters>\n</tool_code>`;

export const CALL_FORM = callInTags('name_of_the_tool', '{"argument": "value"}');

export const FINAL_ANSWER_FORM =
  '<final_answer>\nWhat was done and why, for people.\n</final_answer>';

const inXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
/** JSON in which no tag can stand. */
const inJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll('<', String.raw`\u003c`);

const definition = ({ name, description, parameters }: ToolSpec): string =>
  `<tool><name>${inXml(name)}</name><description>${inXml(description)}</description>
<parameters>${inJson(parameters)}</parameters></tool>`;

export const reactInstructions = (tools: readonly ToolSpec[]): string => `# Tools
<tool_definitions>
${tools.map(definition).join('\n')}
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
A final answer is text without a call; it may be in tags:
${FINAL_ANSWER_FORM}

# Constraints
- Call only the tools that are defined above.
- ONE call in a reply, and nothing after it.
- Wait for the <observation>; never write one yourself.`;
