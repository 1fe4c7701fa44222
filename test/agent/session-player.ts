// Plays a session as the service does: a journal, runs one after the other, and a process that may
// die behind any entry and begin again with nothing but what was stored.
import { abandonCalls } from '../../src/agent/act.ts';
import { toolbox, type Toolbox } from '../../src/agent/dispatch.ts';
import type { ProtocolName, RunEnd } from '../../src/contracts/entries.ts';
import { runLoop } from '../../src/agent/loop.ts';
import type { History } from '../../src/agent/history.ts';
import type { Message, Model, ModelReply } from '../../src/contracts/model.ts';
import { ContextOverflow, ToolsUnsupported } from '../../src/agent/model-errors.ts';
import { protocolNamed } from '../../src/agent/protocols/index.ts';
import { reasonFor } from '../../src/session/texts/run-ends.ts';
import type { LoopEnd } from '../../src/agent/limits.ts';
import type { Run, Steps } from '../../src/agent/agent-run.ts';
import { conversationOf, isAgentEntry } from '../../src/app/run/conversation.ts';
import { TellPerson } from '../../src/lib/errors.ts';
import type { Entry, NewEntry } from '../../src/session/entry.ts';
import { Journal } from '../support/journal.ts';
import type { Said, SessionRun } from './random-session.ts';
import { LIMITS, react, testTools } from './support.ts';

/** A request of the conversation, summaries left out, and how long the journal was then. */
interface Sent {
  readonly at: number;
  readonly system: string;
  readonly messages: readonly Message[];
}

export interface Played {
  readonly entries: readonly Entry[];
  /** The same as they are read again: JSON keeps less than a process does. */
  readonly stored: readonly Entry[];
  readonly sent: readonly Sent[];
}

/** Whether the process dies behind the entry of this number. */
type Dies = (seq: number) => boolean;

class ProcessDied extends Error {
  override readonly name = 'ProcessDied';
}

export async function play(runs: readonly SessionRun[], dies: Dies = () => false): Promise<Played> {
  const player = new Player(dies);
  for (const run of runs) await player.play(run);
  return player;
}

/** More than any of them takes. */
const MOST_ENTRIES = 1_000;
/** One of them reaches no further than the workspace. */
const LIST = testTools().map((tool) => ({
  ...tool,
  ...(tool.name === 'note' ? { reach: 'workspace' as const } : {}),
}));
const toolsOf = ({ concludes }: SessionRun): Toolbox =>
  toolbox(LIST, {
    conclude: (answer) => ({ tool: concludes, arguments: { text: answer } }),
  });
/** What a model says that has nothing left to say. */
const LAST = { tool: 'end', arguments: {}, fault: undefined };

class Player implements Played {
  readonly sent: Sent[] = [];
  readonly #journal = new Journal().start();
  readonly #stored: Entry[] = [];
  readonly #dies: Dies;
  /** Where the entries of the run begin. */
  #from = 0;

  constructor(dies: Dies) {
    this.#dies = dies;
  }

  get entries(): readonly Entry[] {
    return this.#journal.entries;
  }

  get stored(): readonly Entry[] {
    for (const entry of this.entries.slice(this.#stored.length))
      this.#stored.push(JSON.parse(JSON.stringify(entry)) as Entry);
    return this.#stored;
  }

  async play(run: SessionRun): Promise<void> {
    this.#from = this.entries.length;
    this.#journal.beginRun();
    let end: RunEnd | undefined;
    while (end === undefined) end = await this.#attempt(run);
    this.#journal.end(end);
  }

  /** `undefined`: the process died in the middle of it. */
  async #attempt(run: SessionRun): Promise<RunEnd | undefined> {
    try {
      if (this.#count('run_prepared') === 0) await this.#prepare(run);
      const history = conversationOf(this.stored);
      return endOf(await this.#record(runLoop(this.#runOf(run, history))));
    } catch (error) {
      if (error instanceof ProcessDied) return undefined;
      if (!(error instanceof TellPerson)) throw error;
      return { kind: 'failed', reason: error.message };
    }
  }

  async #prepare({ protocol }: SessionRun): Promise<void> {
    await this.#record(abandonCalls(conversationOf(this.stored)));
    this.#journal.prepare({ protocol, instructions: `You speak ${protocol}.` });
  }

  async #record<End>(steps: Steps<End>): Promise<End> {
    let step = await steps.next();
    while (step.done !== true) {
      const entry = this.#append(step.value);
      if (!isAgentEntry(entry)) throw new Error('the journal answered with another entry');
      step = await steps.next(entry);
    }
    return step.value;
  }

  #append(entry: NewEntry): Entry {
    // How long a reply took is the one thing that a repetition cannot repeat.
    this.#journal.add('durationMs' in entry ? { ...entry, durationMs: 0 } : entry);
    const last = this.entries.at(-1);
    if (last === undefined || this.#dies(last.seq)) throw new ProcessDied();
    if (last.seq > MOST_ENTRIES) throw new Error('the session does not end');
    return last;
  }

  /** How many entries of a kind the run has. */
  #count(type: Entry['type']): number {
    return this.entries.slice(this.#from).filter((entry) => entry.type === type).length;
  }

  #runOf(run: SessionRun, history: History): Run {
    const answers = run.protocol === 'none';
    return {
      mode: answers ? 'completion' : run.mode,
      model: this.#model(run, history),
      tools: toolsOf(run),
      history,
      limits: { ...LIMITS, turns: run.turns },
      relief: run.relief,
      io: {
        hear: async () => ({
          input: this.#heard(run),
          notices: answers ? [] : this.#noticed(run),
        }),
        spending: () => Promise.resolve({ issue: 0 }),
        elapsedMs: () => 0,
        progress: () => {},
        redact: (text) => text,
        redactForModel: (text) => Promise.resolve(text),
      },
      fallback: run.stepsDown ? protocolNamed('json') : undefined,
      cacheKey: 'session',
      signal: new AbortController().signal,
    };
  }

  /** What was said since people were last listened to, as the service takes it: together. */
  #heard({ comments }: SessionRun) {
    const entries = this.entries.slice(this.#from);
    const last = entries.findLastIndex(({ type }) => type === 'input_read');
    const before = entries
      .slice(0, Math.max(0, last))
      .filter(({ type }) => type === 'reply').length;
    const news = comments.filter((after) => after > before && after <= this.#count('reply'));
    if (last >= 0 && news.length === 0) return undefined;
    const said = last < 0 ? ['The task', ...news] : news;
    return { upTo: this.entries.length, text: said.map((one) => `> ${one}`).join('\n') };
  }

  #noticed({ notices }: SessionRun) {
    const due = notices.filter((after) => after <= this.#count('reply'));
    return due.map((after) => ({ topic: `${this.#from}:${after}`, text: `Notice ${after}` }));
  }

  #model(run: SessionRun, history: History): Model {
    return {
      name: 'test:scripted',
      destination: 'Nobody (test)',
      callsTools: true,
      imageTypes: new Set(),
      contextWindow: 1500,
      reply: async ({ cacheKey, system, messages, tools }) => {
        if (cacheKey.endsWith(':summary')) return this.#summary(run);
        this.sent.push({ at: this.entries.length, system, messages: [...messages] });
        const said = this.#count('reply');
        if (tools.length > 0 && said >= (run.toolsUnsupportedAfter ?? Infinity))
          throw new ToolsUnsupported('no tools');
        if (said === run.overflow?.after && (run.overflow.lasts || !this.#isRelieved()))
          throw new ContextOverflow('too long');
        const { name } = history.prompt.protocol;
        return written(run.replies[said], name, `call-${this.entries.length}`);
      },
    };
  }

  #summary({ summary }: SessionRun): ModelReply {
    if (summary === undefined) throw new ContextOverflow('too long');
    return { ...written({ ...summary, calls: [] }, 'none', ''), native: null };
  }

  /** Whether anything has left the conversation since the last reply. */
  #isRelieved(): boolean {
    const last = this.entries.findLastIndex(({ type }) => type === 'reply');
    return this.entries.slice(last + 1).some(({ type }) => type === 'compacted');
  }
}

/** No run here is left for later. */
function endOf(end: LoopEnd): RunEnd {
  if (end.kind === 'paused' || end.kind === 'deferred') throw new Error(`the run is ${end.kind}`);
  return 'cause' in end ? { kind: end.kind, reason: reasonFor(end, 's-1') } : end;
}

/** A reply in the form of a protocol; `id`: what the names of its calls begin with. */
function written(said: Said | undefined, protocol: ProtocolName, id: string): ModelReply {
  const { text = '', calls = [LAST], otherForm = protocol, hasNative = false } = said ?? {};
  const reply: ModelReply = {
    text,
    reasoning: said?.reasoning ?? '',
    calls: [],
    stop: said?.stop ?? 'end',
    usage: said?.usage ?? { input: 100, cached: 0, written: 0, output: 10, reasoning: 0 },
    cost: said?.cost ?? null,
    native: hasNative ? { key: 'test', value: [{ text }] } : null,
  };
  const [first] = calls;
  if (first === undefined) return reply;
  switch (otherForm) {
    case 'native':
      return { ...reply, calls: calls.map((call, index) => nativeCall(call, `${id}-${index}`)) };
    case 'json':
      return { ...reply, text: JSON.stringify({ plan: text, tool_calls: calls.map(jsonCall) }) };
    case 'react':
      return { ...reply, text: `${text}\n${calls.map(reactCall).join('\n')}` };
    case 'none':
      return reply;
    default:
      return otherForm satisfies never;
  }
}

type SaidCall = Said['calls'][number];
const nativeCall = ({ tool, arguments: args, fault }: SaidCall, id: string) => ({
  id,
  tool,
  arguments: args,
  ...(fault === undefined ? {} : { fault }),
});
const jsonCall = ({ tool, arguments: args }: SaidCall) => ({ tool_name: tool, arguments: args });
const reactCall = ({ tool, arguments: args }: SaidCall) => react(tool, args);
