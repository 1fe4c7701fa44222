// What a run would send a model and read of its replies, for one question after the other.
import { ContextOverflow } from '../../agent/model-errors.ts';
import { PROBES_INSTRUCTIONS } from '../../agent/prompts/probe.ts';
import type { Protocol } from '../../agent/protocols/protocol.ts';
import { protocolNamed } from '../../agent/protocols/index.ts';
import type { Reply } from '../../contracts/entries.ts';
import type { Message, Model } from '../../contracts/model.ts';
import { REPLY_SHARE } from '../../models/index.ts';
import type { Tool } from '../../contracts/tool.ts';
import { NO_USAGE } from '../../lib/no-usage.ts';
import { chooseTools } from '../../tools/choose-tools.ts';
import { withRun } from '../../tools/define-tool.ts';
import { TOOLS } from '../../tools/index.ts';

/** How a run would ask the model. */
export interface ProbeSettings {
  readonly protocol: 'auto' | 'native' | 'json' | 'react';
  /** The longest reply that it asks for. */
  readonly outputTokens: number;
}

/** Enough for a call or a word, also behind some reasoning. */
const SHORT_REPLY = 4_000;
const TIMEOUT_MS = 40 * 60_000;

const NOT_RUN: Tool['run'] = () => Promise.reject(new Error('calls are not run here'));

/** The tools of a run in a repository without settings, commands included. */
export const probedTools = (): readonly Tool[] => {
  const choice = chooseTools(TOOLS, new Map(), { allowsDangerous: true });
  const names = 'names' in choice ? choice.names : new Set();
  return TOOLS.filter(({ name }) => names.has(name)).map((tool) => withRun(tool, NOT_RUN));
};

/** The conversations with one model, and what is known of it so far. */
export class Interview {
  readonly model: Model;
  readonly settings: ProbeSettings;
  readonly tools = probedTools();
  protocol: Protocol;
  /** Tokens that it can read; `undefined` if that is not known. */
  window: number | undefined;
  /** What later probes begin with: a question, the call, and its result. */
  base: readonly Message[] = [];
  /** Each so far. */
  readonly replies: Reply[] = [];

  constructor(model: Model, settings: ProbeSettings) {
    this.model = model;
    this.settings = settings;
    this.window = model.contextWindow;
    const { protocol } = settings;
    const native = model.callsTools ? 'native' : 'json';
    this.protocol = protocolNamed(protocol === 'auto' ? native : protocol);
  }

  /** Like a run, it asks for shorter replies once the server says that there is no room for long ones. */
  async ask(messages: readonly Message[], maxOutputTokens = SHORT_REPLY): Promise<Reply> {
    try {
      return await this.#request(messages, maxOutputTokens);
    } catch (error) {
      const window = error instanceof ContextOverflow ? error.window : undefined;
      if (window === undefined || this.window !== undefined) throw error;
      this.window = window;
      return this.#request(messages, maxOutputTokens);
    }
  }

  async #request(messages: readonly Message[], maxOutputTokens: number): Promise<Reply> {
    const { model, tools, protocol, settings, window = Infinity } = this;
    const room = Math.floor(window * REPLY_SHARE);
    const before = performance.now();
    const { text, reasoning, calls, stop, native, usage, cost } = await model.reply({
      system: `${PROBES_INSTRUCTIONS}\n\n${protocol.instructions(tools)}`,
      messages,
      tools: protocol.specs(tools),
      maxOutputTokens: Math.min(maxOutputTokens, settings.outputTokens, room),
      cacheKey: 'issuewright-doctor',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const reading = protocol.read({ text, reasoning, calls, stop, tools });
    const durationMs = Math.round(performance.now() - before);
    const rest = { stop, native, usage, cost, durationMs };
    const reply = { type: 'reply', protocol: protocol.name, text, ...reading, ...rest } as const;
    this.replies.push(reply);
    return reply;
  }

  /** A reply and the results of its calls, as the next request has them. */
  turn(reply: Reply, outputs: readonly string[]): readonly Message[] {
    const outcomes = outputs.map((output) => ({ ok: true, output }));
    return this.protocol.messages({ reply: { ...reply, seq: this.replies.length }, outcomes });
  }

  /** A reply in which the model itself said nothing of the kind. */
  made(parts: Partial<Reply>): Reply {
    const nothing = { text: '', thought: '', calls: [], answer: null, fault: null, native: null };
    const rest = { stop: 'end', usage: NO_USAGE, cost: 0, durationMs: 0 } as const;
    return { type: 'reply', protocol: this.protocol.name, ...nothing, ...rest, ...parts };
  }
}
