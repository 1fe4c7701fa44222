// Takes out of a text, by plain replacements, what would act under the App's name once it is on GitHub.
//
// - Invisible characters and HTML comments are removed, so that no one can forge the marker by which the App
//   recognises its own texts. Any other `<!` or `<?` becomes `‹!`, `‹?`, in code too.
// - `@name` gets a space of no width behind the sign, the one invisible character that is written: people read it as it was, and
//   GitHub sees no name (rule `no-mention-behind-nothing` of docs/github-rules.md). In titles and commit messages, which tools show with all their characters, it becomes `＠name`, with a
//   full-width sign. In code of Markdown GitHub mentions no one, so that is unchanged; in a commit message it does
//   (rule `mentions-in-commits` of docs/github-rules.md).
// - `fixes #1` becomes `fixes → #1`, in code too, because a squash merge makes a commit message of a pull
//   request's body.
// - `[skip ci]` becomes `(skip ci)`, and `Reviewed-by: name` gets a full-width colon, in code too, for the same
//   reason: a text must not switch off checks, or sign and approve for anyone.
// - In Markdown, links, images and HTML that lead elsewhere become plain text.
//
// A harmless text stays as it is. Takes time linear in the text's length.
import { withoutInvisible } from '../../lib/text/invisible.ts';
import type { TextRedactor } from '../../lib/text/redact.ts';
import { splitCode, type CodePiece } from './code-ranges.ts';
import { withoutForeignLinks, type AllowsHost } from './links.ts';

/** The fault of a text that nobody may read, whatever form it is in. */
export const SHOWS_SECRET = 'a secret';

export interface AllowedReferences {
  /** Logins that may be notified. */
  readonly mentions?: readonly string[] | undefined;
  /** The one issue that the text may close, as `#number`. */
  readonly closes?: number | undefined;
  /** For Markdown: the hosts that links and images may lead to. Without it they stay as they are. */
  readonly links?: AllowsHost | undefined;
  /** No Markdown, so it has no code: fences, indentations and backticks are words. */
  readonly isPlain?: boolean | undefined;
  /** Our own text follows, which HTML could reach: all HTML and footnotes are shown as text. */
  readonly isWithin?: boolean | undefined;
}

/** Texts that were not made to resist need two. */
const MOST_ROUNDS = 6;

/**
 * The text once nothing changes it any more; `undefined` for one that resists. A round can uncover work for the next:
 * a secret may be hidden behind an invisible character.
 */
export function settledText(text: string, change: (before: string) => string): string | undefined {
  let before = text;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const after = change(before);
    if (after === before) return after;
    before = after;
  }
  return undefined;
}

/** The text without secrets and without what acts; `undefined` for a text that resists. */
export const harmless = (
  text: string,
  allowed: AllowedReferences = {},
  redact: TextRedactor['redact'] = (plain) => plain,
): string | undefined => settledText(text, (before) => replaced(redact(before), allowed));

/** What no place makes harmless, code neither. */
export function withoutForgery(text: string, closes: number | undefined): string {
  const visible = withoutInvisible(text).replaceAll(/<(?=[!?])/g, '‹');
  const plain = withoutSkips(visible).replaceAll(TRAILER, '$1：');
  return withoutClosing(plain, closes);
}

/**
 * What someone did (`Reviewed-by`, `Signed-off-by`), GitHub's orders about checks, and the version that release-please
 * is to take; `sort-by` is none of them. Also in a quotation, a list or emphasis. Git reads no trailer with a full-width colon.
 */
const TRAILER =
  /^([^\p{L}\p{N}\r\n\u2028\u2029]*(?=[\p{L}\p{N}])(?:(?:[\p{L}\p{N}.]+-)*(?:[\p{L}\p{N}]*ed|off|found|seen|made|built|written|sent|given|led|run|done)-by|(?:skip|request)-checks|release-as)[\p{Zs}\t*_]*):/gimu;

function replaced(text: string, allowed: AllowedReferences): string {
  const { mentions = [], closes, links, isWithin } = allowed;
  const isPlain = allowed.isPlain === true;
  const inProse = (whole: string, ...change: Changes): string =>
    changed(isPlain ? [{ kind: 'prose', text: whole }] : splitCode(whole), ...change);
  const seen = withoutInvisible(text);
  const bare = seen.includes('<!--') ? inProse(seen, withoutComments) : seen;
  const logins = new Set(mentions.map((login) => login.toLowerCase()));
  return inProse(
    withoutForgery(bare, closes),
    (prose) => {
      const plain = isWithin === true ? withoutMarkup(prose) : prose;
      const linked = links === undefined ? plain : withoutForeignLinks(plain, links);
      return withoutMentions(linked, logins, isPlain ? '＠' : SILENT);
    },
    links === undefined ? (code) => code : undrawn,
  );
}

type Changes = readonly [
  change: (prose: string) => string,
  changeBlock?: (block: string) => string,
];

/** Changes a text but for its code, of which the prose holds a mark in each place. */
function changed(
  pieces: readonly CodePiece[],
  ...[change, changeBlock = (block) => block]: Changes
): string {
  const code: string[] = [];
  const prose = pieces
    .map((piece) => {
      if (piece.kind === 'prose') return piece.text;
      code.push(piece.kind === 'block' ? changeBlock(piece.text) : piece.text);
      return `\0${code.length - 1}\0`;
    })
    .join('');
  return change(prose).replaceAll(/\0(\d+)\0/g, (_mark, at: string) => code[Number(at)] ?? '');
}

function withoutComments(prose: string): string {
  const closing = /--!?>/g;
  let kept = '';
  let done = 0;
  for (let open = prose.indexOf('<!--'); open !== -1; open = prose.indexOf('<!--', done)) {
    // `<!-->` is a comment too.
    closing.lastIndex = open + '<!'.length;
    if (closing.exec(prose) === null) break;
    kept += prose.slice(done, open);
    done = closing.lastIndex;
  }
  return kept + prose.slice(done);
}

const withoutMarkup = (prose: string): string =>
  withoutNotes(prose.replaceAll(/<(?=[a-z/])/gi, '&lt;'));

/** A footnote that is escaped already stays so. */
const withoutNotes = (prose: string): string =>
  prose.replaceAll('[^', (note, at: number) =>
    backslashesBefore(prose, at) % 2 === 0 ? `\\${note}` : note,
  );

function backslashesBefore(text: string, at: number): number {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return at - first;
}

/** What GitHub's pages make a picture of: such a picture may load something, and link. */
export const DRAWN_LANGUAGES: ReadonlySet<string> = new Set([
  'mermaid',
  'math',
  'geojson',
  'topojson',
  'stl',
]);
const FENCE_OF_LANGUAGE = /^([^\n`~]*(?:`{3,}|~{3,})[ \t]*)([\w-]+)/;

export const canLoad = (source: string): boolean =>
  /\/\/|www\.|\bhref\b|\\url|\bimg\b|\bclick\b|includegraphics/i.test(source);

const undrawn = (block: string): string =>
  canLoad(block)
    ? block.replace(FENCE_OF_LANGUAGE, (opening, fence: string, language: string) =>
        DRAWN_LANGUAGES.has(language.toLowerCase()) ? `${fence}text` : opening,
      )
    : block;

const URL_IN_TEXT = /https?[:：]\/\/[^\s<>"'`\0]+/gi;
/** Behind an entity whose end is left out too, as HTML allows: `&copy@name`. */
const NO_WORD_BEFORE = String.raw`(?:(?<![A-Za-z0-9])|(?<=&[A-Za-z]{2,6}\d{0,2}))`;
/** Also behind what GitHub links by itself, an address of mail, an issue or a commit: `a@b.c@name`. */
const MENTION = new RegExp(
  String.raw`(?=@)(?:${NO_WORD_BEFORE}|(?<=@[\w.+-]{1,100})|(?<=#\d{1,10}|(?<!\w)[\da-f]{7,40})(?!@[\w-]*\.\w))@([A-Za-z0-9][\w-]*)(/?)`,
  'g',
);
/** Ways to write a sign or an invisible character that only the browser turns into one. */
const ENTITY =
  /&(?=#\d|#x[\da-f]|(?:commat|num|sol|colon|period|bsol|shy|zwn?j|[lr][lr]m|zerowidthspace|nobreak|newline|tab|negative\w{1,12}space|applyfunction|af|invisible(?:times|comma)|i[ct]);)/gi;

/** With a space of no width behind it. */
const SILENT = '@\u200B';

/** `allowed`: logins in lower case. `sign`: what stands before the names of others. */
const withoutMentions = (prose: string, allowed: ReadonlySet<string>, sign: string): string =>
  prose
    .replaceAll(ENTITY, '&amp;')
    .replaceAll(URL_IN_TEXT, (url) => url.replaceAll('@', '%40'))
    .replaceAll(MENTION, (whole, login: string, team: string) =>
      team === '' && allowed.has(login.toLowerCase()) ? whole : `${sign}${whole.slice(1)}`,
    );

/** Whether words that people read would notify people who must not be. */
export const mentionsOthers = (words: string, allowed: ReadonlySet<string>): boolean =>
  [...words.matchAll(MENTION)].some(
    ([, login = '', team]) => team !== '' || !allowed.has(login.toLowerCase()),
  );

const KEYWORD = String.raw`${NO_WORD_BEFORE}(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)`;
/** Any sign but ours: GitHub knows a few, and a word between the two keeps the keyword from acting. */
const SIGN = String.raw`(?:[^\w→#&]|_)`;
/** `&nbsp;`, `&ThinSpace;` and all other entities of spaces. */
const SPACE = String.raw`&[a-z]{1,12}sp(?:ace|1[34])?;?`;
const BETWEEN = String.raw`(?:${SIGN}+|(?:${SIGN}|</?[a-z]{1,10}>|${SPACE}|&){1,64})`;
const NAME = String.raw`[\w.-]{1,100}`;
const REFERENCE = [
  // Any path: which of them GitHub takes for a repository is for GitHub to know.
  String.raw`(?:[\w.-][\w./-]{0,300})?#\d+`,
  String.raw`gh-\d+`,
  // The wide colon is ours: it keeps an address from being a link.
  String.raw`(?:https?[:：]//)?${NAME}(?::\d{1,5})?/${NAME}/${NAME}/(?:issues|pull)/\d+`,
].join('|');
const CLOSING = new RegExp(`(${KEYWORD}${BETWEEN})(${REFERENCE})`, 'gi');

const withoutClosing = (text: string, allowed: number | undefined): string =>
  text.replaceAll(CLOSING, (whole, before: string, reference: string) =>
    reference === `#${allowed}` ? whole : `${before}→ ${reference}`,
  );

// Orders in a commit message that CI systems document. Most look for one anywhere in the message, also in code and
// in the words of a link, so it is no use to ask where it is. Other words in brackets are nobody's order and stay:
// `items[skip]`, `[Skip to content](…)`, `[no-console]`.

/** What GitHub, GitLab, Bitbucket, Jenkins and nearly all others read, with any signs between: `[skip_ci]`. */
const CI = String.raw`skip[^\p{L}\p{N}[\]]*ci|ci[^\p{L}\p{N}[\]]*skip|no[\s-]+ci`;

/** What is skipped, or which service: GitHub, Azure, semantic-release, Render, Amplify, Expo, pre-commit.ci, … */
const TARGETS =
  String.raw`(?:actions?|workflows?|checks?|cd|deploy(?:ment)?|releases?|previews?|builds?|pipelines?|jobs?|
  az(?:ure)?p(?:ipelines)?|appveyor|amplify|bitbucket|bitrise|buddy|buildkite|circle|cirrus|cf[\s-]+pages|
  cloudflare|codebuild|codefresh|codeship|dependabot|drone|eas|github|gitlab|heroku|jenkins|netlify|pre-commit|
  rtd|railway|render|semaphore|travis|vela|vercel|woodpecker)(?:[\s.-]*ci)?`.replaceAll(
    /\n */g,
    '',
  );

/** With a sign between that no name in code has: `options[skipBuild]` stays. */
const OTHERS = String.raw`skip[\s-]+${TARGETS}|${TARGETS}[\s-]+skip`;

/** JFrog; DeployHQ, unless it is a subscript; and DeployHQ's order to deploy. */
const EXACT = String.raw`skiprun|(?<!\w\[)skip_build|deploy:[^[\]\n]{1,100}`;

const MARK = new RegExp(String.raw`\[(\s{0,9}(?:${CI}|${OTHERS}|${EXACT})\s{0,9})\]`, 'giu');

/** Azure and Drone. No service documents `[no_ci]`, full-width stars or other brackets, such as `⟦skip ci⟧`: they stay. */
const STARRED = /(?<=\*{3}no)_(?=ci\*{3})/gi;

/** Codeship. */
const OPTION = /(?<=(?<![\p{L}\p{N}-])--(?:skip|ci))-(?=(?:ci|skip)(?![\p{L}\p{N}_-]))/giu;

/** `[skip ci]` becomes `(skip ci)`, `***NO_CI***` `***NO-CI***`, and `--skip-ci` `--skip_ci`. */
const withoutSkips = (text: string): string =>
  withPlainBrackets(text).replaceAll(MARK, '($1)').replaceAll(STARRED, '-').replaceAll(OPTION, '_');

/** In other forms of letters and brackets: `［ｓｋｉｐ ci］`. */
const DISGUISED = /[[［﹇][^[\]［］﹇﹈\n]{1,120}[\]］﹈]/gu;

/** Marks are read as programs read them that bring all forms of a letter together. */
const withPlainBrackets = (text: string): string =>
  text.replaceAll(DISGUISED, (piece) => {
    const plain = piece.normalize('NFKC').replace(/^﹇/, '[').replace(/﹈$/, ']');
    return plain !== piece && plain.replaceAll(MARK, '') === '' ? plain : piece;
  });
