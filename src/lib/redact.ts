// Keeps secrets out of what is logged, shown to a model or published. Two nets: the exact values
// that this process knows, in the forms in which they travel, and the shapes of common credentials.
import { redactPatterns } from './redact-patterns.ts';

export const REDACTED = '[redacted]';

/** Shorter values are words: to redact them would garble the text and hide nothing. */
const SHORTEST = 8;
const LONGEST_MEMORY = 500;

export interface Redactor {
  /** From now on the value is redacted too. Of the values added, the newest 500 are remembered. */
  readonly add: (value: string) => void;
  readonly redact: (text: string) => string;
}

/** A redactor that always knows `values`. Values under 8 characters are ignored. */
export function createRedactor(values: readonly string[] = []): Redactor {
  const permanent = new Set(values.flatMap(formsOf));
  const added = new Map<string, readonly string[]>();
  let index: Index | undefined;

  return {
    add(value) {
      if (added.has(value)) return;
      added.set(value, formsOf(value));
      const oldest = added.keys().next();
      if (added.size > LONGEST_MEMORY && !oldest.done) added.delete(oldest.value);
      index = undefined;
    },
    redact(text) {
      index ??= indexOf([...permanent, ...[...added.values()].flat()]);
      return redactPatterns(redactValues(text, index), REDACTED);
    },
  };
}

/** The value as it is, line by line where it has lines (PEM), URL-encoded, JSON-escaped, in base64. */
function formsOf(value: string): string[] {
  if (value.length < SHORTEST) return [];
  const lines = value.split(/\r?\n|\\n/).filter((line) => !line.startsWith('-----'));
  const forms = [
    value,
    ...lines,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(value),
  ];
  return [...new Set(forms)].filter((form) => form.length >= SHORTEST);
}

/**
 * The value inside a longer base64 text looks different at each of three alignments. The characters
 * at both ends that its neighbours share are left off.
 */
function base64Forms(value: string): string[] {
  const forms = [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]).toString('base64');
    const shared = (before + Buffer.byteLength(value)) % 3 === 0 ? 0 : 1;
    const end = encoded.indexOf('=');
    return encoded.slice([0, 2, 3][before], (end === -1 ? encoded.length : end) - shared);
  });
  const urlSafe = forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'));
  return [...forms, ...urlSafe];
}

/** The values by their beginning: by many characters where they have them, else by the least. */
interface Index {
  /** The first two characters of all values. */
  readonly starts: ReadonlySet<number>;
  readonly byPrefix: ReadonlyMap<string, readonly string[]>;
}

const PREFIXES = [32, SHORTEST] as const;

function indexOf(values: readonly string[]): Index {
  const longestFirst = [...new Set(values)].toSorted((one, other) => other.length - one.length);
  const byPrefix = Map.groupBy(longestFirst, (value) =>
    value.slice(
      0,
      PREFIXES.find((length) => length <= value.length),
    ),
  );
  return { starts: new Set(longestFirst.map((value) => pairAt(value, 0))), byPrefix };
}

const pairAt = (text: string, at: number): number =>
  text.charCodeAt(at) * 0x1_0000 + text.charCodeAt(at + 1);

/** The length of the longest value that begins here; 0 without one. */
function lengthAt(text: string, at: number, { starts, byPrefix }: Index): number {
  if (!starts.has(pairAt(text, at))) return 0;
  for (const length of PREFIXES) {
    const candidates = byPrefix.get(text.slice(at, at + length));
    const found = candidates?.find((value) => text.startsWith(value, at));
    if (found !== undefined) return found.length;
  }
  return 0;
}

function redactValues(text: string, index: Index): string {
  if (index.starts.size === 0) return text;
  let kept = '';
  let redactedTo = 0;
  for (let at = 0; at + SHORTEST <= text.length; at += 1) {
    const length = lengthAt(text, at, index);
    if (length === 0) continue;
    // A value that begins inside another is part of the same redaction.
    if (at >= redactedTo) kept += text.slice(redactedTo, at) + REDACTED;
    redactedTo = Math.max(redactedTo, at + length);
  }
  return kept + text.slice(redactedTo);
}
