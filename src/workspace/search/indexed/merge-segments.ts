import { eachPlace, PlaceWriter } from './places.ts';
import type { Entry, Segment } from './segment.ts';
import { SegmentWriter, type IndexedFile } from './segment-writer.ts';
import { ByteWriter } from './varint.ts';

const GONE = -1;

/**
 * Writes one segment with the files of several, each once, as far as they are wanted. Yields now and then. @throws
 * {DamagedSegment}
 */
export function* mergeSegments(
  path: string,
  segments: readonly Segment[],
  isWanted: (oid: Uint8Array) => boolean,
): Generator<undefined> {
  const { files, places } = mergedFiles(segments, isWanted);
  const writer = new SegmentWriter(path);
  try {
    const bytes = new ByteWriter();
    for (const { key, parts } of mergedKeys(segments)) {
      bytes.clear();
      const list = new PlaceWriter(bytes);
      for (const { segment, entry } of parts)
        eachPlace(entry.places, (place, count) => {
          const now = places[segment]?.[place] ?? GONE;
          if (now !== GONE) list.add(now, count);
        });
      if (bytes.length > 0) writer.add(key, bytes.written);
      yield undefined;
    }
    writer.finish(files);
  } finally {
    writer.close();
  }
}

/** The files of all, and for each segment what becomes of its places. */
function mergedFiles(segments: readonly Segment[], isWanted: (oid: Uint8Array) => boolean) {
  const files: IndexedFile[] = [];
  const seen = new Set<string>();
  let next = 0;
  const places = segments.map((segment) => {
    const moved = new Int32Array(segment.places).fill(GONE);
    for (const [file, oid] of segment.oids().entries()) {
      const key = oid.toString('latin1');
      if (seen.has(key) || !isWanted(oid)) continue;
      seen.add(key);
      const { from, to } = segment.placesOf(file);
      for (let place = from; place < to; place += 1) moved[place] = next + place - from;
      files.push({ oid, windows: to - from });
      next += to - from;
    }
    return moved;
  });
  return { files, places };
}

interface KeyParts {
  readonly key: string;
  readonly parts: readonly { readonly segment: number; readonly entry: Entry }[];
}

function* mergedKeys(segments: readonly Segment[]): Generator<KeyParts> {
  const sources = segments.map((segment) => segment.beginningWith(''));
  const heads = sources.map((source) => next(source));
  for (;;) {
    let key: string | undefined;
    for (const head of heads)
      if (head !== undefined && (key === undefined || head.key < key)) key = head.key;
    if (key === undefined) return;
    const parts: { segment: number; entry: Entry }[] = [];
    for (const [segment, entry] of heads.entries())
      if (entry?.key === key) parts.push({ segment, entry });
    yield { key, parts };
    // Only now: the next entry of a segment takes the place of the last one.
    for (const { segment } of parts) {
      const source = sources[segment];
      heads[segment] = source && next(source);
    }
  }
}

function next(source: Generator<Entry>): Entry | undefined {
  const { value, done } = source.next();
  return done === true ? undefined : value;
}
