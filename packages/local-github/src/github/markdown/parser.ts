// Parses Markdown by GitHub's rules. The HTML is not sanitised yet.
import { randomBytes } from 'node:crypto';
import MarkdownIt from 'markdown-it';
import type { MarkdownIt as Parser, RendererRule, Token } from 'markdown-it';
import footnotes from 'markdown-it-footnote';
import { addMath } from './math.ts';
import { addStrikethrough } from './strikethrough.ts';

/**
 * The language of the `<code>` that marks a formula for the sanitiser. It is random, so that HTML in a text
 * cannot imitate a formula.
 */
export const MATH = `language-${randomBytes(8).toString('hex')}`;

/** `hasBreaks`: newlines become line breaks, as in issues and comments. */
function makeParser(hasBreaks: boolean): Parser {
  const parser = new MarkdownIt({ html: true, linkify: true, breaks: hasBreaks });
  // The sanitiser checks addresses. Link texts stay unchanged.
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

/** `[^1]`, but no inline footnotes, and numbers without brackets (rule `markdown-of-github`). */
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

/** The blocks of code of a comment that are not inside of another block. `lines`: the first, and after the last. */
export const codeBlocks = (
  text: string,
): { readonly language: string; readonly content: string; readonly lines: [number, number] }[] =>
  comments
    .parse(text, {})
    .filter(({ type, level, map }) => type === 'fence' && level === 0 && map !== null)
    .map(({ info, content, map }) => ({
      language: info.trim().split(/\s/)[0] ?? '',
      content,
      lines: map ?? [0, 0],
    }));
