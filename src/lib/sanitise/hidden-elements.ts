// Where a hidden element ends. What a browser makes of tags that cross each other, or that Markdown
// keeps for itself, nobody should have to know: only an end that is beyond doubt is one, and without
// one all that follows goes.
import { splitCode } from '../markdown-code.ts';
import { Finder } from './finder.ts';
import { ENDS_PARAGRAPH, mayBeEscaped } from './html-lines.ts';

export interface Tag {
  readonly start: number;
  readonly end: number;
  readonly closes: boolean;
  /** In lower case. */
  readonly name: string;
  readonly attributes: string;
  /** It stands where Markdown passes HTML on as it is. */
  readonly isHtml: boolean;
}

export const NEVER_SHOWN = new Set(
  'script style template textarea select xmp plaintext dialog datalist noscript noembed noframes iframe object head title'.split(
    ' ',
  ),
);
/** Those of them that hold no elements for a browser. */
const ONLY_TEXT = new Set(
  'script style textarea xmp plaintext noscript noembed noframes iframe title'.split(' '),
);
export const VOID = new Set('area br col embed hr img input link meta source track wbr'.split(' '));
/** Elements whose end may be left out, and those whose end then ends them too. */
const IMPLIED = new Set(['p', 'li', 'dd', 'dt']);
const BLOCKS = new Set('article aside blockquote details div dl ol section ul'.split(' '));

/** Follows the elements in a hidden one, for tags in their order. */
export class HiddenElements {
  readonly #text: string;
  readonly #blankLines: Finder;
  readonly #paragraphEnds: Finder;
  readonly #codeSigns: Finder;
  #first: Tag | undefined;
  #opened: string[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#blankLines = new Finder(text, /\n[ \t>]*\n/);
    this.#paragraphEnds = new Finder(text, ENDS_PARAGRAPH);
    this.#codeSigns = new Finder(withoutCode(text), /`|~~~/);
  }

  open(tag: Tag): void {
    this.#first = tag;
    this.#opened = [tag.name];
  }

  /** Whether the hidden element ends with this tag, which may stand in a part of a link. */
  ends(tag: Tag, isInLink: boolean): boolean {
    const top = this.#opened.at(-1) ?? '';
    if (!tag.closes) {
      const nests = !NEVER_SHOWN.has(top) || (tag.name === top && !ONLY_TEXT.has(top));
      if (!VOID.has(tag.name) && nests) this.#opened.push(tag.name);
      return false;
    }
    if (top === 'plaintext' || isInLink || !this.#isCertain(tag)) return false;
    const open = this.#openAt(tag.name);
    if (open === undefined) return false;
    this.#opened.length = open;
    return open === 0;
  }

  /** The place in the stack of the element that such an end ends. */
  #openAt(name: string): number | undefined {
    const at = BLOCKS.has(name)
      ? this.#opened.findLastIndex((opened) => !IMPLIED.has(opened))
      : this.#opened.length - 1;
    return this.#opened[at] === name ? at : undefined;
  }

  /** Whether a tag is one, and in the same stream of HTML as the first. */
  #isCertain({ start, isHtml }: Tag): boolean {
    const first = this.#first;
    if (first === undefined || start < first.end || mayBeEscaped(this.#text, start)) return false;
    const isOneBlock = !this.#blankLines.isWithin(first.start, start);
    const isAllHtml = isHtml && first.isHtml;
    if (isOneBlock && isAllHtml && this.#beginsLine(first.start)) return true;
    if (this.#codeSigns.isWithin(first.start, start)) return false;
    if (isAllHtml) return isOneBlock || (this.#beginsLine(first.start) && this.#beginsLine(start));
    return isOneBlock && !this.#paragraphEnds.isWithin(first.start, start);
  }

  #beginsLine(place: number): boolean {
    const before = this.#text.slice(Math.max(0, place - 4), place);
    return /(?:^|\n) {0,3}$/.test(before) && (place < 4 || before.includes('\n'));
  }
}

/** The text, as long as it is, without what is code beyond doubt: only signs that may mean code are left. */
const withoutCode = (text: string): string =>
  splitCode(text)
    .map((piece) => (piece.code ? 'x'.repeat(piece.text.length) : piece.text))
    .join('');
