// Text that people or a model wrote, rendered for people. Nothing of it becomes HTML of its own, a link or an image,
// and nothing of it is hidden: links and definitions are shown as they were written.
import MarkdownIt, { type StateCore, type Token } from 'markdown-it';
import { html, trusted, type Html } from '../../lib/text/html.ts';
import { long } from './text.ts';

const parser = createParser();

function createParser() {
  const markdown = new MarkdownIt({ html: false, linkify: false, breaks: true });
  markdown.disable(['image', 'link', 'autolink', 'reference']);
  const { rules } = markdown.renderer;
  // What nobody sees is shown here, as the parser makes signs of entities: `&#x202e;`.
  const text = (tokens: Token[], at: number): string => html`${tokens[at]?.content}`.text;
  rules['text'] = text;
  rules['code_inline'] = (tokens, at) => `<code>${text(tokens, at)}</code>`;
  const pre = (tokens: Token[], at: number): string =>
    html`<pre>${tokens[at]?.content.replace(/\n$/, '')}</pre>`.text;
  rules['fence'] = pre;
  rules['code_block'] = pre;
  // The headings of the page are its own.
  rules['heading_open'] = () => '<p><strong>';
  rules['heading_close'] = () => '</strong></p>';
  // Without the alignment, which is an inline style.
  for (const cell of ['th', 'td']) rules[`${cell}_open`] = () => `<${cell}>`;
  markdown.core.ruler.after('block', 'size', (state) => {
    // Before the cells of a table are parsed, as it has all of them in every row.
    const isMuch = state.tokens.length > MAX_TOKENS_PER_CHARACTER * state.src.length + MAX_TOKENS;
    // Markdown-it leaves out what is deeper.
    const isDeep = state.tokens.some(({ level }) => level >= MAX_DEPTH);
    if (isMuch || isDeep) state.tokens = asWritten(state);
  });
  markdown.core.ruler.push('tasks', ({ tokens }) => tokens.forEach(showTask));
  return markdown;
}

/** Blocks within one another. Nobody reads more. */
const MAX_DEPTH = 50;

/** Of any text: a short one may have a few more. */
const MAX_TOKENS_PER_CHARACTER = 2;
const MAX_TOKENS = 200;

function asWritten({ src, Token }: StateCore): Token[] {
  const token = new Token('code_block', 'pre', 0);
  token.content = src;
  return [token];
}

const TASK = /^\[([ xX])\](?=\s)/;

/** `[x]` at the beginning of a list item. */
function showTask(token: Token, at: number, tokens: readonly Token[]): void {
  const item = tokens[at - 2];
  const first = token.children?.[0];
  if (token.type !== 'inline' || item?.type !== 'list_item_open' || first === undefined) return;
  const mark = TASK.exec(first.content)?.[1];
  if (mark === undefined) return;
  item.attrSet('class', 'task');
  first.content = first.content.replace(TASK, mark === ' ' ? '☐' : '☑');
}

/**
 * Markdown-it escapes everything that is not its own markup, as `html` is off. What would be much longer than the text,
 * such as deep quotations, is shown as it was written.
 */
export function markdown(text: string): Html {
  if (text.trim() === '') return html``;
  const rendered = text.length > MAX_CHARACTERS ? '' : parser.render(text.toWellFormed());
  return rendered === '' || rendered.length > MAX_GROWTH * text.length + MAX_MARKUP
    ? html`<pre>${text}</pre>`
    : html`<div class="markdown">${trusted(rendered)}</div>`;
}

/** One line, such as a title. */
export const inlineMarkdown = (text: string): Html =>
  text.length > MAX_CHARACTERS ? html`${text}` : trusted(parser.renderInline(text.toWellFormed()));

/** The worst text of this length takes half a second to parse. */
const MAX_CHARACTERS = 20_000;
const MAX_GROWTH = 10;
const MAX_MARKUP = 2_000;

/** Markdown of any length; very long texts are shown as they were written. `key` must be unique on the page. */
export const longMarkdown = (key: string, text: string): Html => long(key, text, markdown);
