// Where a word is: places in ascending order, each with how often the word is there. A place is a window of a segment, whose
// windows are numbered through all of its files.
import { ByteReader, type ByteWriter } from './varint.ts';

export class PlaceWriter {
  readonly #to: ByteWriter;
  #last = 0;

  constructor(to: ByteWriter) {
    this.#to = to;
  }

  add(place: number, count: number): void {
    const step = 2 * (place - this.#last);
    this.#last = place;
    this.#to.number(count === 1 ? step : step + 1);
    if (count !== 1) this.#to.number(count);
  }
}

export function eachPlace(places: Buffer, found: (place: number, count: number) => void): void {
  const reader = new ByteReader(places);
  let place = 0;
  while (reader.hasMore) {
    const step = reader.number();
    place += Math.floor(step / 2);
    found(place, step % 2 === 0 ? 1 : reader.number());
  }
}
