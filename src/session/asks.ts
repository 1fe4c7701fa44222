// What comments ask for: the words of the commands, and what is read from the asks of a comment.
import type { Ask, CommandName, Intent } from './entries/intent.ts';

/** The commands, each with what it does. */
export const COMMANDS: ReadonlyMap<CommandName, string> = new Map([
  ['stop', 'ends the work; what is done so far is kept on its branch'],
  ['approve', 'agrees to the plan that waits for it, and the work begins'],
  ['pause', 'puts the work aside until `resume`'],
  ['resume', 'goes on with work that was put aside'],
  ['retry', 'starts again after a failure, a limit or a stop, from what is there'],
  ['status', 'brings the status comment up to date'],
  ['plan', 'the same: the plan stands in the status comment'],
  ['cost', 'the same: so does the cost'],
  ['help', 'shows this list'],
]);

/** `Ask.to` of what is asked without naming an App. */
export const ANY_APP = '/';

/**
 * What a comment asks of this App. A stop goes before anything else and a pause before all but that, so
 * that what costs less is done; else the first command, and a command before work.
 */
export function askOf(asks: readonly Ask[] | undefined, slug: string): Ask | undefined {
  const ours = (asks ?? []).filter(({ to }) => to === ANY_APP || to === slug.toLowerCase());
  return (
    ours.find((ask) => ask.for === 'stop') ??
    ours.find((ask) => ask.for === 'pause') ??
    ours.find((ask) => ask.for !== 'work') ??
    ours[0]
  );
}

/**
 * The same intent with the one ask that is left of those it may have; `undefined` where it would have
 * been nothing but that.
 */
export function withAsk(intent: Intent, slug: string): Intent | undefined {
  if (!('asks' in intent) || intent.asks === undefined) return intent;
  const ask = askOf(intent.asks, slug);
  if (ask !== undefined) return { ...intent, asks: [{ ...ask, to: ANY_APP }] };
  if (intent.kind === 'start') return undefined;
  const { asks: _asks, thread: _thread, ...plain } = intent;
  return plain;
}

/** Whether it may begin a session where there is none. */
export const mayOpenSession = (intent: Intent): boolean =>
  intent.kind === 'start' || (intent.kind === 'comment' && intent.asks !== undefined);
