// Formulas: `$a$`, $`a`$ and `$$a$$`. Their content is not Markdown.
import type { MarkdownIt, StateInline } from 'markdown-it';

/** No space inside the `$` signs and no letter or digit after them, so that prices are not formulas. */
const FORMULAS = [
  /^\$\$(?<display>[^$]{1,4000})\$\$(?!\$)/,
  /^\$`(?<inline>[^`\n]{1,2000})`\$/,
  /^\$(?![\s$])(?<inline>(?:[^$\n\\]|\\.){0,2000}?[^\s$\\])\$(?![\w$])/,
];
const LONGEST = 4004;

/** Renders a formula, including its `$` signs, as `<code class="CLASS">`. */
export function addMath(parser: MarkdownIt, className: string): void {
  parser.inline.ruler.before('escape', 'math', readMath);
  parser.renderer.rules['math'] = (tokens, at) =>
    `<code class="${className}">${parser.utils.escapeHtml(tokens[at]?.content ?? '')}</code>`;
}

function readMath(state: StateInline, silent: boolean): boolean {
  if (state.src[state.pos] !== '$' || /[\w$\\]/.test(state.src[state.pos - 1] ?? ' ')) return false;
  const text = state.src.slice(state.pos, state.pos + LONGEST);
  const found = FORMULAS.map((formula) => formula.exec(text)).find((match) => match !== null);
  if (found?.groups === undefined) return false;
  const { display, inline } = found.groups;
  if (!silent)
    state.push('math', 'code', 0).content =
      display === undefined ? `$${inline}$` : `$$${display}$$`;
  state.pos += found[0].length;
  return true;
}
