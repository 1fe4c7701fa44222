// What comments ask for: the words of the commands, and what is read from the asks of a comment.
import type { Ask, CommandName, Intent } from './entries/intent.ts';

/** The commands; `helpComment` says what each does. */
export const COMMANDS: readonly CommandName[] = [
  'stop',
  'approve',
  'pause',
  'resume',
  'retry',
  'status',
  'plan',
  'cost',
  'help',
];

/** `Ask.to` of what is asked without naming an App. */
export const ANY_APP = '/';

/**
 * What a comment asks of this App. A stop comes before anything else and a pause before all but a stop,
 * because they cost less; otherwise the first command counts, and a command before work.
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
 * The same intent with only the ask that counts; `undefined` if nothing is left of it without an ask.
 */
export function withAsk(intent: Intent, slug: string): Intent | undefined {
  if (!('asks' in intent) || intent.asks === undefined) return intent;
  const ask = askOf(intent.asks, slug);
  if (ask !== undefined) return { ...intent, asks: [{ ...ask, to: ANY_APP }] };
  if (intent.kind === 'start') return undefined;
  const { asks: _asks, thread: _thread, ...plain } = intent;
  return plain;
}

/** Whether it may open a new session. */
export const mayOpenSession = (intent: Intent): boolean =>
  intent.kind === 'start' || (intent.kind === 'comment' && intent.asks !== undefined);
