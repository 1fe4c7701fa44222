// Elements that are one piece, such as an image or a block of code.
import {
  attribute,
  classesOf,
  hasClass,
  isElement,
  isText,
  isUnseen,
  PICTURED,
  stepsSmaller,
  type HtmlElement,
  type HtmlNode,
} from './html-node.ts';
import type { Piece } from './pieces.ts';

/** What an element is that is looked into no further, if it is one of those. */
export function leafOf(node: HtmlElement, smaller: number): Piece | undefined {
  switch (node.tagName) {
    case 'pre':
      return codeOf(node, smaller);
    case 'img':
      return imageOf(node);
    case 'video':
      return { kind: 'picture', of: 'video' };
    case 'math-renderer':
      return { kind: 'formula', source: textOf(node, smaller) };
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

function imageOf(node: HtmlElement): Piece {
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
  return [attribute(node, 'lang') ?? '', ...classes.map((name) => languageOfClass(name) ?? '')];
}

const isDrawing = (node: HtmlElement): boolean =>
  hasClass(node, 'js-render-needs-enrichment') ||
  ((node.tagName === 'pre' || node.tagName === 'code') && languagesOf(node).some(isDrawn));

function codeOf(node: HtmlElement, smaller: number): Piece {
  if (isDrawing(node)) return { kind: 'picture', of: 'diagram' };
  const names = languagesOf(node);
  const text = textOf(node, smaller);
  const [first] = node.childNodes.filter(isElement);
  if (first?.tagName === 'math-renderer' || names.includes('math'))
    return { kind: 'formula', source: text };
  return { kind: 'code', text, language: names.map(knownLanguage).find((one) => one !== '') ?? '' };
}

/** All the text in an element that a person sees. */
function textOf(node: HtmlElement, smaller: number): string {
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
function suggestionOf(node: HtmlElement): Piece {
  const lines: string[] = [];
  const left: HtmlElement[] = [node];
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const sign = classesOf(one)
      .map((name) => CHANGED.get(name))
      .find((found) => found !== undefined);
    if (sign === undefined) left.push(...one.childNodes.filter(isElement).toReversed());
    else lines.push(`${sign}${textOf(one, 0)}`);
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

const isDrawn = (language: string): boolean => DRAWN.has(language.toLowerCase());

/** Empty for one that is not known. */
function knownLanguage(name: string): string {
  const lower = name.toLowerCase();
  const language = GRAMMARS.get(lower) ?? lower;
  return KNOWN.has(language) ? language : '';
}

const GRAMMAR_CLASS = /^highlight-(?:source|text)-([\w#+-]+)$/;
const LANGUAGE_CLASS = /^language-(.+)$/;

/** As a class of GitHub's highlighting, or of a renderer of Markdown, says it. */
const languageOfClass = (name: string): string | undefined =>
  GRAMMAR_CLASS.exec(name)?.[1] ?? LANGUAGE_CLASS.exec(name)?.[1];
