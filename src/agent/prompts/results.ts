// What the model reads as the result of a call that was skipped, or that the service comments on.
import { cutMiddle } from '../../lib/text/text.ts';

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
