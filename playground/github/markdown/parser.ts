// Markdown as GitHub reads it, to HTML that nobody may see yet: it still holds all that was written.
import { randomBytes } from 'node:crypto';
import MarkdownIt from 'markdown-it';
import type { MarkdownIt as Parser, RendererRule, Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { addMath } from './math.ts';
import { addStrikethrough } from './strikethrough.ts';

/**
 * The language of the `<code>` that holds a formula until the sanitiser is done. Nobody can guess
 * it, so that no HTML in a text passes for one.
 */
export const MATH = `language-${randomBytes(8).toString('hex')}`;

/** `hasBreaks`: a line's end is a line break, as in issues and comments. */
function makeParser(hasBreaks: boolean): Parser {
  const parser = new MarkdownIt({ html: true, linkify: true, breaks: hasBreaks });
  // Addresses are the sanitiser's business; texts of links stay as they were written.
  parser.validateLink = () => true;
  parser.normalizeLinkText = (text) => text;
  parser.linkify.set({ fuzzyLink: false, fuzzyEmail: true });
  parser.linkify.add('//', null);
  parser.linkify.add('www.', {
    validate: (text, at) => /^[^\s<]*[^\s<?!.,:*_~'")]/.exec(text.slice(at))?.[0].length ?? 0,
    normalize: (match) => {
      match.url = `http://${match.url}`;
    },
  });
  addStrikethrough(parser);
  addMath(parser, MATH);
  addFootnotes(parser);
  return parser;
}

/** GitHub knows `[^1]`, but no note in the line itself; and it numbers without brackets. */
function addFootnotes(parser: Parser): void {
  parser.use(footnotes);
  parser.inline.ruler.disable('footnote_inline');
  const meta = (token: Token | undefined) =>
    token?.meta as { id: number; subId: number } | undefined;
  const nameOf = (token: Token | undefined): string => {
    const { id = 0, subId = 0 } = meta(token) ?? {};
    return subId > 0 ? `${id + 1}-${subId + 1}` : `${id + 1}`;
  };
  Object.assign(parser.renderer.rules, {
    footnote_ref: (tokens, at) =>
      `<sup><a href="#user-content-fn-${(meta(tokens[at])?.id ?? 0) + 1}" id="fnref-${nameOf(tokens[at])}" data-footnote-ref aria-describedby="footnote-label">${(meta(tokens[at])?.id ?? 0) + 1}</a></sup>`,
    footnote_block_open: () =>
      '<section data-footnotes class="footnotes"><h2 id="footnote-label" class="sr-only">Footnotes</h2>\n<ol>\n',
    footnote_block_close: () => '</ol>\n</section>\n',
    footnote_open: (tokens, at) => `<li id="fn-${(meta(tokens[at])?.id ?? 0) + 1}">\n`,
    footnote_close: () => '</li>\n',
    footnote_anchor: (tokens, at) =>
      ` <a href="#user-content-fnref-${nameOf(tokens[at])}" data-footnote-backref aria-label="Back to reference ${nameOf(tokens[at])}" class="data-footnote-backref">↩</a>`,
  } satisfies Record<string, RendererRule>);
}

const comments = makeParser(true);
const documents = makeParser(false);

export const toUnsafeHtml = (text: string, mode: 'gfm' | 'markdown'): string =>
  (mode === 'gfm' ? comments : documents).render(text);
