// GitHub's HTML as a small tree of what a person sees. This module decides what is left out.
import {
  attribute,
  classesOf,
  hasClass,
  isElement,
  isText,
  isUnseen,
  PICTURED,
  roleOf,
  stepsSmaller,
  type HtmlElement,
  type HtmlNode,
} from './html-node.ts';
import { FOOTNOTES, isBlock, type Element, type LinkKind, type TextPiece } from './pieces.ts';
import {
  Parser,
  type DefaultTreeAdapterMap,
  type DefaultTreeAdapterTypes,
  type Token,
} from 'parse5';

/** What is deeper loses its elements, and keeps its words. */
const MOST_DEEP = 64;

interface Frame {
  readonly nodes: readonly HtmlNode[];
  next: number;
  /** Where its pieces go. */
  readonly element: Element;
  readonly depth: number;
  /** By how many steps its letters are smaller. */
  readonly smaller: number;
}

const element = (name: string, isBlock: boolean, rest: Partial<Element> = {}): Element => ({
  kind: 'element',
  name,
  isBlock,
  hasBlock: false,
  children: [],
  ...rest,
});

/** Never deeper than `MOST_DEEP` elements, whatever the HTML is. */
export function treeOf(html: string): Element {
  const root = element('div', true);
  const frames: Frame[] = [
    { nodes: parseShallow(html).childNodes, next: 0, element: root, depth: 0, smaller: 0 },
  ];
  for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
    const node = frame.nodes[frame.next];
    frame.next += 1;
    if (node === undefined) leave(frames);
    else if (isText(node)) frame.element.children.push({ kind: 'text', text: node.value });
    else if (isElement(node)) enter(node, frame, frames);
  }
  return root;
}

/** A block within an inline element makes that a container of blocks. */
function leave(frames: Frame[]): void {
  const left = frames.pop()?.element;
  const around = frames.at(-1)?.element;
  if (left !== undefined && around !== undefined && isBlock(left)) around.hasBlock = true;
}

function enter(node: HtmlElement, frame: Frame, frames: Frame[]): void {
  if (isUnseen(node, frame.smaller)) return;
  const smaller = frame.smaller + stepsSmaller(node.tagName);
  const into = frame.element;
  const leaf = leafOf(node, smaller);
  if (leaf !== undefined) {
    if (isBlock(leaf)) into.hasBlock = true;
    into.children.push(leaf);
    return;
  }
  const nodes = node.childNodes;
  if (frame.depth >= MOST_DEEP) {
    into.children.push({ kind: 'text', text: ' ' });
    frames.push({ nodes, next: 0, element: into, depth: frame.depth, smaller });
    return;
  }
  const own = element(node.tagName, roleOf(node.tagName) === 'block', {
    link: linkOf(node),
    mark: markOf(node),
    firstNumber: firstNumberOf(node),
  });
  into.children.push(own);
  frames.push({ nodes, next: 0, element: own, depth: frame.depth + 1, smaller });
}

const LINK_CLASSES: ReadonlyMap<string, LinkKind> = new Map([
  ['user-mention', 'mention'],
  ['team-mention', 'mention'],
  ['issue-link', 'reference'],
  ['commit-link', 'reference'],
]);

function linkOf(node: HtmlElement): Element['link'] {
  if (node.tagName !== 'a') return undefined;
  const isNote = attribute(node, 'data-footnote-ref') !== undefined;
  const known = classesOf(node).flatMap((name) => LINK_CLASSES.get(name) ?? [])[0];
  const href = attribute(node, 'href');
  if (href === undefined) return undefined;
  return { kind: isNote ? 'footnote' : (known ?? 'address'), address: safeAddress(href) };
}

/** People answer a question by its number: "2. Large" is a list that begins with 2. */
function firstNumberOf(node: HtmlElement): number | undefined {
  const start = node.tagName === 'ol' ? attribute(node, 'start') : undefined;
  return /^\d{1,9}$/.test(start ?? '') ? Number(start) : undefined;
}

const ALERT_CLASS = /^markdown-alert-(note|tip|important|warning|caution)$/;

function markOf(node: HtmlElement): string | undefined {
  if (node.tagName === 'section' && attribute(node, 'data-footnotes') !== undefined)
    return FOOTNOTES;
  const classes = classesOf(node);
  if (classes.includes('markdown-alert-title')) return 'title';
  return classes.flatMap((name) => ALERT_CLASS.exec(name)?.[1] ?? [])[0]?.toUpperCase();
}

/** Longer ones carry more than an address. */
const LONGEST = 500;

const PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const PROTOCOL = /^([a-z][a-z\d+.-]*:)/i;

/**
 * A web or mail address in the form for a Markdown link; `undefined` for any other, and for an anchor in the
 * same text.
 */
function safeAddress(href: string): string | undefined {
  const address = href.trim();
  if (address === '' || address.startsWith('#') || address.length > LONGEST) return undefined;
  const protocol = PROTOCOL.exec(address)?.[1];
  if (protocol !== undefined && !PROTOCOLS.has(protocol.toLowerCase())) return undefined;
  return address.replaceAll(/[^!#-;=?-[\]_a-z~]/g, encoded);
}

function encoded(sign: string): string {
  const code = sign.charCodeAt(0);
  if (code > 0x7f) return sign;
  return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
}

/** The deepest nesting of elements. People cannot read deeper ones, and much deeper ones take too long. */
const MOST_OPEN = 100;

const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

/** An HTML parser that leaves out what is deeper than `MOST_OPEN` elements. */
class ShallowParser extends Parser<DefaultTreeAdapterMap> {
  /** The elements that are left out, the innermost last. */
  readonly #deep: string[] = [];

  override onStartTag(token: Token.TagToken): void {
    if (this.#deep.length === 0 && this.openElements.stackTop < MOST_OPEN) super.onStartTag(token);
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

function parseShallow(html: string): DefaultTreeAdapterTypes.DocumentFragment {
  const parser = ShallowParser.getFragmentParser<DefaultTreeAdapterMap>();
  parser.tokenizer.write(html, true);
  return parser.getFragment();
}

// Elements that are one piece, such as an image or a block of code.

/** What an element is that is looked into no further, if it is one of those. */
function leafOf(node: HtmlElement, smaller: number): TextPiece | undefined {
  switch (node.tagName) {
    case 'pre':
      return codeOf(node, smaller);
    case 'img':
      return imageOf(node);
    case 'video':
      return { kind: 'picture', of: 'video' };
    case 'math-renderer':
      return { kind: 'formula', source: visibleText(node, smaller) };
    case 'input':
      return attribute(node, 'type') === 'checkbox'
        ? { kind: 'checkbox', isChecked: attribute(node, 'checked') !== undefined }
        : { kind: 'text', text: '' };
    case 'br':
      return { kind: 'break' };
    case 'hr':
      return { kind: 'rule' };
    case 'wbr':
      return { kind: 'breakable' };
    default:
      if (isDrawing(node)) return { kind: 'picture', of: 'diagram' };
      return hasClass(node, 'js-suggested-changes-blob') ? suggestionOf(node) : undefined;
  }
}

function imageOf(node: HtmlElement): TextPiece {
  const name = attribute(node, 'alt') ?? '';
  if (hasClass(node, 'emoji') && PICTURED.has(name))
    return { kind: 'picture', of: 'image', word: name };
  return { kind: 'picture', of: 'image', address: attribute(node, 'src') ?? '' };
}

/** The language of a code block, from the block itself or the elements around or in it. */
function languagesOf(node: HtmlElement): readonly string[] {
  const around = node.parentNode;
  const classes = [
    ...classesOf(node),
    ...node.childNodes.filter(isElement).slice(0, 1).flatMap(classesOf),
    ...(around !== null && 'tagName' in around ? classesOf(around) : []),
  ];
  const named = classes.map(
    (name) => GRAMMAR_CLASS.exec(name)?.[1] ?? LANGUAGE_CLASS.exec(name)?.[1] ?? '',
  );
  return [attribute(node, 'lang') ?? '', ...named];
}

const isDrawing = (node: HtmlElement): boolean =>
  hasClass(node, 'js-render-needs-enrichment') ||
  ((node.tagName === 'pre' || node.tagName === 'code') &&
    languagesOf(node).some((language) => DRAWN.has(language.toLowerCase())));

function codeOf(node: HtmlElement, smaller: number): TextPiece {
  if (isDrawing(node)) return { kind: 'picture', of: 'diagram' };
  const names = languagesOf(node);
  const text = visibleText(node, smaller);
  const [first] = node.childNodes.filter(isElement);
  if (first?.tagName === 'math-renderer' || names.includes('math'))
    return { kind: 'formula', source: text };
  return { kind: 'code', text, language: names.map(knownLanguage).find((one) => one !== '') ?? '' };
}

/** All the text in an element that a person sees. */
function visibleText(node: HtmlElement, smaller: number): string {
  const parts: string[] = [];
  const left: { readonly node: HtmlNode; readonly smaller: number }[] = [];
  const push = ({ childNodes }: HtmlElement, inner: number): void => {
    for (const child of childNodes.toReversed()) left.push({ node: child, smaller: inner });
  };
  push(node, smaller);
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    if (isText(one.node)) parts.push(one.node.value);
    else if (isElement(one.node) && !isUnseen(one.node, one.smaller)) {
      if (one.node.tagName === 'br') parts.push('\n');
      if (isDrawing(one.node)) parts.push('[diagram]');
      else push(one.node, one.smaller + stepsSmaller(one.node.tagName));
    }
  }
  return parts.join('');
}

const CHANGED: ReadonlyMap<string, string> = new Map([
  ['blob-code-deletion', '-'],
  ['blob-code-addition', '+'],
]);

/** The lines of a suggested change, and those that they replace. */
function suggestionOf(node: HtmlElement): TextPiece {
  const lines: string[] = [];
  const left: HtmlElement[] = [node];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const sign = classesOf(one)
      .map((name) => CHANGED.get(name))
      .find((found) => found !== undefined);
    if (sign === undefined) left.push(...one.childNodes.filter(isElement).toReversed());
    else lines.push(`${sign}${visibleText(one, 0)}`);
  }
  return { kind: 'code', text: lines.join('\n'), language: 'diff' };
}

// The language that GitHub names for a block of code. People do not see that name, so that only those are
// passed on that are known.

const KNOWN: ReadonlySet<string> = new Set(
  `asm astro awk bash bat batch bazel bibtex c c# c++ clojure cmake cmd coffeescript console cpp cs csharp cshtml
  css csv d dart diff dockerfile dotenv elixir elm erlang f# fish fortran fsharp gherkin git glsl go golang
  gradle graphql groovy haml handlebars haskell hcl html http ini java javascript jinja js json json5 jsonc
  jsx julia kotlin latex less log lua make makefile markdown matlab md nginx nim nix objc objective-c ocaml
  pascal patch perl php plaintext powershell prolog properties protobuf ps1 py python r rb react ruby rs rust
  sass scala scheme scss sh shell shellscript solidity sql stylus suggestion svelte swift tcl terraform tex
  text toml ts tsx txt typescript vb vim vue wasm xml yaml yml zig zsh`.split(/\s+/),
);

/** Grammars whose name is not the language's. */
const GRAMMARS: ReadonlyMap<string, string> = new Map([
  ['shell', 'sh'],
  ['html-basic', 'html'],
  ['python-traceback', 'text'],
  ['shell-session', 'console'],
  ['batchfile', 'bat'],
  ['gfm', 'md'],
  ['md', 'md'],
  ['json-comments', 'jsonc'],
  ['css-scss', 'scss'],
  ['css-less', 'less'],
]);

/** Languages that GitHub draws: people see the picture, and not its source. */
const DRAWN: ReadonlySet<string> = new Set(['mermaid', 'geojson', 'topojson', 'stl']);

/** Empty for one that is not known. */
function knownLanguage(name: string): string {
  const lower = name.toLowerCase();
  const language = GRAMMARS.get(lower) ?? lower;
  return KNOWN.has(language) ? language : '';
}

/** How a class of GitHub's highlighting, and one of a renderer of Markdown, names the language. */
const GRAMMAR_CLASS = /^highlight-(?:source|text)-([\w#+-]+)$/;
const LANGUAGE_CLASS = /^language-(.+)$/;
