// Keeps secrets out of logs, prompts and published texts. It replaces the exact values that this process
// knows, in all their encodings, and everything that has the format of a common credential.
import { hideRanges, nothingHidden, type HiddenText, type TextRange } from './hidden-text.ts';
import { throughMarkup, type LeftUnderscores } from './through-markup.ts';

export const REDACTED = '[redacted]';

/** Shorter values are often plain words: redacting them would garble texts and hide nothing. */
const MIN_LENGTH = 8;
const MAX_ADDED = 500;

/** Takes known secrets, and what has the format of a credential, out of texts. */
export interface TextRedactor {
  readonly redact: (text: string) => string;
}

export interface Redactor extends TextRedactor {
  /** Redacts the value from now on. Only the newest 500 added values are kept. */
  readonly add: (value: string) => void;
  /** As `redact`, and what is hidden. What has the format of a credential may be shown, but never a value that is known. */
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
  const bare = throughMarkup(form, REDACTED, 'none')?.text ?? form;
  return bare.length >= MIN_LENGTH ? [bare] : [];
}

/** Hides values that are whole only once Markdown is rendered. */
function hideSplitValues(before: HiddenText, index: Index): HiddenText {
  const through = throughMarkup(before.text, REDACTED, 'none');
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

// The formats of common credentials. Every pattern takes linear time on any text: it starts with a fixed
// word, and every repetition that may fail after it is bounded.

const TOKENS = [
  /gh[pousr]_[A-Za-z0-9._-]{20,}/g,
  /github_pat_[A-Za-z0-9_]{20,}/g,
  /\bsk-(?=[A-Za-z_-]{0,100}\d)[A-Za-z0-9_-]{20,}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  /\bAIza[A-Za-z0-9_-]{35,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bglpat-[A-Za-z0-9_-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{30,}/g,
  /\bpypi-[A-Za-z0-9_-]{50,}/g,
  /\bhf_[A-Za-z0-9]{30,}/g,
  /\bdop_v1_[a-f0-9]{40,}/g,
  /\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32,}/g,
  /\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g,
  /\bwhsec_[A-Za-z0-9+/=]{24,}/g,
  /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}/g,
  /\bGOCSPX-[A-Za-z0-9_-]{20,}/g,
  /\bya29\.[A-Za-z0-9_-]{20,}/g,
  /\bAGE-SECRET-KEY-1[A-Z0-9]{40,}/g,
  // A JSON web token.
  /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/g,
];

/** The secret follows the first group. The group is kept, so that readers see what was removed. */
const VALUES = [
  /\b(bearer[ \t]{1,8})[A-Za-z0-9._~+/=-]{16,}/gi,
  /\b(authorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:basic|token)[ \t]{1,8})[A-Za-z0-9._~+/=-]{8,}/gi,
  /\b(aws_secret_access_key["']?[ \t]{0,8}[:=][ \t]{0,8}["']?)[A-Za-z0-9/+=]{40,}/gi,
  /\b(AccountKey=)[A-Za-z0-9+/=]{40,}/g,
  /(hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/]{20,}/g,
  // Credentials in a URL, and its host.
  /(:\/\/)[^\s/@:]{0,256}:[^\s/@]{1,1024}(?=(@[^\s/]{0,256}))/g,
];

export const KEY_EDGE = /-----(BEGIN|END) [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const KEY_MATERIAL = /[A-Za-z0-9+/=\s\\]*/y;
/** Also a key with headers, in a quotation, in string literals, or redacted in part. */
const KEY_LINES = /^[A-Za-z0-9+/=\s\\,:>.'"[\]-]*$/;

/** Whether a credential, in its context, may be shown: with the words before it, and the host of its URL. */
type IsShown = (credential: string) => boolean;

const HIDE_ALL: IsShown = () => false;

/** Whether a text holds anything that has the format of a credential. */
export const hasCredential = (text: string): boolean => {
  const before = { text, hidden: [] };
  return hidePatterns(before, '').text !== text;
};

/** Hides everything that has the format of a credential, unless it may be shown. */
function hidePatterns(before: HiddenText, mark: string, isShown: IsShown = HIDE_ALL): HiddenText {
  let now = hideRanges(before, privateKeysIn(before.text, isShown), mark);
  for (const pattern of [...TOKENS, ...VALUES])
    now = hideRanges(now, credentialsIn(now.text, pattern, isShown), mark);
  return now;
}

/** Hides those that only look like one once Markdown is rendered. */
function hideSplitPatterns(before: HiddenText, mark: string, isShown?: IsShown): HiddenText {
  const now = hidePatternsThrough('all', before, mark, isShown);
  return hidePatternsThrough('no emphasis', now, mark, isShown);
}

function hidePatternsThrough(
  underscores: LeftUnderscores,
  before: HiddenText,
  mark: string,
  isShown: IsShown = HIDE_ALL,
): HiddenText {
  let now = before;
  let through = throughMarkup(now.text, mark, underscores);
  for (const pattern of [...TOKENS, ...VALUES]) {
    if (through === undefined) return now;
    const { source, text } = through;
    const split = matchesOf(text, pattern).flatMap(({ start, end, context }) => {
      const range = source(start, end);
      const around = source(context.start, context.end);
      return range === undefined || around === undefined ? [] : [{ ...range, context: around }];
    });
    if (split.length === 0) continue;
    const { text: written } = now;
    // Those that are left may be shown, with the markup in them.
    const whole = matchesOf(written, pattern);
    const found = split.filter(
      ({ start, end, context }) =>
        !whole.some((one) => one.start < end && start < one.end) &&
        !isShown(written.slice(context.start, context.end)),
    );
    if (found.length === 0) continue;
    now = hideRanges(now, found, mark);
    through = throughMarkup(now.text, mark, underscores);
  }
  return now;
}

interface Match extends TextRange {
  /** With the words before it, and the host of its URL. */
  readonly context: TextRange;
}

function matchesOf(text: string, pattern: RegExp): readonly Match[] {
  return [...text.matchAll(pattern)].map(({ 0: all, 1: kept = '', 2: host = '', index }) => {
    const end = index + all.length;
    return { start: index + kept.length, end, context: { start: index, end: end + host.length } };
  });
}

const credentialsIn = (text: string, pattern: RegExp, isShown: IsShown): readonly TextRange[] =>
  matchesOf(text, pattern).filter(
    ({ context }) => !isShown(text.slice(context.start, context.end)),
  );

function privateKeysIn(text: string, isShown: IsShown): TextRange[] {
  const edges = [...text.matchAll(KEY_EDGE)];
  const found: TextRange[] = [];
  for (const [at, edge] of edges.entries()) {
    if (edge[1] !== 'BEGIN') continue;
    const end = endOfKey(text, edge.index + edge[0].length, edges[at + 1]);
    if (!isShown(text.slice(edge.index, end))) found.push({ start: edge.index, end });
  }
  return found;
}

/**
 * A key without an END line (the text was cut) ends at the first character that no key contains. An END
 * line only counts if the text before it looks like a key: otherwise a text that mentions BEGIN and END
 * separately would lose everything between them.
 */
function endOfKey(text: string, from: number, next: RegExpExecArray | undefined): number {
  if (next?.[1] === 'END') {
    const between = text.slice(from, next.index);
    if (KEY_LINES.test(between) || /[A-Za-z0-9+/]{44}/.test(between))
      return next.index + next[0].length;
  }
  KEY_MATERIAL.lastIndex = from;
  return from + (KEY_MATERIAL.exec(text)?.[0].length ?? 0);
}
