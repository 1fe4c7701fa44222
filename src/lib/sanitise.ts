// Makes text that a model or a stranger wrote fit for being published under the App's name.
//
// - Invisible, bidirectional and control characters go.
// - HTML comments go, so that nobody forges the marker by which the App knows its own comments;
//   any other `<!` or `<?` becomes `‹!`, `‹?`, in code too: no text that leaves here holds one.
// - `@name` notifies nobody: it becomes `＠name` (a full-width sign). That reads the same, needs no
//   character that nobody sees, and holds wherever the text is put. In a URL it becomes `%40`.
//   Backticks would not do: what they mean depends on the text around them.
// - `fixes #1` closes nothing: it becomes `fixes → #1`, in code too, because a squash merge makes a
//   commit message of a pull request's body.
//
// Cleaning a clean text changes nothing, and takes time linear in its length.
import { splitCode } from './markdown-code.ts';

export interface SanitiseOptions {
  /** Logins that may be notified. */
  readonly mentions?: readonly string[];
  /** The one issue that the text may close, as `#number`. */
  readonly closes?: number | undefined;
}

export function sanitise(text: string, options: SanitiseOptions = {}): string {
  const plain = withoutComments(withoutInvisible(text)).replaceAll(/<(?=[!?])/g, '‹');
  const harmless = withoutClosing(plain, options.closes);
  const allowed = new Set((options.mentions ?? []).map((login) => login.toLowerCase()));
  return splitCode(harmless)
    .map((piece) => (piece.code ? piece.text : withoutMentions(piece.text, allowed)))
    .join('');
}

const INVISIBLE =
  /(?![\n\t])\p{Cc}|(?!\uFE0F)\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]|(?<!\p{Extended_Pictographic})\uFE0F/gu;

/** The selector that makes a sign an emoji stays where it follows one. */
function withoutInvisible(text: string): string {
  const unixLines = text.toWellFormed().replaceAll(/\r\n?|[\u2028\u2029]/g, '\n');
  return unixLines.replaceAll(INVISIBLE, '');
}

/**
 * What a reader on GitHub sees of a text, and nothing else: for a model, so that nobody tells it what
 * the people around it cannot read. Names and references stay as they are; so does a comment within
 * backticks where the text has no HTML at all.
 */
export function visible(text: string): string {
  const plain = withoutInvisible(text);
  return mayHoldHtml(plain) ? withoutComments(plain) : plain;
}

const mayHoldHtml = (text: string): boolean =>
  splitCode(text).some((piece) => !piece.code && hasTag(piece.text));

/** Whether a `<` stands anywhere but in spans that are code for sure. */
function hasTag(prose: string): boolean {
  const isPlain = !/``|[\\|$]/.test(prose);
  const hasPairs = prose.split('\n').every((line) => line.split('`').length % 2 === 1);
  return (isPlain && hasPairs ? prose.replaceAll(/`[^`\n]*`/g, '') : prose).includes('<');
}

/** Comments in code are kept as text: a sample of HTML stays whole. */
function withoutComments(text: string): string {
  if (!text.includes('<')) return text;
  return splitCode(text)
    .map((piece) => (piece.code ? piece.text : removeComments(piece.text)))
    .join('');
}

function removeComments(prose: string): string {
  const closing = /--!?>/g;
  let kept = '';
  let done = 0;
  for (let open = prose.indexOf('<!--'); open !== -1; open = prose.indexOf('<!--', done)) {
    closing.lastIndex = open + 2;
    const close = closing.exec(prose);
    if (close === null) break;
    kept += prose.slice(done, open);
    done = close.index + close[0].length;
  }
  return kept + prose.slice(done);
}

const KEYWORD = String.raw`(?<![A-Za-z0-9_])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)`;
const SIGN = String.raw`[\s:*_~"'\`\\()[\]<>]`;
const BETWEEN = String.raw`(?:${SIGN}+|(?:${SIGN}|</?[a-z]{1,10}>){1,64})`;
const NAME = String.raw`[\w.-]{1,100}`;
const REFERENCE = [
  String.raw`(?:${NAME}(?:/${NAME})?)?#\d+`,
  String.raw`gh-\d+`,
  String.raw`(?:https?://)?${NAME}(?::\d{1,5})?/${NAME}/${NAME}/(?:issues|pull)/\d+`,
].join('|');
const CLOSING = new RegExp(`(${KEYWORD}${BETWEEN})(${REFERENCE})`, 'gi');

function withoutClosing(text: string, allowed: number | undefined): string {
  return text.replaceAll(CLOSING, (whole, before: string, reference: string) =>
    reference === `#${allowed}` ? whole : `${before}→ ${reference}`,
  );
}

const URL = /https?:\/\/[^\s<>"'`]+/gi;
const MENTION = /(?<![A-Za-z0-9])@([A-Za-z0-9][A-Za-z0-9-]*)(\/?)/g;
/** Ways to write a sign or an invisible character that only the browser turns into one. */
const ENTITY =
  /&(?=#\d|#x[\da-f]|(?:commat|num|sol|shy|zwn?j|[lr]rm|zerowidthspace|nobreak|newline|tab);)/gi;

function withoutMentions(prose: string, allowed: ReadonlySet<string>): string {
  return prose
    .replaceAll(ENTITY, '&amp;')
    .replaceAll(URL, (url) => url.replaceAll('@', '%40'))
    .replaceAll(MENTION, (whole, login: string, team: string) => {
      const mayNotify = team === '' && allowed.has(login.toLowerCase());
      return mayNotify ? whole : `＠${login}${team}`;
    });
}
