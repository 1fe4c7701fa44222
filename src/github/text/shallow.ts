import {
  Parser,
  type DefaultTreeAdapterTypes,
  type DefaultTreeAdapterMap,
  type Token,
} from 'parse5';

/** The deepest nesting of elements. People cannot read deeper ones, and much deeper ones take too long. */
const MOST_DEEP = 100;

const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

/** An HTML parser that leaves out what is deeper than `MOST_DEEP` elements. */
class ShallowParser extends Parser<DefaultTreeAdapterMap> {
  /** The elements that are left out, the innermost last. */
  readonly #deep: string[] = [];

  override onStartTag(token: Token.TagToken): void {
    if (this.#deep.length === 0 && this.openElements.stackTop < MOST_DEEP) super.onStartTag(token);
    else if (!VOID.has(token.tagName)) this.#deep.push(token.tagName);
  }

  override onEndTag(token: Token.TagToken): void {
    if (this.#deep.length === 0) super.onEndTag(token);
    else if (this.#deep.at(-1) === token.tagName) this.#deep.pop();
  }

  override onCharacter(token: Token.CharacterToken): void {
    if (this.#deep.length === 0) super.onCharacter(token);
  }

  override onWhitespaceCharacter(token: Token.CharacterToken): void {
    if (this.#deep.length === 0) super.onWhitespaceCharacter(token);
  }
}

export function parseShallow(html: string): DefaultTreeAdapterTypes.DocumentFragment {
  const parser = ShallowParser.getFragmentParser<DefaultTreeAdapterMap>();
  parser.tokenizer.write(html, true);
  return parser.getFragment();
}
