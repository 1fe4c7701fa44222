// What is added to sanitised HTML (rule `markdown-of-github`): links for names and numbers, wrappers for diagrams and formulas,
// classes for its style sheets.
import type { Element, ElementContent, Root } from 'hast';
import { frameCode, isMath, mathRenderer } from './drawings.ts';
import type { Surroundings } from './references.ts';
import { issueOfAddress, linkReferences, textNode } from './references.ts';

interface Place {
  /** `undefined`: names and numbers stay text. */
  readonly around: Surroundings | undefined;
  readonly isInLink: boolean;
  readonly isInCode: boolean;
  readonly isInPicture?: boolean;
}

export function enrich(tree: Root, around: Surroundings | undefined): void {
  const children = tree.children.filter((node) => node.type !== 'doctype');
  tree.children = enrichAll(children, { around, isInLink: false, isInCode: false });
}

function enrichAll(nodes: readonly ElementContent[], place: Place): ElementContent[] {
  return nodes.flatMap((node) => {
    if (node.type === 'element') return [enrichElement(node, place)];
    if (node.type !== 'text') return [];
    if (place.around === undefined || place.isInLink || place.isInCode) return [node];
    return linkReferences(node.value, place.around);
  });
}

const DIRECTED = new Set(['p', 'ul', 'ol', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'blockquote']);

function enrichElement(element: Element, place: Place): Element {
  const { tagName, properties } = element;
  if (isMath(element)) return mathRenderer(textOf(element));
  const drawn = tagName === 'pre' ? frameCode(element, textOf(element)) : undefined;
  if (drawn !== undefined) return drawn;
  const issue =
    place.around !== undefined &&
    isBareLink(element) &&
    issueOfAddress(String(properties['href']), place.around);
  if (issue) return issue;
  if (DIRECTED.has(tagName)) properties['dir'] = 'auto';
  if (tagName === 'li') markTask(element);
  element.children = enrichAll(element.children, {
    around: place.around,
    isInLink: place.isInLink || tagName === 'a',
    isInCode: place.isInCode || tagName === 'code' || tagName === 'pre',
    isInPicture: place.isInPicture === true || tagName === 'picture',
  });
  return decorate(element, place);
}

/** Wraps or replaces an element after its content was enriched. */
function decorate(element: Element, { isInLink, isInPicture, around }: Place): Element {
  const { tagName, properties } = element;
  switch (tagName) {
    case 'code':
      properties['className'] = ['notranslate'];
      return element;
    case 'a':
      if (
        /^https?:/i.test(String(properties['href'] ?? '')) &&
        properties['className'] === undefined
      )
        properties['rel'] = ['nofollow'];
      return element;
    case 'img':
      if (properties['src'] === undefined) return element;
      if (around !== undefined) properties['src'] = around.imageAddress(String(properties['src']));
      // By rule `themed-picture`.
      if (isInPicture === true) properties['style'] = 'visibility:visible;max-width:100%;';
      return isInLink || isInPicture === true ? element : linkTo(element);
    case 'picture':
      return wrap('themed-picture', { 'data-catalyst-inline': 'true' }, element);
    case 'table':
      return wrap('markdown-accessiblity-table', {}, element);
    case 'ul':
    case 'ol':
      if (element.children.some((child) => child.type === 'element' && isTask(child)))
        properties['className'] = ['contains-task-list'];
      return element;
    case 'blockquote':
      return alert(element) ?? element;
    default:
      return element;
  }
}

const linkTo = (image: Element): Element =>
  wrap(
    'a',
    { target: '_blank', rel: ['noopener', 'noreferrer'], href: image.properties['src'] ?? '' },
    image,
  );

const wrap = (tagName: string, properties: Element['properties'], child: Element): Element => ({
  type: 'element',
  tagName,
  properties,
  children: [child],
});

const isBareLink = (element: Element): boolean =>
  element.tagName === 'a' && textOf(element) === element.properties['href'];

const TASK = /^\[([ xX])\](?=\s)/;

/** An item that begins with `[ ]` or `[x]` becomes a task with a checkbox. */
function markTask(item: Element): void {
  const first = item.children.find((node) => node.type !== 'text' || node.value.trim() !== '');
  const paragraph = first?.type === 'element' && first.tagName === 'p' ? first : item;
  const text = paragraph === item ? first : paragraph.children[0];
  if (text?.type !== 'text') return;
  const mark = TASK.exec(text.value.trimStart());
  if (mark === null) return;
  text.value = text.value.trimStart().slice(mark[0].length);
  const box: Element = {
    type: 'element',
    tagName: 'input',
    properties: {
      type: 'checkbox',
      className: ['task-list-item-checkbox'],
      disabled: true,
      checked: mark[1] !== ' ',
    },
    children: [],
  };
  paragraph.children.splice(paragraph.children.indexOf(text), 0, box);
  item.properties['className'] = ['task-list-item'];
}

const isTask = ({ tagName, properties }: Element): boolean =>
  tagName === 'li' && String(properties['className']) === 'task-list-item';

const ALERT = /^\[!(NOTE|TIP|IMPORTANT|WARNING|CAUTION)\][ \t]*(?:\n|$)/i;

/** A quotation with `[!NOTE]` as its first line becomes an alert with a title. */
function alert(quote: Element): Element | undefined {
  const at = quote.children.findIndex((node) => node.type === 'element');
  const paragraph = quote.children[at];
  const text =
    paragraph?.type === 'element' && paragraph.tagName === 'p' ? paragraph.children[0] : undefined;
  if (paragraph?.type !== 'element' || text?.type !== 'text') return undefined;
  const kind = ALERT.exec(text.value)?.[1]?.toLowerCase();
  const next = paragraph.children[1];
  const isLine =
    next === undefined ||
    text.value.includes('\n') ||
    (next.type === 'element' && next.tagName === 'br');
  if (kind === undefined || !isLine) return undefined;
  const rest = [textNode(text.value.replace(ALERT, '')), ...paragraph.children.slice(1)].filter(
    (node, place) => !(place === 0 && node.type === 'text' && node.value === ''),
  );
  if (rest[0]?.type === 'element' && rest[0].tagName === 'br') rest.shift();
  const title: Element = {
    type: 'element',
    tagName: 'p',
    properties: { className: ['markdown-alert-title'], dir: 'auto' },
    children: [textNode(kind.charAt(0).toUpperCase() + kind.slice(1))],
  };
  const body = rest.length === 0 ? [] : [{ ...paragraph, children: rest }];
  return {
    type: 'element',
    tagName: 'div',
    properties: { className: ['markdown-alert', `markdown-alert-${kind}`], dir: 'auto' },
    children: [title, ...body, ...quote.children.slice(at + 1)],
  };
}

export function textOf(node: ElementContent | Root): string {
  if (node.type === 'text') return node.value;
  return 'children' in node
    ? node.children.map((child) => textOf(child as ElementContent)).join('')
    : '';
}
