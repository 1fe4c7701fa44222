/** Finds the end of a JSON object, array or string that arrives in pieces. It checks nothing else. Takes linear time. */
export class JsonEnd {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #hasBegun = false;

  /** Nothing but blanks came. */
  get isEmpty(): boolean {
    return !this.#hasBegun;
  }

  get isReached(): boolean {
    return this.#hasBegun && this.#depth <= 0 && !this.#isInString;
  }

  read(piece: string): void {
    for (const character of piece) {
      if (this.#isInString) this.#readInString(character);
      else this.#readOutside(character);
    }
  }

  #readInString(character: string): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (character === '\\') this.#isEscaped = true;
    else if (character === '"') this.#isInString = false;
  }

  #readOutside(character: string): void {
    if (character.trim() !== '') this.#hasBegun = true;
    if (character === '"') this.#isInString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') this.#depth -= 1;
  }
}
