import type { Message } from '../contracts/model.ts';
import type { ImageFacts, ImageType, NumberedImage } from '../contracts/image.ts';
import { notSent } from './prompts/item.ts';
import { cutToRoom } from './prompts/replies.ts';
import { summaryMessage } from './prompts/separate-requests.ts';
import { weightOf, type Size } from './relief.ts';
import type { Protocol, Turn } from './protocols/protocol.ts';

/** What is kept or dropped together: a message of the service, or a turn with the results of its calls. */
type Block = { readonly lastSeq: number } & (
  | { readonly kind: 'text'; readonly text: string; readonly images: readonly NumberedImage[] }
  | { readonly kind: 'summary'; readonly text: string }
  | { readonly kind: 'turn'; readonly turn: Turn }
);

/** The content of an image in Base64; `undefined` if it is not there. */
export type ContentOf = (image: ImageFacts) => string | undefined;

/** The messages of the next request, and how large they are. */
export class Conversation {
  #protocol: Protocol;
  readonly #contentOf: ContentOf;
  #imageTypes: ReadonlySet<ImageType> = new Set();
  #isWithoutImages = false;
  #blocks: Block[] = [];
  #messages: Message[] = [];
  /** The tokens that the provider counted for the last request and reply. */
  #counted: number | undefined;
  /** The tokens of what came since, as we estimate them. */
  #estimated = 0;
  #sinceCompaction = 0;

  constructor(protocol: Protocol, contentOf: ContentOf) {
    this.#protocol = protocol;
    this.#contentOf = contentOf;
  }

  /** A conversation with the same model in which nothing was said yet. */
  begunAnew(): Conversation {
    const begun = new Conversation(this.#protocol, this.#contentOf);
    begun.#imageTypes = this.#imageTypes;
    return begun;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  get sinceCompaction(): number {
    return this.#sinceCompaction;
  }

  get size(): Size {
    return {
      messages: this.#messages.length,
      tokens: (this.#counted ?? 0) + this.#estimated,
      isCounted: this.#counted !== undefined,
    };
  }

  addText(lastSeq: number, text: string, images: readonly NumberedImage[] = []): void {
    this.#add({ kind: 'text', lastSeq, text, images });
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
    if (block.kind === 'turn') return this.#protocol.messages(block.turn);
    if (block.kind === 'summary' || block.images.length === 0)
      return [{ role: 'user', text: block.text }];
    return [this.#withImages(block.text, block.images)];
  }

  #withImages(text: string, all: readonly NumberedImage[]): Message {
    const images = all.flatMap((image) => {
      const isSeen = !this.#isWithoutImages && this.#imageTypes.has(image.type);
      const data = isSeen ? this.#contentOf(image) : undefined;
      return data === undefined ? [] : [{ ...image, data }];
    });
    const sent = new Set(images.map(({ number }) => number));
    const missing = all.filter(({ number }) => !sent.has(number));
    return {
      role: 'user',
      text: missing.length === 0 ? text : `${text}\n\n${notSent(missing)}`,
      ...(images.length === 0 ? {} : { images }),
    };
  }

  /** From here on, and in all that was said before, there are no images. */
  dropImages(): void {
    this.#isWithoutImages = true;
    this.#renew();
  }

  /**
   * From here on, and for all that was said before, in the form of this protocol, with the images that the model
   * can see.
   */
  speak(protocol: Protocol, imageTypes: ReadonlySet<ImageType>): void {
    const hasSameImages =
      imageTypes.size === this.#imageTypes.size &&
      [...imageTypes].every((type) => this.#imageTypes.has(type));
    if (protocol === this.#protocol && hasSameImages) return;
    this.#protocol = protocol;
    this.#imageTypes = imageTypes;
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

  /** The turns that leave with what is up to `upTo`, the last of them only if the model has read what came of it. */
  turnsUpTo(upTo: number): { readonly read: readonly Turn[]; readonly unread: readonly Turn[] } {
    const last = this.#blocks.findLast(({ kind }) => kind === 'turn');
    const leaving = this.#blocks
      .slice(1)
      .flatMap((block) => (block.kind === 'turn' && block.lastSeq <= upTo ? [block] : []));
    return {
      read: leaving.filter((block) => block !== last).map(({ turn }) => turn),
      unread: leaving.filter((block) => block === last).map(({ turn }) => turn),
    };
  }

  /** The results of the last turn, which the model has not read: their lengths in characters. */
  get unreadResults(): readonly number[] {
    const last = this.#blocks.findLast(({ kind }) => kind === 'turn');
    return last?.kind === 'turn' ? last.turn.outcomes.map(({ output }) => output.length) : [];
  }

  /** Cuts each of them to at most so many characters. Nothing that the model has read changes. */
  cutUnreadResults(most: number): void {
    const at = this.#blocks.findLastIndex(({ kind }) => kind === 'turn');
    const block = this.#blocks[at];
    if (block?.kind !== 'turn') return;
    const { reply, outcomes } = block.turn;
    const cut = outcomes.map((outcome) => ({
      ...outcome,
      output: cutToRoom(outcome.output, most),
    }));
    const after: Block = { ...block, turn: { reply, outcomes: cut } };
    this.#estimated -= this.#weightOfResults(block) - this.#weightOfResults(after);
    this.#blocks[at] = after;
    this.#messages = this.#blocks.flatMap((one) => this.#rendered(one));
  }

  #weightOfResults(block: Block): number {
    const [, ...results] = this.#rendered(block);
    return results.reduce((sum, message) => sum + weightOf(message), 0);
  }

  /** All but the first block leave, up to `upTo`; the summary replaces them. `notShown`: calls, in words. */
  compact(upTo: number, summary: string | null, notShown: readonly string[] = []): void {
    const [first, ...rest] = this.#blocks;
    if (first === undefined) return;
    const text = summaryMessage(summary, notShown);
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
