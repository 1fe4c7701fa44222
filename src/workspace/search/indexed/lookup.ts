// What the index says about a question. Each search thread keeps the index that it used last open.
import { IDENTIFIER_MARK, type Hit, type QuestionMatcher } from '../code/matcher.ts';
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

/** Of all segments: each takes 16 bytes. Beyond that, files are read, which takes longer and little memory. */
const MOST_HITS = 8_000_000;

/** The terms of a question in the files that an index has. */
export class IndexedTerms {
  readonly #oids: Uint8Array;
  readonly #found: readonly SegmentTerms[];

  private constructor(oids: SharedArrayBuffer, found: readonly SegmentTerms[]) {
    this.#oids = new Uint8Array(oids);
    this.#found = found;
  }

  /** `undefined` if there is no index yet, or it cannot be read: then the files are. */
  static of(
    { directory, oids }: IndexPlace,
    question: string,
    matcher: QuestionMatcher,
    mostHits = MOST_HITS,
  ): IndexedTerms | undefined {
    try {
      const index = openIndex(directory);
      if (index === undefined) return undefined;
      if (index.asked?.question !== question)
        index.asked = { question, found: termsIn(index.segments, matcher, mostHits) };
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

function termsIn(
  segments: readonly Segment[],
  matcher: QuestionMatcher,
  mostHits: number,
): SegmentTerms[] {
  const found: SegmentTerms[] = [];
  let left = mostHits;
  for (const segment of segments) {
    const terms = unlessDamaged(segment.path, () => new SegmentTerms(segment, matcher, left));
    left -= terms?.hits ?? 0;
    if (left < 0) return [];
    if (terms !== undefined) found.push(terms);
  }
  return found;
}

/** The hits of a question in one segment, by place. */
class SegmentTerms {
  readonly segment: Segment;
  readonly #terms = new NumberList();
  readonly #fifths = new NumberList();
  readonly #byPlace: ReturnType<NumberList['groups']>;

  /** @param most stops after these hits. @throws {DamagedSegment} */
  constructor(segment: Segment, matcher: QuestionMatcher, most: number) {
    this.segment = segment;
    const places = new NumberList();
    for (const { hits, entry } of hitsIn(segment, matcher)) {
      if (places.length > most) break;
      eachPlace(entry, (place, count) => {
        for (const { term, fifths } of hits) {
          places.push(place);
          this.#terms.push(term);
          this.#fifths.push(fifths * count);
        }
      });
    }
    this.#byPlace = places.groups(segment.places);
  }

  get hits(): number {
    return this.#terms.length;
  }

  countsOf(file: number, counts: TermCounts): number[] {
    const { from, to } = this.segment.placesOf(file);
    return counts.of(to - from, (add) => {
      for (let place = from; place < to; place += 1)
        this.#byPlace.each(place, (hit) =>
          add(this.#terms.at(hit), place - from, this.#fifths.at(hit)),
        );
    });
  }
}

interface WordHits {
  readonly hits: readonly Hit[];
  readonly entry: Buffer;
}

/** Each word that hits anything, once. */
function* hitsIn(segment: Segment, matcher: QuestionMatcher): Generator<WordHits> {
  const seen = new Set<string>();
  for (const start of [...matcher.beginnings, ...matcher.identifiers.keys()])
    for (const { key, places } of segment.beginningWith(start)) {
      const hits = seen.has(key) ? [] : matcher.hitsOfWord(key);
      if (hits.length === 0) continue;
      seen.add(key);
      yield { hits, entry: places };
    }
  for (const [identifier, term] of matcher.identifiers)
    for (const { key, places } of segment.beginningWith(IDENTIFIER_MARK + identifier))
      if (key === IDENTIFIER_MARK + identifier)
        yield { hits: [matcher.hitOfIdentifier(term)], entry: places };
}
