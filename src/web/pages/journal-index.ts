import type { AdmissionVerdict, EntryOf } from '../../session/entry.ts';
import type { JournalPart } from '../session-source.ts';
import type { Links } from './text.ts';
import { verdictsIn } from '../../session/kept-entries.ts';

/** The progress of a call. */
export interface CallProgress {
  readonly started?: EntryOf<'call_started'> | undefined;
  readonly finished?: EntryOf<'call_finished'> | undefined;
  /** The output while it ran. If the call was started again, of all attempts. */
  readonly output?: string | undefined;
}

/** What other entries say about an entry, indexed so that the journal is only read once. */
export interface JournalIndex {
  readonly links: Links;
  call(reply: number, index: number): CallProgress;
  /** The verdict of admission; `undefined` if there is none yet. */
  verdictOn(received: number): AdmissionVerdict | undefined;
  /** The number of the reply, from 1, counted over all runs. */
  numberOf(reply: number): number;
}

export function indexJournal(
  { entries, marks, repliesBefore }: JournalPart,
  links: Links,
): JournalIndex {
  const calls = new Map<string, CallProgress>();
  const verdicts = verdictsIn(marks);
  const numbers = new Map<number, number>();
  for (const entry of entries) {
    if (entry.type === 'reply') numbers.set(entry.seq, repliesBefore + numbers.size + 1);
    else if (entry.type === 'call_output') {
      const key = `${entry.reply}:${entry.index}`;
      const before = calls.get(key);
      calls.set(key, { ...before, output: (before?.output ?? '') + entry.text });
    } else if (entry.type === 'run_resumed') {
      for (const [key, call] of calls) calls.set(key, startedAgain(call));
    } else if (entry.type === 'call_started' || entry.type === 'call_finished') {
      const key = `${entry.reply}:${entry.index}`;
      const progress = entry.type === 'call_started' ? { started: entry } : { finished: entry };
      calls.set(key, { ...calls.get(key), ...progress });
    }
  }
  return {
    links,
    call: (reply, index) => calls.get(`${reply}:${index}`) ?? {},
    verdictOn: (received) => verdicts.get(received),
    numberOf: (reply) => numbers.get(reply) ?? 0,
  };
}

const startedAgain = (call: CallProgress): CallProgress =>
  call.finished !== undefined || call.output === undefined
    ? call
    : { ...call, output: `${call.output}\n… interrupted and restarted:\n` };
