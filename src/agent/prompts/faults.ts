// What the model is told about a reply that could not be used: what is wrong with it, as the end of
// "Your reply could not be used: …", and how to write it again.
import { CALL_FORM, FINAL_ANSWER_FORM, JSON_FORM } from './forms.ts';

export const FAULTS = {
  cut: 'it reached the output limit and was cut off, so nothing of it was run. Work in smaller parts: fewer calls in one reply, and long files in several edits',
  filtered: 'the safety filter of the provider stopped it',
  wordless: 'it holds no words',
  /** Native tool calling. */
  nothing: 'it holds neither a call nor an answer. Call a tool, or say in words how the work ended',
  writtenCall:
    'it holds a tool call written as text. Make the call through the tool calling that you are given',
  /** Text protocols. */
  nativeCalls:
    'its calls came through the tool calling of the provider, which is not used here: write them in the text',
  /** JSON. */
  noObject: 'it holds no JSON object with "plan" and "tool_calls"',
  severalObjects:
    'it holds several different JSON objects. Write one, with all the calls in its "tool_calls"',
  noPlan: '"plan" is missing or not a string',
  noCalls: '"tool_calls" is missing or not an array',
  emptyCalls:
    '"tool_calls" is empty. Call `finish` when the work is done, or `ask_question` when you need a person',
  /** ReAct. */
  empty: 'it holds neither a call nor an answer',
  pieces: 'it holds pieces of a tool call, but no whole one',
  otherForm: 'it holds a tool call in another form than this one',
  thoughtOnly: 'it holds a thought, but neither a call nor an answer',
  ownObservation:
    'it holds an observation that you wrote yourself. Observations come from the service, in answer to a call',
  callAndAnswer: 'it holds a final answer and a call. Write one or the other',
  callInThinking:
    'its call is in the middle of the thinking. Write it once, when the thinking is over',
  callNotClosed: 'the call continues after its JSON object, where </parameters> is expected',
  noActionInput: 'there is an "Action:" without an "Action Input:" after it',
  noTool: 'the call does not name its tool',
  parametersNoObject: 'the parameters of the call are not a JSON object',
  unreadable: 'it cannot be read',
} as const;

export const tooManyCalls = (count: number, most: number): string =>
  `it has ${count} calls; at most ${most} fit into one reply`;

/** Of the call at `index`, counted from 0. */
export const badArguments = (index: number, wrong: ArgumentsFault): string =>
  `the arguments of call ${index + 1} ${ARGUMENTS[wrong]}`;

export type ArgumentsFault = keyof typeof ARGUMENTS;

const ARGUMENTS = { tooDeep: 'are nested too deeply', tooLarge: 'hold a number that is too large' };

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
  `the JSON cannot be read at ${place}: ${problem}. Inside a string, write a quote as \\", a line break as \\n and a backslash as \\\\`;

const unusable = (fault: string): string => `Your reply could not be used: ${fault}.`;

export const CORRECTIONS = {
  native: unusable,
  json: (fault: string): string =>
    `${unusable(fault)} No call was run. Reply again in exactly this form:\n${JSON_FORM}`,
  react: (fault: string): string =>
    `${unusable(fault)} No call was run. Reply again, either with one call in exactly this form:\n${CALL_FORM}\nor with your final answer:\n${FINAL_ANSWER_FORM}`,
  none: (fault: string): string => `${unusable(fault)} Answer in words.`,
};

/** ReAct: what followed the first call was dropped. */
export const ONE_CALL =
  'Only the first call of your reply was run, and everything after it was dropped: write one call in a reply, then wait for its observation.';
