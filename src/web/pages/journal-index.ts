import { type Entry, type EntryOf, verdictsIn, type Verdict } from '../../session/entries/entry.ts';

/** How far a call has come. */
export interface CallProgress {
  readonly started?: EntryOf<'call_started'> | undefined;
  readonly finished?: EntryOf<'call_finished'> | undefined;
  /** What it put out while it ran; where it was begun again, of all times. */
  readonly output?: string | undefined;
}

/** What other entries say about an entry, found without searching the journal for each. */
export interface JournalIndex {
  call(reply: number, index: number): CallProgress;
  /** Whether what was received counts; `undefined` while nobody has judged it. */
  verdictOn(received: number): Verdict | undefined;
  /** Replies are counted from 1, over all runs. */
  numberOf(reply: number): number;
}

export function indexJournal(entries: readonly Entry[]): JournalIndex {
  const calls = new Map<string, CallProgress>();
  const verdicts = verdictsIn(entries);
  const numbers = new Map<number, number>();
  for (const entry of entries) {
    if (entry.type === 'reply') numbers.set(entry.seq, numbers.size + 1);
    else if (entry.type === 'call_output') {
      const key = `${entry.reply}:${entry.index}`;
      const before = calls.get(key);
      calls.set(key, { ...before, output: (before?.output ?? '') + entry.text });
    } else if (entry.type === 'run_resumed') {
      for (const [key, call] of calls) calls.set(key, begunAgain(call));
    } else if (entry.type === 'call_started' || entry.type === 'call_finished') {
      const key = `${entry.reply}:${entry.index}`;
      const progress = entry.type === 'call_started' ? { started: entry } : { finished: entry };
      calls.set(key, { ...calls.get(key), ...progress });
    }
  }
  return {
    call: (reply, index) => calls.get(`${reply}:${index}`) ?? {},
    verdictOn: (received) => verdicts.get(received),
    numberOf: (reply) => numbers.get(reply) ?? 0,
  };
}

const begunAgain = (call: CallProgress): CallProgress =>
  call.finished !== undefined || call.output === undefined
    ? call
    : { ...call, output: `${call.output}\n… interrupted, and begun again:\n` };
