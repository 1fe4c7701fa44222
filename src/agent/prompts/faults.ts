// What the model reads about a reply that could not be used: what is wrong with it (as the end of "Your
// reply could not be used: …"), and how to write it again.
import { CALL_FORM, JSON_FORM } from './forms.ts';

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
