// The nodes of the HTML parser, and which of them a person sees.
import type { DefaultTreeAdapterTypes } from 'parse5';

export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;
export type HtmlElement = DefaultTreeAdapterTypes.Element;

export const isText = (node: HtmlNode): node is DefaultTreeAdapterTypes.TextNode =>
  node.nodeName === '#text';
export const isElement = (node: HtmlNode): node is HtmlElement => 'tagName' in node;

const HTML = 'http://www.w3.org/1999/xhtml';

export function isUnseen(node: HtmlElement, smaller: number): boolean {
  if (node.namespaceURI !== HTML || HIDING.has(node.tagName)) return true;
  const steps = stepsSmaller(node.tagName);
  if (steps > 0 && smaller + steps > MOST_SMALLER) return true;
  return (
    attribute(node, 'hidden') !== undefined ||
    attribute(node, 'popover') !== undefined ||
    attribute(node, 'data-footnote-backref') !== undefined ||
    attribute(node, 'aria-hidden')?.trim().toLowerCase() === 'true' ||
    !isHarmlessStyle(attribute(node, 'style') ?? 'max-width:100%') ||
    classesOf(node).some((name) => UNSEEN_CLASSES.has(name))
  );
}

export const attribute = ({ attrs }: HtmlElement, wanted: string): string | undefined =>
  attrs.find(({ name }) => name === wanted)?.value;

export const classesOf = (node: HtmlElement): readonly string[] =>
  attribute(node, 'class')?.split(/\s+/) ?? [];

export const hasClass = (node: HtmlElement, name: string): boolean =>
  classesOf(node).includes(name);

// The elements of GitHub's HTML, and which of them hide what is in them. Nobody can write an element that is not known here:
// GitHub removes the tags of all but those that it allows, and keeps the words, which people then see. So an unknown element
// is GitHub's own, around something that people see, such as `themed-picture` around each `picture`.

/** How an element takes part in the text. */
type Role = 'block' | 'inline';

const listed = (role: Role, names: string): [string, Role][] =>
  names.split(/\s+/).map((name) => [name, role]);

const ELEMENTS: ReadonlyMap<string, Role> = new Map([
  ...listed(
    'block',
    `p div section article h1 h2 h3 h4 h5 h6 ul ol li blockquote pre hr details summary dl dt dd figure
    figcaption table caption thead tbody tfoot tr th td markdown-accessiblity-table
    markdown-accessibility-table task-lists`,
  ),
  ...listed(
    'inline',
    `a abbr b bdo br cite code del dfn em g-emoji i img input ins kbd mark math-renderer picture q rb
    ruby rt s samp small span strike strong sub sup time tt u var video wbr`,
  ),
]);

/**
 * Elements of which a browser shows nothing, or something else than what is in them, by the list of HTML ("Rendering", hidden
 * elements and replaced elements); then those of GitHub's pages that show what is in them later, or elsewhere.
 */
const HIDING: ReadonlySet<string> = new Set(
  `applet area audio base basefont bgsound canvas colgroup col datalist dialog embed fencedframe frame frameset head
  iframe link map meta meter noembed noframes noscript object optgroup option param portal progress rp script select
  source style template textarea title track
  action-menu auto-complete details-dialog details-menu filter-input include-fragment modal-dialog
  poll-include-fragment tool-tip`.split(/\s+/),
);

/** `undefined`: it is not known, and takes part in the text as a word does. */
export const roleOf = (name: string): Role | undefined => ELEMENTS.get(name);

/** Elements that make letters smaller, and by how many steps. */
const SMALLER: ReadonlyMap<string, number> = new Map([
  ...'code h5 h6 pre samp small sub sup tt'.split(' ').map((name) => [name, 1] as const),
  ['rt', 2],
]);

/** A letter is a third as high behind one step more, as each takes a quarter. */
const MOST_SMALLER = 3;

export const stepsSmaller = (name: string): number => SMALLER.get(name) ?? 0;

/** What GitHub writes into an attribute `style` itself, and what a table in Markdown may say. */
const STYLES: ReadonlySet<string> = new Set([
  '',
  'max-width:100%',
  // Of an image in a `picture`.
  'visibility:visible',
  'display:inline-block',
  'display:block',
  'text-align:left',
  'text-align:center',
  'text-align:right',
]);

/** Whether all that a style says is known to hide nothing. */
const isHarmlessStyle = (style: string): boolean =>
  style.split(';').every((one) => STYLES.has(one.toLowerCase().replaceAll(/\s/g, '')));

/** Classes of GitHub's own for what only programs read. People cannot set a class. */
const UNSEEN_CLASSES: ReadonlySet<string> = new Set([
  'sr-only',
  'd-none',
  'anchor',
  'render-plaintext-hidden',
  'zeroclipboard-container',
  'js-render-enrichment-loader',
]);

/** GitHub's own pictures that represent a word. */
export const PICTURED: ReadonlySet<string> = new Set(
  `accessibility atom basecamp basecampy bowtie copilot dependabot electron feelsgood finnadie fishsticks goberserk
  godmode hurtrealbad neckbeard octocat rage1 rage2 rage3 rage4 shipit suspect trollface`
    .split(/\s+/)
    .map((name) => `:${name}:`),
);
