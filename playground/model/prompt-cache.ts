const BYTES_PER_TOKEN = 4;

/** What a text counts, by its length alone. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN);

/** Remembers the last prompt of each key, as vendors keep the prefix of a conversation. */
export class PromptCache {
  readonly #prompts = new Map<string, string>();

  /** The bytes that `prompt` begins with as the last one of `key` did; it is the last one then. */
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
