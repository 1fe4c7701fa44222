// The smallest request that shows whether a model answers.

export const PROBE_INSTRUCTIONS = 'You are being tested. Answer with OK.';
export const PROBE_QUESTION = 'OK?';

/** Shows whether the server supports tools; the model need not call it. */
export const PROBE_TOOL = {
  name: 'say_ok',
  description: 'Says OK.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
} as const;

// What `issuewright doctor --model` asks. Each question can be answered without thinking, and its answer is known.

export const PROBES_INSTRUCTIONS =
  'You are being tested. Do exactly what the last message asks, briefly. Call a tool only if it says so.';

/** The words that the answers have to hold. */
export const PROBE_WORDS = { result: 'heron', answer: 'otter', first: 'plover', image: 'red' };

export const PROBE_PATHS = { one: 'word.txt', both: ['north.txt', 'south.txt'] } as const;

export const PROBES = {
  call: `Call read_file with the path ${PROBE_PATHS.one}. Then answer with the word that the file names, alone.`,
  result: `The word is ${PROBE_WORDS.result}.`,
  parallel: `Call read_file twice in one reply: with the path ${PROBE_PATHS.both[0]}, and with the path ${PROBE_PATHS.both[1]}.`,
  afterResult: `Leave that. Call nothing, and answer with the word ${PROBE_WORDS.answer}, alone.`,
  question: 'Ask me with ask_question which colour I want, and propose blue.',
  numbers: 'Call nothing. Write the numbers from 1 to 300, one on each line, and nothing else.',
  begun: 'The word is',
  image: 'Call nothing. Which colour is the image? Answer with one word. [image 1: attached]',
  remember: `Remember the word ${PROBE_WORDS.first}. I ask for it later.`,
  remembered: 'I will.',
  read: 'I have read it.',
  recall: 'Call nothing. Answer with the word that you were to remember, alone.',
} as const;

/** A text of about this many characters that says nothing. */
export const fillerOf = (characters: number): string => {
  const lines: string[] = [];
  for (let length = 0; length < characters; length += lines.at(-1)?.length ?? 0)
    lines.push(`Line ${lines.length + 1} of a text that nobody has to remember.\n`);
  return lines.join('');
};
