// What the pages need beyond GitHub's own HTML: names for checkboxes, a way to scroll with a keyboard,
// and headings that continue those of the page without a gap.
import type { Element, Root } from 'hast';

const HEADING = /^h([1-6])$/;

/** `above`: the level of the heading that the text is below. */
export function makeAccessible(root: Root, above: number): void {
  const levelOf = headingLevels(above);
  for (const element of elementsIn(root)) {
    const { tagName, properties } = element;
    if (tagName === 'pre') properties['tabIndex'] = 0;
    if (tagName === 'input')
      properties['ariaLabel'] = properties['checked'] === true ? 'Done' : 'Not done';
    const level = HEADING.exec(tagName)?.[1];
    if (level !== undefined) element.tagName = `h${levelOf(Number(level))}`;
  }
}

/** Headings of one level stay of one level, one below the heading that they belong to. */
function headingLevels(above: number): (level: number) => number {
  const open: number[] = [];
  return (level) => {
    while ((open.at(-1) ?? 0) >= level) open.pop();
    open.push(level);
    return Math.min(above + open.length, 6);
  };
}

function* elementsIn(parent: Root | Element): Generator<Element> {
  for (const child of parent.children) {
    if (child.type !== 'element') continue;
    yield child;
    yield* elementsIn(child);
  }
}
