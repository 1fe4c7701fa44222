// Looks for something again and again without going over any part of a text twice: what strangers
// write may hold ten thousand beginnings without an end.

export interface Found {
  readonly start: number;
  readonly end: number;
}

/** Answers where a pattern is found next. It takes linear time as long as the places asked for rise. */
export class Finder {
  readonly #text: string;
  readonly #pattern: RegExp;
  #from = Infinity;
  #found: Found | undefined;

  /** `pattern`: with no flag but `i`. */
  constructor(text: string, pattern: RegExp) {
    this.#text = text;
    this.#pattern = new RegExp(pattern.source, `g${pattern.flags}`);
  }

  /** The first that begins at the place or later. */
  next(place: number): Found | undefined {
    const isKnown = place >= this.#from && place <= (this.#found?.start ?? Infinity);
    return isKnown ? this.#found : this.#search(place);
  }

  /** Whether there is one from a place up to another. */
  isWithin(place: number, end: number): boolean {
    const found = this.next(place);
    return found !== undefined && found.end <= end;
  }

  #search(place: number): Found | undefined {
    this.#pattern.lastIndex = place;
    const match = this.#pattern.exec(this.#text);
    this.#from = place;
    this.#found = match === null ? undefined : { start: match.index, end: this.#pattern.lastIndex };
    return this.#found;
  }
}
