import { IDENTIFIER_MARK } from '../code/matcher.ts';
import { WINDOW, windowsIn } from '../code/term-counts.ts';
import { countedIdentifier, countedWord, eachWord } from '../code/words.ts';
import { PlaceWriter } from './places.ts';
import { SegmentWriter, type IndexedFile } from './segment-writer.ts';
import { ByteWriter } from './varint.ts';

/** What is kept in memory before it is written. */
const MOST_CHARACTERS = 8 * 1024 * 1024;
const MOST_KEYS = 200_000;
/** What is longer is no word, and no identifier. */
const MOST_LENGTH = 256;

/** The words of some texts with their places, in memory. */
export class WordPlaces {
  readonly #files: IndexedFile[] = [];
  readonly #ids = new Map<string, number>();
  /** By spelling: the id of a word or an identifier, or -1 if it is not counted. */
  readonly #words = new Map<string, number>();
  readonly #identifiers = new Map<string, number>();
  /** The last place of each word, and which entry that is. */
  readonly #lastPlaces: number[] = [];
  readonly #lastEntries: number[] = [];
  /** In the order of their places. */
  readonly #entries = { ids: new NumberList(), places: new NumberList(), counts: new NumberList() };
  #characters = 0;
  #places = 0;

  get isEmpty(): boolean {
    return this.#files.length === 0;
  }

  get isFull(): boolean {
    const spellings = this.#words.size + this.#identifiers.size;
    return this.#characters >= MOST_CHARACTERS || spellings >= MOST_KEYS;
  }

  add(oid: Uint8Array, text: string): void {
    const first = this.#places;
    eachWord(text, {
      word: (from, to) => {
        if (to - from > MOST_LENGTH) return;
        this.#count(this.#wordAt(text.slice(from, to)), first + Math.floor(from / WINDOW));
      },
      identifier: (from, to) => {
        if (to - from > MOST_LENGTH) return;
        this.#count(this.#identifierAt(text.slice(from, to)), first + Math.floor(from / WINDOW));
      },
    });
    const windows = windowsIn(text);
    this.#files.push({ oid, windows });
    this.#places += windows;
    this.#characters += text.length;
  }

  #wordAt(spelling: string): number {
    return this.#words.get(spelling) ?? this.#learn(this.#words, spelling, countedWord(spelling));
  }

  #identifierAt(spelling: string): number {
    const known = this.#identifiers.get(spelling);
    if (known !== undefined) return known;
    const identifier = countedIdentifier(spelling, 0, spelling.length);
    const key = identifier === undefined ? undefined : IDENTIFIER_MARK + identifier;
    return this.#learn(this.#identifiers, spelling, key);
  }

  #learn(spellings: Map<string, number>, spelling: string, key: string | undefined): number {
    const id = key === undefined ? -1 : (this.#ids.get(key) ?? this.#ids.size);
    // Copies: a slice would keep the whole text in memory.
    if (id === this.#ids.size && key !== undefined) this.#ids.set(copyOf(key), id);
    spellings.set(copyOf(spelling), id);
    return id;
  }

  #count(id: number, place: number): void {
    if (id < 0) return;
    const { ids, places, counts } = this.#entries;
    if (this.#lastPlaces[id] === place) counts.increment(this.#lastEntries[id] ?? 0);
    else {
      this.#lastPlaces[id] = place;
      this.#lastEntries[id] = ids.length;
      ids.push(id);
      places.push(place);
      counts.push(1);
    }
  }

  /** Writes all of it, and forgets it. */
  writeTo(path: string): void {
    const writer = new SegmentWriter(path);
    try {
      this.#writeWords(writer);
      writer.finish(this.#files);
    } finally {
      writer.close();
    }
    this.#clear();
  }

  #writeWords(writer: SegmentWriter): void {
    const { ids, places, counts } = this.#entries;
    const entries = ids.groups(this.#ids.size);
    const bytes = new ByteWriter();
    for (const key of [...this.#ids.keys()].toSorted()) {
      bytes.clear();
      const list = new PlaceWriter(bytes);
      entries.each(this.#ids.get(key) ?? 0, (entry) =>
        list.add(places.at(entry), counts.at(entry)),
      );
      writer.add(key, bytes.written);
    }
  }

  #clear(): void {
    this.#files.length = 0;
    for (const map of [this.#ids, this.#words, this.#identifiers]) map.clear();
    for (const list of Object.values(this.#entries)) list.clear();
    this.#lastPlaces.length = 0;
    this.#lastEntries.length = 0;
    this.#characters = 0;
    this.#places = 0;
  }
}

const copyOf = (text: string): string => Buffer.from(text).toString();

/** Whole numbers, in an array that grows. */
export class NumberList {
  #numbers = new Int32Array(4096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    return this.#numbers[index] ?? 0;
  }

  push(number: number): void {
    if (this.#length === this.#numbers.length) {
      const larger = new Int32Array(2 * this.#length);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#length++] = number;
  }

  increment(index: number): void {
    this.#numbers[index] = this.at(index) + 1;
  }

  clear(): void {
    this.#length = 0;
  }

  /** The indexes of each number below `count`, in order. */
  groups(count: number): { each(number: number, found: (index: number) => void): void } {
    const starts = new Int32Array(count + 1);
    const numbers = this.#numbers.subarray(0, this.#length);
    for (const number of numbers) starts[number + 1] = (starts[number + 1] ?? 0) + 1;
    for (let number = 0; number < count; number += 1)
      starts[number + 1] = (starts[number + 1] ?? 0) + (starts[number] ?? 0);
    const next = starts.slice();
    const indexes = new Int32Array(this.#length);
    for (let index = 0; index < numbers.length; index += 1) {
      const number = numbers[index] ?? 0;
      const at = next[number] ?? 0;
      indexes[at] = index;
      next[number] = at + 1;
    }
    return {
      each: (number, found) => {
        const end = starts[number + 1] ?? 0;
        for (let at = starts[number] ?? 0; at < end; at += 1) found(indexes[at] ?? 0);
      },
    };
  }
}
