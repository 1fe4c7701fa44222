// How tools are described to a model, and to one without native tool calling, how to write calls as text.
import type { ToolSpec } from '../../contracts/model.ts';
import type { Tool } from '../../contracts/tool.ts';

/** A tool as it is described to models. */
export const toolSpec = (tool: Pick<Tool, 'name' | 'description' | 'arguments'>): ToolSpec => ({
  name: tool.name,
  description: tool.description,
  parameters: tool.arguments.parameters,
});

/** How calls of one reply work together, and which of them wait for the ones before them, by the tools of the run. */
export function orderOfCalls(tools: readonly Tool[]): string {
  const namesOf = (some: readonly Tool[]): string[] => some.map(({ name }) => name);
  const waiting = namesOf(tools.filter(({ waitsFor }) => waitsFor !== undefined));
  const ending = namesOf(tools.filter(({ waitsFor }) => waitsFor === 'edits and tests'));
  const canEdit = tools.some((tool) => tool.edits !== undefined);
  const canTest = tools.some(({ name }) => name === 'run_tests');
  const change = listed(['a change', 'its tests', ...(canTest ? ['their run'] : []), ...ending]);
  const together = canEdit ? `searches and reads; ${change}` : 'searches and reads';
  const edits = canEdit
    ? ` After an edit that did not apply, ${listed(['later edits of that file', ...waiting])} are not run.`
    : '';
  const tests =
    canTest && ending.length > 0
      ? ` If tests before ${ending.length === 1 ? 'it' : 'them'} failed or could not run, ${listed(ending)} ${ending.length === 1 ? 'is' : 'are'} not run; other commands may fail.`
      : '';
  return `The calls of a reply run in order. Make all that need no earlier result in one reply: ${together}.${edits}${tests}`;
}

const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');

export const JSON_FORM =
  '{"plan": "what you will do next and why, in one or two sentences", "tool_calls": [{"tool_name": "name_of_the_tool", "arguments": {}}]}';

/** `tools`: a tool is one line, then its arguments as JSON schema. */
export const jsonInstructions = (tools: readonly ToolSpec[], order: string): string =>
  [
    '# Form of every reply',
    `Reply with ONE JSON object and nothing else: no other text, and no code fence around it:\n${JSON_FORM}`,
    `${order} The next message contains the results.`,
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

const inXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
/** JSON that cannot contain a tag. */
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
2. ACTION: call the one tool that does it, then stop.
3. OBSERVATION: you receive its result in <observation> tags.
4. FINAL ANSWER: when nothing is left to do, call \`finish\`. Its summary is your final answer.

# Output format
A call, with its parameters as one JSON object:
${CALL_FORM}

# Constraints
- Call only the tools above: ONE call per reply, and nothing after it.
- Wait for the <observation>. Never write one yourself.`;
