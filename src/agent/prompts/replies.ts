// How the model writes calls; what it reads as the result of a call that was skipped, or that the service comments on; and what
// was wrong with a reply.
import { cutMiddle } from '../../lib/text/text.ts';
import type { ToolSpec } from '../../contracts/model.ts';
import type { Tool } from '../../contracts/tool.ts';

/** Replaces a reply without text, which providers do not accept back. */
export const NO_WORDS = '(no words)';

export const SAME_AGAIN =
  '(This call is identical to the previous one. A third identical call would end this run.)';

export const REPEATED = 'not run: this is the third identical call in a row, which ended this run';

export const TIME_IS_UP = 'not run: the time limit of this run was reached';
export const AFTER_END = 'not run: an earlier call ended this run';
export const AFTER_FAILED_EDIT =
  'not run: an edit before it in this reply did not apply. Make it again once that is done';
export const AFTER_RED_TESTS =
  'not run: the tests before it in this reply did not pass. Make the call again once they do, or if the failure is not yours';
const FOR_PEOPLE = 'not run, because people wait: ';
export const NEWS_WAITS = `${FOR_PEOPLE}they wrote something new, which follows. Do what it asks or answer it, then make this call again`;
export const AFTER_FAILED_REPLY = `${FOR_PEOPLE}a reply to someone before it did not go through. Correct that, or leave it out, and make this call again`;
/** `logins`: of those whose questions nothing answers yet. */
export const unanswered = (logins: readonly string[]): string =>
  `${FOR_PEOPLE}${logins.map((login) => `@${login}`).join(', ')} asked something, and the summary is for everyone. Answer with reply, or make this call again if the summary answers it`;

/** Whether the end of the work was held back because of what people said. */
export const isHeldForPeople = ({ output }: { readonly output: string }): boolean =>
  output.startsWith(FOR_PEOPLE);

/** Follows one of these, of a call that keeps what was given before. */
export const LEAVE_OUT = '; without a summary, it keeps this one';
export const TESTS_WERE_RED = '(The tests before it in this reply did not pass.)';

/** Whether a call was not even tried, for what became of others in its reply. */
export const wasSkipped = ({ output }: { readonly output: string }): boolean =>
  isHeldForPeople({ output }) ||
  [AFTER_END, AFTER_FAILED_EDIT, AFTER_RED_TESTS].some((why) =>
    [why, why + LEAVE_OUT].includes(output),
  );

/** Calls without a result in the previous run; one that had started may have had effects. */
export const leftOpen = (wasStarted: boolean): string =>
  `${wasStarted ? 'interrupted, and it is unknown whether it took effect' : 'not run'}: the run that made the call has ended`;

export const notRunWith = (fault: string | null): string =>
  `not run: ${fault ?? 'the run was abandoned'}`;

export const unknownTool = (name: string, tools: readonly string[]): string =>
  `there is no tool "${name}". The tools are: ${tools.join(', ')}`;

export const invalidArguments = (tool: string, wrong: string): string =>
  `the arguments of ${tool} are invalid: ${wrong}`;

export const unknownArgument = (tool: string, name: string, known: readonly string[]): string =>
  known.length === 0
    ? `${tool} takes no arguments: leave out "${name}"`
    : `${tool} has no argument "${name}". Its arguments are: ${known.join(', ')}`;

export const givenTwice = (tool: string, name: string): string =>
  `the argument ${name} of ${tool} is given twice, under two names: give it once`;

/** While the plan waits for approval. */
export const notBeforeApproval = (tool: string): string =>
  `${tool} was not run: the plan is not approved yet, and until then you must not change anything. Explore the repository, then call update_plan with all steps. People will then be asked to approve it.`;

const NO_ROOM =
  '(The middle was left out: there is no room for more in your context window. Ask for it in smaller parts.)';

/** A result in at most so many characters, more than a few hundred. */
export const cutToRoom = (output: string, most: number): string =>
  output.length <= most ? output : `${cutMiddle(output, most - NO_ROOM.length - 1)}\n${NO_ROOM}`;

export const couldNotEnd = (output: string): string => `The work could not be ended: ${output}`;

// How tools are described to a model, and to one without native tool calling, how to write calls as text.

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
  const them = ending.length === 1 ? 'it' : 'them';
  const are = ending.length === 1 ? 'is' : 'are';
  const tests =
    canTest && ending.length > 0
      ? ` If tests before ${them} failed or could not run, ${listed(ending)} ${are} not run; other commands may fail.`
      : '';
  return `The calls of a reply run in order. Make all that need no earlier result in one reply: ${together}.${edits}${tests}`;
}

const listed = (names: readonly string[]): string =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' and ');

const JSON_FORM =
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

const CALL_FORM = callInTags('name_of_the_tool', '{"argument": "value"}');

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

// What the model reads about a reply that could not be used: what is wrong with it (as the end of "Your
// reply could not be used: …"), and how to write it again.

export const FAULTS = {
  cut: 'it reached the output limit and was cut off, so no call was run. Work in smaller parts: make fewer calls in one reply, and write long files in several edits',
  filtered: "the provider's safety filter stopped it",
  wordless: 'it contains no text',
  /** Native tool calling. */
  nothing: 'it contains neither a call nor an answer. Call a tool, or write how the work ended',
  onlyReasoning:
    'it ended with its reasoning, and no call and no answer followed. A call in the reasoning is not run: make it outside of the reasoning, or write how the work ended',
  writtenCall: 'it contains a tool call written as text. Use the native tool calling instead',
  unsureAnswer:
    'it contains no call that can be read, and may be one in another form. If it is meant as a call, make the call in the form that is used here. If it is your final answer, call `finish` with it as the summary',
  announcedWork:
    'it announces work, but contains no call, so that work would not be done. If something is left to do, make the next call now. If nothing is left, call `finish` with your whole answer as the summary',
  heldBack:
    'it contains no call, and the work has not ended: the result before it says why. If something is left to do, make the next call now. If nothing is left, call `finish` again, with a summary only if the one before has to change',
  /** Text protocols. */
  nativeCalls:
    "its calls use the provider's native tool calling, which is not used here: write them in the text",
  /** JSON. */
  noObject: 'it contains no JSON object with "plan" and "tool_calls"',
  severalObjects:
    'it contains several different JSON objects. Write one object, with all calls in its "tool_calls"',
  noPlan: '"plan" is missing or not a string',
  noCalls: '"tool_calls" is missing or not an array',
  emptyCalls:
    '"tool_calls" is empty. Call `finish` if the work is done, or `ask_question` if you need an answer from a person',
  /** ReAct. */
  empty: 'it contains neither a call nor an answer',
  pieces: 'it contains an incomplete tool call',
  otherForm: 'its tool call has a different form',
  thoughtOnly: 'it contains a thought, but neither a call nor an answer',
  ownObservation:
    'it contains an observation that you wrote yourself. Observations come from the service, as the result of a call',
  callAndAnswer: 'it contains both a final answer and a call. Write only one of them',
  callInThinking: 'its call is inside the thinking. Write it once, after the thinking',
  callNotClosed: 'the call continues after its JSON object, where </parameters> is expected',
  noActionInput: 'there is an "Action:" without an "Action Input:" after it',
  noTool: 'the call does not name its tool',
  parametersNoObject: 'the parameters of the call are not a JSON object',
  unreadable: 'it cannot be parsed',
} as const;

/** Follows an answer in words that the output limit cut: people read it as well as the model. */
export const ANSWER_WAS_CUT =
  '\n\n*The answer ends here because it reached the output limit of the model.*';

export const tooManyCalls = (count: number, most: number): string =>
  `it contains ${count} calls; at most ${most} are allowed in one reply`;

/** Of the call at `index`, counted from 0. */
export const badArguments = (index: number, wrong: ArgumentsFault): string =>
  `the arguments of call ${index + 1} ${ARGUMENTS[wrong]}`;

export type ArgumentsFault = keyof typeof ARGUMENTS;

/** What follows "the arguments". */
export const ARGUMENTS = {
  tooDeep: 'are nested too deeply',
  tooLarge: 'contain a number that is too large',
  noObject: 'are not a JSON object',
};

/** One item of `tool_calls`. */
export const badItem = (index: number, wrong: keyof typeof ITEM): string =>
  ITEM[wrong].replace('{item}', `tool_calls[${index}]`);

const ITEM = {
  noObject: '{item} is not an object',
  noName: '{item} has no "tool_name" (a string)',
  noArguments: '{item} has no "arguments"; the key must be exactly "arguments"',
  argumentsNoObject: 'the "arguments" of {item} is not an object',
};

/** `place`: "line 3, column 7" */
export const unreadableJson = (place: string, problem: string): string =>
  `the JSON cannot be parsed at ${place}: ${problem}. Inside a string, write a quote as \\", a line break as \\n and a backslash as \\\\`;

const unusable = (fault: string): string => `Your reply could not be used: ${fault}.`;

export const CORRECTIONS = {
  native: unusable,
  json: (fault: string): string =>
    `${unusable(fault)} No call was run. Reply again in exactly this form:\n${JSON_FORM}`,
  react: (fault: string): string =>
    `${unusable(fault)} No call was run. Reply again with one call in exactly this form, \`finish\` if nothing is left to do:\n${CALL_FORM}`,
  none: (fault: string): string => `${unusable(fault)} Answer with text.`,
};

/** ReAct: what followed the first call was dropped. */
export const ONE_CALL =
  'Only the first call of your reply was run. Everything after it was discarded: write one call per reply, then wait for its observation.';
