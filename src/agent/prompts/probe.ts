// The smallest request that shows whether a model answers.

export const PROBE_INSTRUCTIONS = 'You are being tested. Answer with OK.';
export const PROBE_QUESTION = 'OK?';

/** Shows whether the server supports tools; the model need not call it. */
export const PROBE_TOOL = {
  name: 'say_ok',
  description: 'Says OK.',
  parameters: { type: 'object', properties: {}, additionalProperties: false },
} as const;
