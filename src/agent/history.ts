import { Conversation, type ContentOf } from './conversation.ts';
import type { AgentEntry, CallFinished, Reply } from '../contracts/entries.ts';
import { endByCall, RepeatedCalls, type LoopEnd, type RunUsage } from './limits.ts';
import type { Call, Message, Model } from '../contracts/model.ts';
import type { Relief, Size } from './relief.ts';
import type { Protocol } from './protocols/protocol.ts';
import { protocolNamed } from './protocols/index.ts';
import { isHeldForPeople, wasSkipped } from './prompts/replies.ts';

/** What every request of a run begins with. */
export interface RunPrompt {
  readonly protocol: Protocol;
  /** The system prompt, whole. */
  readonly instructions: string;
  /** The images that the model can see; missing if it sees none. */
  readonly imageTypes?: Model['imageTypes'];
}

export interface OpenCall {
  readonly reply: number;
  readonly index: number;
  readonly call: Call;
  /** ISO time at which it was journaled as started, if a crash interrupted it. */
  readonly startedAt: string | undefined;
}

export interface FinishedCall {
  readonly call: Call;
  readonly result: CallFinished;
}

interface LastReply {
  readonly tokens: number;
  /** Characters of it, and of its results so far. */
  readonly written: number;
  readonly results: number;
  /** Calls without a result. */
  readonly callsLeft: number;
}

type StoredReply = Reply & { readonly seq: number };

/** How topics of the loop begin. */
const WRAP_UP = 'wrap-up:';
const GO_ON = 'go-on:';

const NOTHING_USED: RunUsage = { turns: 0, tokens: 0, dollars: 0 };

/**
 * The state of a run and of its conversation, computed from the journal: entries go in, in order. Fed
 * with the stored entries of an interrupted run it is exactly what it was in that run,
 * and the messages of its next request are the same, byte for byte.
 */
export class History {
  #prompt: RunPrompt = { protocol: protocolNamed('none'), instructions: '' };
  #conversation: Conversation;
  /** The topics that the model was told about, with the entry that did. */
  readonly #topics = new Map<string, number>();
  #reply: StoredReply | undefined;
  #results: CallFinished[] = [];
  #startedAt = new Map<number, string>();
  #runs = 0;
  #used = NOTHING_USED;
  #faultsInARow = 0;
  #repeated = new RepeatedCalls();
  #end: LoopEnd | undefined;
  #hasChangedFiles = false;
  /** Why the end of the work was held back, until people say something else. */
  #heldFor: string | undefined;
  /** By tool: the arguments of calls that were not carried out, since the last one that was. */
  readonly #heldBack = new Map<string, readonly unknown[]>();
  #window: number | undefined;

  /** Without `contentOf`, images are empty: for views, which only name them. */
  constructor(contentOf: ContentOf = () => '') {
    this.#conversation = new Conversation(this.#prompt.protocol, contentOf);
  }

  /**
   * A run has begun: what it uses is counted from here, and nothing has ended it. `afresh`: nothing that was
   * said before is part of its conversation.
   */
  beginRun({ afresh = false } = {}): void {
    if (afresh) this.#forget();
    this.#runs++;
    this.#used = NOTHING_USED;
    this.#faultsInARow = 0;
    this.#repeated.interrupt();
    this.#end = undefined;
    this.#heldFor = undefined;
    this.#hasChangedFiles = false;
    // Its model may be another one.
    this.#window = undefined;
  }

  /** For a conversation that was filled from its last compaction on: what the run had come to by the last entry. */
  count(run: Pick<History, 'used' | 'faultsInARow' | 'hasChangedFiles'>): void {
    this.#used = run.used;
    this.#faultsInARow = run.faultsInARow;
    this.#hasChangedFiles = run.hasChangedFiles;
  }

  #forget(): void {
    this.#conversation = this.#conversation.begunAnew();
    this.#topics.clear();
    this.#heldBack.clear();
    this.#reply = undefined;
    this.#results = [];
    this.#startedAt = new Map();
    this.#repeated = new RepeatedCalls();
  }

  /** How the model is spoken to from here on. */
  speak(prompt: RunPrompt): void {
    this.#prompt = prompt;
    this.#conversation.speak(prompt.protocol, prompt.imageTypes ?? new Set());
  }

  add(entry: AgentEntry): void {
    switch (entry.type) {
      case 'input_read':
        this.#repeated.interrupt();
        this.#heldFor = undefined;
        this.#conversation.addText(entry.seq, entry.text, entry.images);
        break;
      case 'images_dropped':
        this.#conversation.dropImages();
        break;
      case 'notice':
        this.#forgetOpposite(entry.topic);
        this.#topics.set(entry.topic, entry.seq);
        this.#conversation.addText(entry.seq, entry.text);
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
      case 'protocol_changed':
        this.speak({
          ...this.#prompt,
          protocol: protocolNamed(entry.protocol),
          instructions: entry.instructions,
        });
        break;
      case 'compacted':
        this.#spend(entry, 0);
        for (const [topic, seq] of this.#topics) if (seq <= entry.upTo) this.#topics.delete(topic);
        this.#window = entry.window ?? this.#window;
        if (entry.mostOfResults !== undefined)
          this.#conversation.cutUnreadResults(entry.mostOfResults);
        if (entry.upTo === 0) break;
        this.#conversation.compact(entry.upTo, entry.summary, entry.notShown);
        // The calls that are counted may have left with it.
        this.#repeated.interrupt();
        this.#heldBack.clear();
        break;
      default:
        entry satisfies never;
    }
  }

  /** A note to wrap up and its withdrawal take each other back. */
  #forgetOpposite(topic: string): void {
    const opposite = topic.startsWith(WRAP_UP) ? GO_ON : WRAP_UP;
    if (!topic.startsWith(WRAP_UP) && !topic.startsWith(GO_ON)) return;
    for (const told of this.#topics.keys())
      if (told.startsWith(opposite)) this.#topics.delete(told);
  }

  #spend({ usage, cost }: Pick<Reply, 'usage' | 'cost'>, turns: number): void {
    this.#used = {
      turns: this.#used.turns + turns,
      tokens: this.#used.tokens + usage.input + usage.output,
      dollars: this.#used.dollars + (cost ?? 0),
    };
  }

  #addReply(reply: StoredReply): void {
    this.#reply = reply;
    this.#results = [];
    this.#startedAt = new Map();
    this.#spend(reply, 1);
    this.#faultsInARow = reply.fault === null ? 0 : this.#faultsInARow + 1;
    if (reply.stop === 'filtered') this.#end = { kind: 'failed', cause: { because: 'filtered' } };
    if (this.openCall === undefined) this.#completeTurn(reply, reply.seq);
  }

  #addResult(result: CallFinished & { readonly seq: number }): void {
    const open = this.openCall;
    if (open === undefined || this.#reply === undefined) return;
    if (this.#isCounted(result)) this.#repeated.count(open.call, this.#results.length === 0);
    this.#results.push(result);
    this.#noteHeldBack(open.call, result);
    if (isHeldForPeople(result)) this.#heldFor = result.output;
    this.#hasChangedFiles ||= result.changedFiles !== undefined;
    for (const effect of result.effects) if ('usage' in effect) this.#spend(effect, 0);
    this.#end ??= endByCall(result);
    if (this.openCall === undefined) this.#completeTurn(this.#reply, result.seq);
  }

  #noteHeldBack({ tool, arguments: args }: Call, { ok, halt }: CallFinished): void {
    if (ok || halt !== null) this.#heldBack.delete(tool);
    else this.#heldBack.set(tool, [...this.heldBack(tool), args]);
  }

  /** A circle may have more than one call: after one that failed, those count that did something. */
  #isCounted(result: CallFinished): boolean {
    if (wasSkipped(result)) return false;
    const didSomething = result.changedFiles !== undefined || result.effects.length > 0;
    return didSomething || this.#results.every(({ ok }) => ok);
  }

  #completeTurn(reply: StoredReply, lastSeq: number): void {
    this.#conversation.addTurn(lastSeq, { reply, outcomes: this.#results });
  }

  get prompt(): RunPrompt {
    return this.#prompt;
  }

  get messages(): readonly Message[] {
    return this.#conversation.messages;
  }

  get size(): Size {
    return this.#conversation.size;
  }

  get sinceCompaction(): number {
    return this.#conversation.sinceCompaction;
  }

  /** Tokens that the model can read, by what its server rejected; `undefined` if it rejected nothing. */
  get window(): number | undefined {
    return this.#window;
  }

  /** Characters of the results that the model has not read. */
  get unreadResults(): readonly number[] {
    return this.#conversation.unreadResults;
  }

  /** The turns that leave with what is up to an entry. */
  turnsUpTo(upTo: number): ReturnType<Conversation['turnsUpTo']> {
    return this.#conversation.turnsUpTo(upTo);
  }

  /** The last reply: the tokens of it and its request by the provider's count, or 0, and what is known of its calls. */
  get lastReply(): LastReply {
    const { usage, calls = [], text = '' } = this.#reply ?? {};
    return {
      tokens: usage === undefined || usage.input === 0 ? 0 : usage.input + usage.output,
      written: text.length + JSON.stringify(calls).length,
      results: this.#results.reduce((sum, { output }) => sum + output.length, 0),
      callsLeft: calls.length - this.#results.length,
    };
  }

  /** The entry up to which messages leave with this relief; 0 if none can. */
  lastSeqOf({ keepFrom }: Relief): number {
    return this.#conversation.lastSeqBefore(keepFrom);
  }

  /** How many runs of the session have begun. */
  get runs(): number {
    return this.#runs;
  }

  get used(): RunUsage {
    return this.#used;
  }

  get faultsInARow(): number {
    return this.#faultsInARow;
  }

  /** What was wrong with the form of the last reply; `null`: nothing. */
  get fault(): string | null {
    return this.#reply?.fault ?? null;
  }

  /** Whether a call of this run changed files. */
  get hasChangedFiles(): boolean {
    return this.#hasChangedFiles;
  }

  /** Whether the model was told about a topic, and can still read it. */
  wasTold(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** Whether the model can read that it should wrap up, and nothing to the contrary. */
  get isToldToWrapUp(): boolean {
    return [...this.#topics.keys()].some((topic) => topic.startsWith(WRAP_UP));
  }

  /** How often in a row this very call was made last, with nothing else in between. */
  timesInARow(call: Call): number {
    return this.#repeated.timesOf(call);
  }

  /** The arguments of a tool's last calls that were not carried out, in order. */
  heldBack(tool: string): readonly unknown[] {
    return this.#heldBack.get(tool) ?? [];
  }

  /** What the model read when the end of the work was held back for people who wait, unless they said more since. */
  get heldFor(): string | undefined {
    return this.#heldFor;
  }

  /** The first call of the last reply that has no result yet. */
  get openCall(): OpenCall | undefined {
    if (this.#reply === undefined || this.#reply.fault !== null) return undefined;
    const index = this.#results.length;
    const call = this.#reply.calls[index];
    if (call === undefined) return undefined;
    return { reply: this.#reply.seq, index, call, startedAt: this.#startedAt.get(index) };
  }

  /** The calls of the last reply that have a result, in order. */
  get finishedCalls(): readonly FinishedCall[] {
    return this.#results.flatMap((result, index) => {
      const call = this.#reply?.calls[index];
      return call === undefined ? [] : [{ call, result }];
    });
  }

  /** How a call, or the provider, ended this run, if one did. */
  get end(): LoopEnd | undefined {
    return this.#end;
  }
}
