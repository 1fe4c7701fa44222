// The nodes of the HTML parser, and which of them a person sees.
import type { DefaultTreeAdapterTypes } from 'parse5';
import {
  isHarmlessStyle,
  isHiding,
  isUnseenClass,
  MOST_SMALLER,
  stepsSmaller,
} from './elements.ts';

export type HtmlNode = DefaultTreeAdapterTypes.ChildNode;
export type HtmlElement = DefaultTreeAdapterTypes.Element;

export const isText = (node: HtmlNode): node is DefaultTreeAdapterTypes.TextNode =>
  node.nodeName === '#text';
export const isElement = (node: HtmlNode): node is HtmlElement => 'tagName' in node;

const HTML = 'http://www.w3.org/1999/xhtml';

export function isUnseen(node: HtmlElement, smaller: number): boolean {
  if (node.namespaceURI !== HTML || isHiding(node.tagName)) return true;
  const steps = stepsSmaller(node.tagName);
  if (steps > 0 && smaller + steps > MOST_SMALLER) return true;
  return (
    attribute(node, 'hidden') !== undefined ||
    attribute(node, 'popover') !== undefined ||
    attribute(node, 'data-footnote-backref') !== undefined ||
    attribute(node, 'aria-hidden')?.trim().toLowerCase() === 'true' ||
    !isHarmlessStyle(attribute(node, 'style') ?? 'max-width:100%') ||
    classesOf(node).some(isUnseenClass)
  );
}

export const attribute = ({ attrs }: HtmlElement, wanted: string): string | undefined =>
  attrs.find(({ name }) => name === wanted)?.value;

export const classesOf = (node: HtmlElement): readonly string[] =>
  attribute(node, 'class')?.split(/\s+/) ?? [];

export const hasClass = (node: HtmlElement, name: string): boolean =>
  classesOf(node).includes(name);
