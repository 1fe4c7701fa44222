import { STATES, type State } from '../../session/state.ts';

/** States as one word of a command line, in which brackets would have to be quoted: `waiting-answer`. */
export const STATE_WORDS: ReadonlyMap<State, string> = new Map(
  STATES.map(({ state }) => [state, state.replace('(', '-').replace(')', '')]),
);

/** The same of a row, whose state another version may have written. */
export const stateWord = (state: string): string =>
  new Map<string, string>(STATE_WORDS).get(state) ?? state;
