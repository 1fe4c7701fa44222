// What the model reads as the result of a call that was not run, or not run as it thinks.

/** In place of a reply without words, which providers do not accept back. */
export const NO_WORDS = '(no words)';

export const SAME_AGAIN =
  '(This is exactly the same call as the one before. A third one would end this run.)';

export const REPEATED =
  'not run: this is the same call for the third time in a row, which ended this run';

export const TIME_IS_UP = 'not run: the time of this run is up';
export const AFTER_END = 'not run: the call before it ended this run';
export const AFTER_FAILURE = 'not run: a call before it failed';

/** Calls that the run before left open; one that had been started may have acted. */
export const leftOpen = (wasStarted: boolean): string =>
  `${wasStarted ? 'interrupted, and it is not known whether it happened' : 'not run'}: the run that asked for it has ended`;

export const notRunWith = (fault: string | null): string =>
  `not run: ${fault ?? 'the run was given up'}`;

export const unknownTool = (name: string, tools: readonly string[]): string =>
  `there is no tool "${name}". The tools are: ${tools.join(', ')}`;

export const invalidArguments = (tool: string, wrong: string): string =>
  `the arguments of ${tool} are not valid: ${wrong}`;

/** While the plan waits for approval. */
export const notBeforeApproval = (tool: string): string =>
  `${tool} was not run: nobody has agreed to the plan yet, and until then nothing may be changed. Look around, then call update_plan with all the steps: people are asked to agree to it.`;

export const couldNotEnd = (output: string): string => `The work could not be ended: ${output}`;
