// Sanitises HTML with GitHub's allow-list, which hast-util-sanitize implements. By rule `tags-that-are-not-allowed`.
import { fromParse5 } from 'hast-util-from-parse5';
import { defaultSchema, sanitize } from 'hast-util-sanitize';
import type { Root } from 'hast';
import { defaultTreeAdapter, parseFragment } from 'parse5';
import type { DefaultTreeAdapterTypes } from 'parse5';
import { MATH } from './parser.ts';

const SCHEMA = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    code: [['className', /^language-./, MATH] as [string, RegExp, string]],
  },
};

/** More deeply nested elements lose their tags but keep their text. */
const MAX_DEPTH = 200;

type Parent = DefaultTreeAdapterTypes.ParentNode;

export function toSafeTree(unsafeHtml: string): Root {
  const fragment = parseFragment(unsafeHtml);
  flattenDepths(fragment);
  const tree = sanitize(fromParse5(fragment), SCHEMA);
  return tree.type === 'root' ? tree : { type: 'root', children: [] };
}

/** Not recursive, because a text with many tags would overflow the stack. */
function flattenDepths(fragment: Parent): void {
  let level: Parent[] = [fragment];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === MAX_DEPTH) for (const parent of level) keepTextOnly(parent);
    if (depth === MAX_DEPTH) return;
    level = level.flatMap((parent) =>
      parent.childNodes.filter(
        (node): node is DefaultTreeAdapterTypes.Element => 'childNodes' in node,
      ),
    );
  }
}

function keepTextOnly(parent: Parent): void {
  const texts: string[] = [];
  const rest = parent.childNodes.toReversed();
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (defaultTreeAdapter.isTextNode(node)) texts.push(node.value);
    else if (defaultTreeAdapter.isElementNode(node) && node.tagName !== 'script')
      rest.push(...node.childNodes.toReversed());
  }
  parent.childNodes = [];
  defaultTreeAdapter.insertText(parent, texts.join(''));
}
