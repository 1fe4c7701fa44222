const HEAD = 128 * 1024;
const TAIL = 896 * 1024;

/** Collects more output than a shell keeps, as failures may be reported in the middle. */
export class HeardOutput {
  #head = '';
  #tail: string[] = [];
  #tailLength = 0;
  #isCut = false;

  hear(text: string): void {
    const room = HEAD - this.#head.length;
    this.#head += text.slice(0, room);
    const rest = text.slice(room);
    if (room >= text.length) return;
    this.#tail.push(rest);
    this.#tailLength += rest.length;
    for (
      let [first = ''] = this.#tail;
      this.#tailLength - first.length > TAIL;
      [first = ''] = this.#tail
    ) {
      this.#tail.shift();
      this.#tailLength -= first.length;
      this.#isCut = true;
    }
  }

  get text(): string {
    const gap = this.#isCut ? '\n… (some is left out) …\n' : '';
    return this.#head + gap + this.#tail.join('');
  }
}
