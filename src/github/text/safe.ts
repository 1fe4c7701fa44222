// Makes texts safe to publish under the App's name. What acts on GitHub is taken out by plain replacements. Of a
// text that a model wrote, GitHub is then asked how it shows the result: one that could act all the same
// is published as a block of code, in which nothing does.
import { withoutInvisible } from '../../lib/text/invisible.ts';
import { REDACTED, type Redactor, type TextRedactor } from '../../lib/text/redact.ts';
import { blockquote } from '../../lib/text/text.ts';
import type { BodyText } from '../../session/texts/markdown.ts';
import {
  harmless,
  settledText,
  SHOWS_SECRET,
  withoutForgery,
  type AllowedReferences,
} from './harmless.ts';
import type { CheckRendering } from './rendering-check.ts';
import { blocksOf, splitCode, suggestionsIn } from './code-ranges.ts';

export interface SafeParts {
  readonly redactor: Redactor;
  readonly check: CheckRendering;
}

/** One text, with its limit. */
export interface LimitedText extends BodyText {
  readonly limit: number;
  /** Our own text that follows if it is cut, within the limit. */
  readonly cutMark: string;
}

/**
 * The texts as they can be published side by side: one may name an address that another links to.
 * @throws {TryLater} when GitHub cannot be asked
 */
export async function makeSafe(
  pieces: readonly LimitedText[],
  allowed: AllowedReferences,
  { redactor, check }: SafeParts,
): Promise<readonly string[]> {
  if (pieces.length === 0) return [];
  const faultOf = (forms: readonly PublishableText[]): Promise<string | undefined> =>
    check(forms.map(({ text }) => text).join('\n\n'), allowed.mentions ?? []);
  const forms = pieces.map((piece) => {
    const code = codeForm(piece, allowed, redactor);
    const markdown = markdownForm(piece, allowed, redactor) ?? code;
    // Its rendering shows a secret that the source does not.
    return { markdown, code, withheld: placed({ text: REDACTED, mark: '' }, piece) };
  });
  const fault = await faultOf(forms.map(({ markdown }) => markdown));
  if (fault === undefined) return forms.map(({ markdown }) => published(markdown));
  const faults =
    pieces.length === 1
      ? [fault]
      : await Promise.all(forms.map(({ markdown }) => faultOf([markdown])));
  const inert = forms.map(({ code, withheld }, at) =>
    faults[at] === SHOWS_SECRET ? withheld : code,
  );
  const safeAlone = inert.map((form, at) =>
    faults[at] === undefined ? (forms[at]?.markdown ?? form) : form,
  );
  const isSafe = pieces.length === 1 || (await faultOf(safeAlone)) === undefined;
  return (isSafe ? safeAlone : inert).map(published);
}

/** A text as it can be published, and the mark if it was cut. */
interface PublishableText {
  readonly text: string;
  readonly mark: string;
}

const published = ({ text, mark }: PublishableText): string => text + mark;

/** `undefined` for a text that resists. */
function markdownForm(
  piece: LimitedText,
  allowed: AllowedReferences,
  redactor: Redactor,
): PublishableText | undefined {
  const isWithin = piece.isQuoted || piece.isBetween === true;
  const rules = { ...allowed, isWithin };
  const { text: head, isCut } = headOf(piece, redactor);
  const clean = harmless(head, rules, redactor.redact);
  if (clean === undefined) return undefined;
  const { text: written } = readable(piece.text, piece.limit);
  const honest = withoutChangedSuggestions(trimmed(clean), written, AS_CODE);
  const { text, mark } = fitted(honest, piece, isCut);
  // A cut can turn code into prose.
  const safe = mark === '' ? text : harmless(text, rules, redactor.redact);
  if (safe === undefined) return undefined;
  return placed({ text: withoutChangedSuggestions(safe, written), mark }, piece);
}

const AS_CODE = '_Shown as code: these lines had to be changed, so do not commit them._\n\n';

/**
 * GitHub commits the lines of a block that is called `suggestion` as they stand there. Unless its author wrote the very same ones, it
 * becomes a block of code.
 */
function withoutChangedSuggestions(safe: string, written: string, note = ''): string {
  const found = suggestionsIn(safe);
  if (found.length === 0) return safe;
  const originals = suggestionsIn(written).map(({ content }) => content);
  const lines = safe.split('\n');
  for (const { content, firstLine, isWithin } of found) {
    // Each stands for one, in their order: what is left of the second may be the words of the first.
    const at = originals.indexOf(content);
    originals.splice(0, at + 1);
    if (at >= 0) continue;
    const fence = (lines[firstLine] ?? '').replace(/(`{3,}|~{3,}).*/, '$1');
    lines[firstLine] = isWithin ? fence : note + fence;
  }
  return lines.join('\n');
}

/**
 * A text far beyond the limit takes long to look at, so it is cut before anything reads it, and once more without
 * secrets: they are redacted, and none contains a space.
 */
function headOf({ text, limit }: LimitedText, redactor: Redactor): CutText {
  const { text: read, isCut } = readable(text, limit);
  const plain = redactor.redact(withoutInvisible(redactor.redact(read)));
  const kept = isCut ? plain.slice(0, Math.max(0, plain.length - LONGEST_SECRET)) : plain;
  const most = 2 * limit;
  if (kept.length <= most) return { text: kept, isCut };
  const end = lastSpace(kept, most);
  return { text: kept.slice(0, end === -1 ? most : end), isCut: true };
}

/** UTF-16 units. A cut splits at most what ends within them, which is left out afterwards. */
const LONGEST_SECRET = 16_384;

/** As much of a text as can matter for a limit, whatever is taken out of it. */
const readable = (text: string, limit: number): CutText => {
  const most = 4 * limit + LONGEST_SECRET;
  return { text: text.slice(0, most), isCut: text.length > most };
};

function lastSpace(text: string, end: number): number {
  let at = end - 1;
  while (at >= 0 && /\S/.test(text.charAt(at))) at -= 1;
  return at;
}

/** Spaces before the first line may make it code. */
const trimmed = (text: string): string => text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();

const LONG_RUN = /`{50,}/g;

/** A block of code, with a fence that nothing in it closes. */
function codeForm(
  piece: LimitedText,
  { closes }: AllowedReferences,
  redactor: Redactor,
): PublishableText {
  const { text: head, isCut } = headOf(piece, redactor);
  const text = trimmed(head);
  const seen = settledText(text, (before) => withoutForgery(redactor.redact(before), closes));
  const plain = (seen ?? lettersOf(text, redactor)).replaceAll(LONG_RUN, (run) =>
    'ˋ'.repeat(run.length),
  );
  const longest = [...plain.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return placed(fitted(`${fence}\n${plain}\n${fence}`, piece, isCut), piece);
}

/** The sign of a quotation. */
const PER_LINE = '> '.length;

/** `isCut`: a part of it was left out before. */
function fitted(
  markdown: string,
  { isQuoted, limit, cutMark }: LimitedText,
  isCut: boolean,
): PublishableText {
  const perLine = isQuoted ? PER_LINE : 0;
  const whole = cutMarkdown(markdown, { limit, perLine });
  if (!whole.isCut && !isCut) return { text: whole.text, mark: '' };
  const { text } = cutMarkdown(markdown, { limit: limit - cutMark.length, perLine });
  return { text, mark: cutMark };
}

const placed = ({ text, mark }: PublishableText, { isQuoted }: LimitedText): PublishableText => ({
  text: isQuoted ? blockquote(text) : text,
  mark,
});

/** A text of any kind as a block of code. */
export const asCode = (
  text: string,
  room: Pick<LimitedText, 'limit' | 'cutMark'>,
  redactor: Redactor,
): string => published(codeForm({ text, isQuoted: false, ...room }, {}, redactor));

/** Words of the service, and short pieces that it has escaped: GitHub need not be asked about them. */
export function ownWords(text: string, allowed: AllowedReferences, redactor: Redactor): string {
  const room = { limit: Infinity, cutMark: '' };
  return harmless(text, allowed, redactor.redact) ?? asCode(text, room, redactor);
}

/** A title, or the message of a commit. It is not Markdown, so links and tags have no effect and stay. */
export const plainText = (text: string, redactor: TextRedactor): string =>
  harmless(text, { isPlain: true }, redactor.redact) ?? lettersOf(text, redactor);

/** All that is left of a text that resists. */
const lettersOf = (text: string, { redact }: TextRedactor): string =>
  redact(text.replaceAll(/[^\p{L}\p{N}\s.,]/gu, ' '));

/** Kept for closing what a cut leaves open. */
const ROOM_FOR_ENDS = 200;
/** A cut moves back to the end of a block, a line or a word unless more than this share is lost. */
const MOST_LOST = 0.3;

interface CutOptions {
  /** UTF-16 units, a few hundred at least. */
  readonly limit: number;
  /** What each line needs in addition to its text, such as the marker of a quotation. */
  readonly perLine?: number;
}

export interface CutText {
  readonly text: string;
  readonly isCut: boolean;
}

/** As much of a Markdown text as fits. Everything that it opens is closed, so that it cannot affect what follows. */
export function cutMarkdown(text: string, { limit, perLine = 0 }: CutOptions): CutText {
  const sizeOf = (some: string): number => some.length + perLine * some.split('\n').length;
  const whole = text + endsOf(text);
  if (sizeOf(whole) <= limit) return { text: whole, isCut: false };
  const kept = text
    .slice(0, placeToCut(text, limit - ROOM_FOR_ENDS, perLine))
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd();
  const ends = endsOf(kept);
  // No person opens so much that this does not hold; what is left open then is only less pretty.
  return { text: sizeOf(ends) <= ROOM_FOR_ENDS ? kept + ends : kept, isCut: true };
}

function placeToCut(text: string, room: number, perLine: number): number {
  let left = room;
  let line = 0;
  for (;;) {
    const end = text.indexOf('\n', line) + 1;
    const cost = end - line + perLine;
    if (end === 0 || cost > left) break;
    left -= cost;
    line = end;
  }
  const most = line + Math.max(0, left - perLine);
  const least = most * (1 - MOST_LOST);
  const block = line > least ? lastBlock(text.slice(0, line)) : 0;
  if (block > least) return block;
  return line > least ? line : placeInLine(text, line, most, least);
}

/** The position of the last top-level block. */
function lastBlock(text: string): number {
  const starts = blocksOf(text).flatMap(({ level, map }) => (level === 0 && map ? [map[0]] : []));
  const before = text.split('\n', starts.at(-1) ?? 0);
  return before.reduce((length, line) => length + line.length + 1, 0);
}

/** The end of a word; else of an entity, a tag, or what a person sees as one sign. */
function placeInLine(text: string, line: number, most: number, least: number): number {
  const before = text.slice(line, most);
  const word = line + Math.max(before.lastIndexOf(' '), before.lastIndexOf('\t'));
  if (word > least) return word;
  const part = /(?:&[#\w]{0,40}|<[A-Za-z/][^<>]{0,500})$/.exec(before.slice(-500));
  return part === null ? endOfSign(text, most) : most - part[0].length;
}

const NEAR = 64;

/** Such as a family of emoji, which is many characters. */
function endOfSign(text: string, most: number): number {
  const from = Math.max(0, most - NEAR);
  const signs = new Intl.Segmenter().segment(text.slice(from, most + NEAR));
  return from + (signs.containing(most - from)?.index ?? most - from);
}

const DETAILS = /<(\/?)details\b[^<>]*>/gi;
const FENCE = /^ {0,3}(?:```|~~~)/m;
const LAST_LINE_OF_FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;

/** What closes the code block and the folded parts that are open at the end. Blocks in a list end with the list. */
function endsOf(text: string): string {
  const prose = splitCode(text).map(({ kind, text: part }) => (kind === 'prose' ? part : ''));
  const tags = [...prose.join('').matchAll(DETAILS)].map(([, closes]) => (closes === '' ? 1 : -1));
  const open = tags.reduce((depth: number, change) => Math.max(0, depth + change), 0);
  return closingFence(text) + '\n\n</details>'.repeat(open);
}

function closingFence(text: string): string {
  if (!FENCE.test(text)) return '';
  const last = blocksOf(text).at(-1);
  if (last?.type !== 'fence' || last.level !== 0 || last.map === null) return '';
  const [start, end] = last.map;
  // What names the addresses of links may follow, and is no block.
  const [, sign = ''] = LAST_LINE_OF_FENCE.exec(text.split('\n')[end - 1] ?? '') ?? [];
  return end - start > 1 && sign.startsWith(last.markup) ? '' : `\n${last.markup}`;
}
