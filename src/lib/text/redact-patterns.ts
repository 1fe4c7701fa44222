// The formats of common credentials. Every pattern takes linear time on any text: it starts with a fixed
// word, and every repetition that may fail after it is bounded.
import { hideRanges, type HiddenText, type TextRange } from './hidden-text.ts';
import { throughMarkup } from './through-markup.ts';

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
export type IsShown = (credential: string) => boolean;

const HIDE_ALL: IsShown = () => false;

/** Whether a text holds anything that has the format of a credential. */
export const hasCredential = (text: string): boolean => {
  const before = { text, hidden: [] };
  return hidePatterns(before, '').text !== text;
};

/** Hides everything that has the format of a credential, unless it may be shown. */
export function hidePatterns(
  before: HiddenText,
  mark: string,
  isShown: IsShown = HIDE_ALL,
): HiddenText {
  let now = hideRanges(before, privateKeysIn(before.text, isShown), mark);
  for (const pattern of [...TOKENS, ...VALUES])
    now = hideRanges(now, credentialsIn(now.text, pattern, isShown), mark);
  return now;
}

/** Hides those that only look like one once Markdown is rendered. */
export function hideSplitPatterns(
  before: HiddenText,
  mark: string,
  isShown: IsShown = HIDE_ALL,
): HiddenText {
  let now = before;
  let through = throughMarkup(now.text, mark, true);
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
    through = throughMarkup(now.text, mark, true);
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
  if (next?.[1] === 'END' && isOfKey(text.slice(from, next.index)))
    return next.index + next[0].length;
  KEY_MATERIAL.lastIndex = from;
  return from + (KEY_MATERIAL.exec(text)?.[0].length ?? 0);
}

const isOfKey = (between: string): boolean =>
  KEY_LINES.test(between) || /[A-Za-z0-9+/]{44}/.test(between);
