// What the index says about a question. Each search thread keeps the index that it used last open.
import { IDENTIFIER_MARK, MAX_TERMS, type Hit, type QuestionMatcher } from '../code/matcher.ts';
import type { TermCounts } from '../code/term-counts.ts';
import { oidAt, type IndexPlace } from './index-place.ts';
import { eachPlace } from './places.ts';
import type { Segment } from './segment.ts';
import { openSegments, segmentsIn, unlessDamaged } from './segments.ts';
import { NumberList } from './word-places.ts';

interface Open {
  readonly directory: string;
  readonly names: readonly string[];
  readonly segments: readonly Segment[];
  asked: { readonly question: string; readonly found: readonly SegmentTerms[] } | undefined;
}

let open: Open | undefined;

/**
 * Of all segments, in each thread. A hit takes 8 bytes until the thread ends, and 12 while it is looked up; lists that grow may
 * be half empty. Beyond that, files are read, which takes longer and little memory.
 */
const MOST_HITS = 2_000_000;

/** The terms of a question in the files that an index has. */
export class IndexedTerms {
  readonly #oids: Uint8Array;
  readonly #found: readonly SegmentTerms[];

  private constructor(oids: SharedArrayBuffer, found: readonly SegmentTerms[]) {
    this.#oids = new Uint8Array(oids);
    this.#found = found;
  }

  /**
   * `undefined` if there is no index yet, or it cannot be read: then the files are. Yields after each word that it reads, since a
   * disk may be slow.
   */
  static *of(
    { directory, oids }: IndexPlace,
    question: string,
    matcher: QuestionMatcher,
    mostHits = MOST_HITS,
  ): Generator<undefined, IndexedTerms | undefined> {
    try {
      const index = openIndex(directory);
      if (index === undefined) return undefined;
      yield undefined;
      if (index.asked?.question !== question) {
        // Its memory is for the next one.
        index.asked = undefined;
        index.asked = { question, found: yield* termsIn(index.segments, matcher, mostHits) };
      }
      return new IndexedTerms(oids, index.asked.found);
    } catch {
      return undefined;
    }
  }

  /** As in `ScannedFile`; `undefined` if the index lacks the blob with the object id at that place. */
  countsOf(blob: number, counts: TermCounts): number[] | undefined {
    const oid = oidAt(this.#oids, blob);
    for (const terms of this.#found) {
      const file = terms.segment.find(oid);
      if (file !== undefined) return terms.countsOf(file, counts);
    }
    return undefined;
  }
}

function openIndex(directory: string): Open | undefined {
  const names = segmentsIn(directory) ?? [];
  const isSame =
    open?.directory === directory &&
    open.names.length === names.length &&
    names.every((name, at) => open?.names[at] === name);
  if (isSame) return open;
  for (const segment of open?.segments ?? []) segment.close();
  open = undefined;
  if (names.length === 0) return undefined;
  open = { directory, names, segments: openSegments(directory, names), asked: undefined };
  return open;
}

function* termsIn(
  segments: readonly Segment[],
  matcher: QuestionMatcher,
  mostHits: number,
): Generator<undefined, SegmentTerms[]> {
  const found: SegmentTerms[] = [];
  let left = mostHits;
  for (const segment of segments) {
    const terms = yield* termsOf(segment, matcher, left);
    left -= terms?.hits ?? 0;
    if (left < 0) return [];
    if (terms !== undefined) found.push(terms);
  }
  return found;
}

/** `undefined` if the segment is damaged. */
function* termsOf(
  segment: Segment,
  matcher: QuestionMatcher,
  most: number,
): Generator<undefined, SegmentTerms | undefined> {
  const reading = SegmentTerms.of(segment, matcher, most);
  for (;;) {
    const step = unlessDamaged(segment.path, () => reading.next());
    if (step === undefined || step.done === true) return step?.value;
    yield undefined;
  }
}

/** The hits of a question in one segment, by place. */
class SegmentTerms {
  readonly segment: Segment;
  /** What each counts, in fifths, and of which term. */
  readonly #hits: NumberList;
  readonly #byPlace: ReturnType<NumberList['groups']>;

  private constructor(segment: Segment, places: NumberList, hits: NumberList) {
    this.segment = segment;
    this.#hits = hits;
    this.#byPlace = places.groups(segment.places);
  }

  /** @param most stops after these hits. @throws {DamagedSegment} */
  static *of(
    segment: Segment,
    matcher: QuestionMatcher,
    most: number,
  ): Generator<undefined, SegmentTerms> {
    const places = new NumberList();
    const found = new NumberList();
    for (const { hits, entry } of hitsIn(segment, matcher)) {
      if (places.length > most) break;
      if (hits.length > 0)
        eachPlace(entry, (place, count) => {
          // A single word can have millions.
          if (places.length > most) return;
          for (const { term, fifths } of hits) {
            places.push(place);
            found.push(fifths * count * MAX_TERMS + term);
          }
        });
      yield undefined;
    }
    return new SegmentTerms(segment, places, found);
  }

  get hits(): number {
    return this.#hits.length;
  }

  countsOf(file: number, counts: TermCounts): number[] {
    const { from, to } = this.segment.placesOf(file);
    return counts.of(to - from, (add) => {
      for (let place = from; place < to; place += 1)
        this.#byPlace.each(place, (at) => {
          const hit = this.#hits.at(at);
          add(hit % MAX_TERMS, place - from, Math.floor(hit / MAX_TERMS));
        });
    });
  }
}

interface WordHits {
  readonly hits: readonly Hit[];
  readonly entry: Buffer;
}

/** Each word that is read. Those that hit anything have their hits once. */
function* hitsIn(segment: Segment, matcher: QuestionMatcher): Generator<WordHits> {
  const seen = new Set<string>();
  for (const start of [...matcher.beginnings, ...matcher.identifiers.keys()])
    for (const { key, places } of segment.beginningWith(start)) {
      const hits = seen.has(key) ? [] : matcher.hitsOfWord(key);
      if (hits.length > 0) seen.add(key);
      yield { hits, entry: places };
    }
  for (const [identifier, term] of matcher.identifiers)
    for (const { key, places } of segment.beginningWith(IDENTIFIER_MARK + identifier)) {
      const isIt = key === IDENTIFIER_MARK + identifier;
      yield { hits: isIt ? [matcher.hitOfIdentifier(term)] : [], entry: places };
    }
}
