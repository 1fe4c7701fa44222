// What another model replies where a recorded one replied. Its calls are not run.
import { isDeepStrictEqual } from 'node:util';
import { History } from '../../agent/history.ts';
import { ToolsUnsupported } from '../../agent/model-errors.ts';
import type { Protocol } from '../../agent/protocols/protocol.ts';
import { protocolNamed } from '../../agent/protocols/index.ts';
import type { Reply } from '../../contracts/entries.ts';
import type { Call, Model, ModelReply } from '../../contracts/model.ts';
import type { Tool } from '../../contracts/tool.ts';
import type { Entry, EntryOf } from '../../session/entry.ts';
import { addTo } from '../run/conversation.ts';
import { toolsOf } from './recording.ts';

type ReplyContent = Pick<Reply, 'calls' | 'answer' | 'fault'>;

/** One reply of each model to the same conversation. */
export interface ReplyComparison extends Pick<ModelReply, 'usage' | 'cost'> {
  /** The number of the reply in the session, from 1. */
  readonly turn: number;
  readonly recorded: ReplyContent;
  readonly other: ReplyContent;
  /** They make the same calls with the same arguments; or both end the work with an answer, in whatever words. */
  readonly isSame: boolean;
}

interface ComparisonOptions {
  /** The first turn that is compared. */
  readonly from: number;
  /** How many, at most. */
  readonly most: number;
  /** Tokens of a reply, at most. */
  readonly outputTokens: number;
}

/**
 * Asks the model at each turn of the journal, with the conversation as it was then. What it is sent has no images. The entries
 * are a whole journal.
 * @throws {TellPerson | TryLater} what the model's adapter throws
 */
export async function* askOtherModel(
  model: Model,
  entries: readonly Entry[],
  { from, most, outputTokens }: ComparisonOptions,
): AsyncGenerator<ReplyComparison> {
  const conversation = new OtherConversation(model, outputTokens);
  let turn = 0;
  for (const entry of entries) {
    if (entry.type === 'reply') {
      turn += 1;
      if (turn >= from + most) return;
      if (turn >= from) yield { turn, ...(await conversation.compare(entry)) };
    }
    conversation.add(entry);
  }
}

const NO_TOOL: Tool['run'] = () => Promise.reject(new Error('calls are not run here'));

/** The conversation of a journal, as it is said to another model. */
class OtherConversation {
  readonly #model: Model;
  readonly #outputTokens: number;
  readonly #history = new History();
  #tools: readonly Tool[] = [];
  /** Its server turned out to support no tools. */
  #isWithoutTools = false;

  constructor(model: Model, outputTokens: number) {
    this.#model = model;
    this.#outputTokens = outputTokens;
  }

  add(entry: Entry): void {
    addTo(this.#history, entry);
    if (entry.type === 'run_prepared') this.#tools = toolsOf(entry, NO_TOOL);
    if (entry.type === 'run_prepared' || entry.type === 'protocol_changed') this.#speak(entry);
  }

  /** As it was spoken to then, unless this model is called by no tools of its provider. */
  #speak({ protocol, instructions }: EntryOf<'run_prepared' | 'protocol_changed'>): void {
    const isNative = this.#model.callsTools && !this.#isWithoutTools;
    const own = protocolNamed(protocol === 'native' && !isNative ? 'json' : protocol);
    const more = own.name === protocol ? '' : `\n\n${own.instructions(this.#tools)}`;
    this.#history.speak({ protocol: own, instructions: `${instructions}${more}` });
  }

  async compare(recorded: Reply): Promise<Omit<ReplyComparison, 'turn'>> {
    const { protocol } = this.#history.prompt;
    const { text, reasoning, calls, stop, usage, cost } = await this.#reply(protocol);
    const tools = this.#tools;
    const other = this.#history.prompt.protocol.read({ text, reasoning, calls, stop, tools });
    return {
      recorded: saidIn(recorded),
      other: saidIn(other),
      isSame: isSame(recorded, other),
      usage,
      cost,
    };
  }

  async #reply(protocol: Protocol): Promise<ModelReply> {
    try {
      return await this.#request();
    } catch (error) {
      if (!(error instanceof ToolsUnsupported) || protocol.name !== 'native') throw error;
      this.#isWithoutTools = true;
      const json = protocolNamed('json');
      const { instructions } = this.#history.prompt;
      const described = `${instructions}\n\n${json.instructions(this.#tools)}`;
      this.#history.speak({ protocol: json, instructions: described });
      return this.#request();
    }
  }

  #request(): Promise<ModelReply> {
    const { prompt, messages } = this.#history;
    return this.#model.reply({
      system: prompt.instructions,
      messages,
      tools: prompt.protocol.specs(this.#tools),
      maxOutputTokens: this.#outputTokens,
      cacheKey: 'replay',
      signal: new AbortController().signal,
    });
  }
}

/** The call that ends the work in the model's name is no call of its own. */
const saidIn = ({ calls, answer, fault }: ReplyContent): ReplyContent => ({
  calls: answer === null ? calls : [],
  answer,
  fault,
});

const isSame = (one: ReplyContent, other: ReplyContent): boolean =>
  (one.answer === null) === (other.answer === null) &&
  isDeepStrictEqual(callsIn(one), callsIn(other)) &&
  (one.fault === null) === (other.fault === null);

const callsIn = (said: ReplyContent): readonly unknown[] =>
  saidIn(said).calls.map(({ tool, arguments: args }: Call) => [tool, args]);
