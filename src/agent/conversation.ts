import type { Message } from '../contracts/model.ts';
import { summaryMessage } from './prompts/summary.ts';
import { type Size, weightOf } from './relief.ts';
import type { Protocol, Turn } from './protocol.ts';

/** What is kept or dropped together: a message of the service, or a turn with the results of its calls. */
type Block = { readonly lastSeq: number } & (
  | { readonly kind: 'text' | 'summary'; readonly text: string }
  | { readonly kind: 'turn'; readonly turn: Turn }
);

/** The messages of the next request, and how large they are. */
export class Conversation {
  #protocol: Protocol;
  #blocks: Block[] = [];
  #messages: Message[] = [];
  /** The tokens that the provider counted for the last request and reply. */
  #counted: number | undefined;
  /** The tokens of what came since, as we estimate them. */
  #estimated = 0;
  #sinceCompaction = 0;

  constructor(protocol: Protocol) {
    this.#protocol = protocol;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get sinceCompaction(): number {
    return this.#sinceCompaction;
  }

  get size(): Size {
    return { messages: this.#messages.length, tokens: (this.#counted ?? 0) + this.#estimated };
  }

  addText(lastSeq: number, text: string): void {
    this.#add({ kind: 'text', lastSeq, text });
  }

  addTurn(lastSeq: number, turn: Turn): void {
    const { input, output } = turn.reply.usage;
    const [reply, ...results] = this.#add({ kind: 'turn', lastSeq, turn });
    if (input === 0 || reply === undefined) return;
    this.#counted = input + output;
    this.#estimated = results.reduce((sum, message) => sum + weightOf(message), 0);
  }

  #add(block: Block): readonly Message[] {
    const added = this.#rendered(block);
    this.#blocks.push(block);
    this.#messages.push(...added);
    this.#sinceCompaction += added.length;
    this.#estimated += added.reduce((sum, message) => sum + weightOf(message), 0);
    return added;
  }

  #rendered(block: Block): readonly Message[] {
    return block.kind === 'turn'
      ? this.#protocol.messages(block.turn)
      : [{ role: 'user', text: block.text }];
  }

  /** From here on, and for all that was said before, in the form of another protocol. */
  speak(protocol: Protocol): void {
    if (protocol === this.#protocol) return;
    this.#protocol = protocol;
    this.#renew();
  }

  /**
   * The entry up to which the messages before the one at `index` can leave; 0 if none can. A
   * summary leaves only together with something else: by itself it would but make place for the next.
   */
  lastSeqBefore(index: number): number {
    let count = 0;
    let lastSeq = 0;
    for (const [place, block] of this.#blocks.entries()) {
      count += this.#rendered(block).length;
      if (count > index) break;
      if (place > 0 && block.kind !== 'summary') ({ lastSeq } = block);
    }
    return lastSeq;
  }

  /** All but the first block leave, up to `upTo`; the summary replaces them. */
  compact(upTo: number, summary: string | null): void {
    const [first, ...rest] = this.#blocks;
    if (first === undefined) return;
    const text = summaryMessage(summary);
    const kept = rest.filter(({ lastSeq }) => lastSeq > upTo);
    this.#blocks = [first, { kind: 'summary', lastSeq: upTo, text }, ...kept];
    this.#renew();
    this.#sinceCompaction = 0;
  }

  #renew(): void {
    this.#messages = this.#blocks.flatMap((block) => this.#rendered(block));
    this.#counted = undefined;
    this.#estimated = this.#messages.reduce((sum, message) => sum + weightOf(message), 0);
  }
}
