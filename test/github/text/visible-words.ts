// What a person sees of HTML, found by other means than the code under test: a browser's text, where only
// what is drawn or never displayed is left out.
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';

/** Never displayed, or drawn from a source that people do not see; the classes too. */
const UNSEEN = new Set('script style template title noscript rp svg math-renderer'.split(' '));
const DRAWN = /sr-only|js-render-needs-enrichment|language-(?:mermaid|geojson|topojson|stl)/;

type Node = DefaultTreeAdapterTypes.ChildNode;

/** All text of the HTML that a browser displays, without what GitHub draws. */
export function visibleWords(html: string): string {
  let text = '';
  const left: Node[] = parseFragment(html).childNodes.toReversed();
  for (let node = left.pop(); node !== undefined; node = left.pop()) {
    if ('value' in node) text += ` ${node.value}`;
    if (!('tagName' in node)) continue;
    const classes = node.attrs.find(({ name }) => name === 'class')?.value ?? '';
    const isDrawn = DRAWN.test(classes) || UNSEEN.has(node.tagName);
    if (!isDrawn) left.push(...node.childNodes.toReversed());
  }
  return text;
}
