const BYTES_PER_TOKEN = 4;

/** Estimates the tokens of a text by its length. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

/** Keeps the last prompt of each key, as vendors cache the prefix of a conversation. */
export class PromptCache {
  readonly #prompts = new Map<string, string>();

  /** Stores `prompt`, and returns how many bytes it has in common with the start of the previous one. */
  take(key: string, prompt: string): number {
    const last = this.#prompts.get(key) ?? '';
    this.#prompts.set(key, prompt);
    return Buffer.byteLength(commonPrefix(last, prompt));
  }
}

function commonPrefix(one: string, other: string): string {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return other.slice(0, length);
}
