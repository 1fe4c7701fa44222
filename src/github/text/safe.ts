// Makes texts safe to publish under the App's name. What acts on GitHub is taken out by plain replacements. Of a
// text that a model wrote, GitHub is then asked how it shows the result: one that could act all the same
// is published as a block of code, in which nothing does.
import { withoutInvisible } from '../../lib/text/invisible.ts';
import { REDACTED, type Redactor } from '../../lib/text/redact.ts';
import { blockquote } from '../../lib/text/text.ts';
import type { BodyText } from '../../session/texts/body.ts';
import { cutMarkdown, type Cut } from './cut.ts';
import { harmless, SHOWS_SECRET, withoutForgery, type Allowed } from './harmless.ts';
import type { CheckRendering } from './rendering-check.ts';

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
  allowed: Allowed,
  { redactor, check }: SafeParts,
): Promise<readonly string[]> {
  if (pieces.length === 0) return [];
  const faultOf = (forms: readonly Form[]): Promise<string | undefined> =>
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
interface Form {
  readonly text: string;
  readonly mark: string;
}

const published = ({ text, mark }: Form): string => text + mark;

/** `undefined` for a text that resists. */
function markdownForm(piece: LimitedText, allowed: Allowed, redactor: Redactor): Form | undefined {
  const isWithin = piece.isQuoted || piece.isBetween === true;
  const rules = { ...allowed, isWithin };
  const { text: head, isCut } = headOf(piece, redactor);
  const clean = withoutEffects(head, rules, redactor);
  if (clean === undefined) return undefined;
  const { text, mark } = fitted(trimmed(clean), piece, isCut);
  // A cut can turn code into prose.
  const safe = mark === '' ? text : withoutEffects(text, rules, redactor);
  return safe === undefined ? undefined : placed({ text: safe, mark }, piece);
}

/**
 * A text far beyond the limit takes long to look at, so it is cut before anything reads it, and once more without
 * secrets: they are redacted, and none contains a space.
 */
function headOf({ text, limit }: LimitedText, redactor: Redactor): Cut {
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
const readable = (text: string, limit: number): Cut => {
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
function codeForm(piece: LimitedText, { closes }: Allowed, redactor: Redactor): Form {
  const { text: head, isCut } = headOf(piece, redactor);
  const text = trimmed(head);
  const seen = settled(text, (before) => withoutForgery(redactor.redact(before), closes));
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
function fitted(markdown: string, { isQuoted, limit, cutMark }: LimitedText, isCut: boolean): Form {
  const perLine = isQuoted ? PER_LINE : 0;
  const whole = cutMarkdown(markdown, { limit, perLine });
  if (!whole.isCut && !isCut) return { text: whole.text, mark: '' };
  const { text } = cutMarkdown(markdown, { limit: limit - cutMark.length, perLine });
  return { text, mark: cutMark };
}

const placed = ({ text, mark }: Form, { isQuoted }: LimitedText): Form => ({
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
export function ownWords(text: string, allowed: Allowed, redactor: Redactor): string {
  const room = { limit: Infinity, cutMark: '' };
  return withoutEffects(text, allowed, redactor) ?? asCode(text, room, redactor);
}

/** A title, or the message of a commit. It is not Markdown, so links and tags have no effect and stay. */
export const plainText = (text: string, redactor: Pick<Redactor, 'redact'>): string =>
  withoutEffects(text, { isPlain: true }, redactor) ?? lettersOf(text, redactor);

/** All that is left of a text that resists. */
const lettersOf = (text: string, { redact }: Pick<Redactor, 'redact'>): string =>
  redact(text.replaceAll(/[^\p{L}\p{N}\s.,]/gu, ' '));

/** Markdown without secrets and without what acts; `undefined` for one that resists. */
const withoutEffects = (
  text: string,
  allowed: Allowed,
  redactor: Pick<Redactor, 'redact'>,
): string | undefined => settled(text, (before) => harmless(redactor.redact(before), allowed));

const MOST_ROUNDS = 6;

/**
 * The text once nothing changes it any more; `undefined` for one that resists. A round can uncover work for the next:
 * a secret may be hidden behind an invisible character.
 */
function settled(text: string, change: (before: string) => string | undefined): string | undefined {
  let before = text;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const after = change(before);
    if (after === undefined || after === before) return after;
    before = after;
  }
  return undefined;
}
