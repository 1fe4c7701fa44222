import type { AgentEntry, Call, CallFinished, Halt, LoopEnd, Reply } from './entries.ts';
import type { Message } from './model.ts';
import type { Protocol } from './protocol.ts';

export interface OpenCall {
  readonly reply: number;
  readonly index: number;
  readonly call: Call;
  /** ISO time at which it was journaled as started, where a crash interrupted it. */
  readonly startedAt: string | undefined;
}

/**
 * The conversation with the model as a view of the journal: entries go in, in order, and the
 * messages of the next request come out. Fed with the stored entries of an interrupted run it
 * stands exactly where that run stood, byte for byte.
 */
export class History<Effect> {
  readonly #protocol: Protocol;
  readonly #messages: Message[] = [];
  #reply: (Reply & { readonly seq: number }) | undefined;
  #results: CallFinished<Effect>[] = [];
  #startedAt = new Map<number, string>();
  #turns = 0;
  #faultsInARow = 0;
  #end: LoopEnd | undefined;

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  /** A run has begun: its turns and faults are counted from here, and nothing has ended it. */
  beginRun(): void {
    this.#turns = 0;
    this.#faultsInARow = 0;
    this.#end = undefined;
  }

  add(entry: AgentEntry<Effect>): void {
    switch (entry.type) {
      case 'input_taken':
        this.#messages.push({ role: 'user', text: entry.text });
        break;
      case 'reply':
        this.#addReply(entry);
        break;
      case 'call_started':
        this.#startedAt.set(entry.index, entry.at);
        break;
      case 'call_finished':
        this.#addResult(entry);
        break;
      default:
        entry satisfies never;
    }
  }

  #addReply(reply: Reply & { readonly seq: number }): void {
    this.#reply = reply;
    this.#results = [];
    this.#startedAt = new Map();
    this.#turns++;
    this.#faultsInARow = reply.fault === null ? 0 : this.#faultsInARow + 1;
    this.#messages.push({ role: 'assistant', text: reply.text });
    if (reply.fault !== null) {
      this.#messages.push({ role: 'user', text: this.#protocol.correction(reply.fault) });
    }
  }

  #addResult(result: CallFinished<Effect>): void {
    this.#results.push(result);
    this.#end ??= endBy(result);
    const calls = this.#reply?.calls ?? [];
    if (this.#results.length < calls.length) return;
    const outcomes = this.#results.map(({ index, ok, output }) => ({
      tool: calls[index]?.tool ?? '',
      ok,
      output,
    }));
    this.#messages.push({ role: 'user', text: this.#protocol.results(outcomes) });
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get turns(): number {
    return this.#turns;
  }

  get faultsInARow(): number {
    return this.#faultsInARow;
  }

  /** The first call of the last reply that has no result yet. */
  get openCall(): OpenCall | undefined {
    const index = this.#results.length;
    const call = this.#reply?.calls[index];
    if (this.#reply === undefined || call === undefined) return undefined;
    return { reply: this.#reply.seq, index, call, startedAt: this.#startedAt.get(index) };
  }

  /** Why the open calls of the last reply must not be run: one before them failed or ended the run. */
  get skipReason(): string | undefined {
    const last = this.#results.find(({ ok, halt }) => !ok || halt !== null);
    if (last === undefined) return undefined;
    return last.ok
      ? 'not run: the call before it ended this run'
      : 'not run: a call before it failed';
  }

  /** How a call ended this run, if one did. */
  get end(): LoopEnd | undefined {
    return this.#end;
  }
}

function endBy({ halt, output }: { halt: Halt | null; output: string }): LoopEnd | undefined {
  if (halt === null) return undefined;
  return halt === 'failed' ? { kind: halt, words: output } : { kind: halt };
}
