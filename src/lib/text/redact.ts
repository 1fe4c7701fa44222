// Keeps secrets out of logs, prompts and published texts. It replaces the exact values that this process
// knows, in all their encodings, and everything that has the format of a common credential.
import { hideRanges, nothingHidden, type HiddenText, type TextRange } from './hidden-text.ts';
import { hidePatterns, hideSplitPatterns, type IsShown } from './redact-patterns.ts';
import { throughMarkup } from './through-markup.ts';

export const REDACTED = '[redacted]';

/** Shorter values are often plain words: redacting them would garble texts and hide nothing. */
const MIN_LENGTH = 8;
const MAX_ADDED = 500;

export interface Redactor {
  /** Redacts the value from now on. Only the newest 500 added values are kept. */
  readonly add: (value: string) => void;
  readonly redact: (text: string) => string;
  /** The same, and what is hidden. What has the format of a credential may be shown, but never a value that is known. */
  readonly hide: Hide;
}

type Hide = (text: string, isShown?: IsShown) => HiddenText;

/** Creates a redactor that never forgets `values`. Values under 8 characters are ignored. */
export function createRedactor(values: readonly string[] = []): Redactor {
  const permanent = new Set(values.flatMap(formsOf));
  const added = new Map<string, readonly string[]>();
  let index: Index | undefined;
  let bareIndex: Index | undefined;
  const hide: Hide = (text, isShown) => {
    index ??= indexOf([...permanent, ...[...added.values()].flat()]);
    bareIndex ??= indexOf([...permanent, ...[...added.values()].flat()].flatMap(bareForms));
    const before = nothingHidden(text, REDACTED);
    const known = hideRanges(before, valuesIn(text, index), REDACTED);
    const whole = hidePatterns(known, REDACTED, isShown);
    return hideSplitPatterns(hideSplitValues(whole, bareIndex), REDACTED, isShown);
  };

  return {
    add(value) {
      if (added.has(value)) return;
      added.set(value, formsOf(value));
      const oldest = added.keys().next();
      if (added.size > MAX_ADDED && !oldest.done) added.delete(oldest.value);
      index = undefined;
      bareIndex = undefined;
    },
    redact: (text) => hide(text).text,
    hide,
  };
}

/** The value itself, each of its lines (PEM), and the value URL-encoded, JSON-escaped and in base64. */
function formsOf(value: string): string[] {
  if (value.length < MIN_LENGTH) return [];
  const lines = value.split(/\r?\n|\\n/).filter((line) => !line.startsWith('-----'));
  const forms = [
    value,
    ...lines,
    encodeURIComponent(value.toWellFormed()),
    JSON.stringify(value).slice(1, -1),
    ...base64Forms(value),
  ];
  return [...new Set(forms)].filter((form) => form.length >= MIN_LENGTH);
}

/** The form as it is found in a text without markup. */
function bareForms(form: string): string[] {
  const bare = throughMarkup(form, REDACTED, false)?.text ?? form;
  return bare.length >= MIN_LENGTH ? [bare] : [];
}

/** Hides values that are whole only once Markdown is rendered. */
function hideSplitValues(before: HiddenText, index: Index): HiddenText {
  const through = throughMarkup(before.text, REDACTED, false);
  if (through === undefined) return before;
  const ranges = valuesIn(through.text, index).flatMap(
    ({ start, end }) => through.source(start, end) ?? [],
  );
  return hideRanges(before, ranges, REDACTED);
}

/**
 * Inside a longer base64 text, a value has three forms, one for each alignment. The characters at both
 * ends also depend on the neighbouring bytes, so they are left out.
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

/** The values by prefix: of 32 characters if they are that long, otherwise of 8. */
interface Index {
  /** The first two characters of all values. */
  readonly starts: ReadonlySet<number>;
  readonly byPrefix: ReadonlyMap<string, readonly string[]>;
}

const PREFIXES = [32, MIN_LENGTH] as const;

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

/** The length of the longest value at this position; 0 if there is none. */
function lengthAt(text: string, at: number, { starts, byPrefix }: Index): number {
  if (!starts.has(pairAt(text, at))) return 0;
  for (const length of PREFIXES) {
    const candidates = byPrefix.get(text.slice(at, at + length));
    const found = candidates?.find((value) => text.startsWith(value, at));
    if (found !== undefined) return found.length;
  }
  return 0;
}

function valuesIn(text: string, index: Index): readonly TextRange[] {
  if (index.starts.size === 0) return [];
  const found: { start: number; end: number }[] = [];
  for (let at = 0; at + MIN_LENGTH <= text.length; at += 1) {
    const length = lengthAt(text, at, index);
    if (length === 0) continue;
    const last = found.at(-1);
    // A value that overlaps the previous one extends its redaction.
    if (last !== undefined && at < last.end) last.end = Math.max(last.end, at + length);
    else found.push({ start: at, end: at + length });
  }
  return found;
}
