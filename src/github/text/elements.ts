// The elements of GitHub's HTML that are read. Everything else is left out with all that is in it, so that
// unknown elements cannot hide anything.

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

export const roleOf = (name: string): Role | undefined => ELEMENTS.get(name);

/** Elements that make letters smaller, and by how many steps. */
const SMALLER: ReadonlyMap<string, number> = new Map([
  ...'code h5 h6 pre samp small sub sup tt'.split(' ').map((name) => [name, 1] as const),
  ['rt', 2],
]);

/** A letter is a third as high behind one step more, as each takes a quarter. */
export const MOST_SMALLER = 3;

export const stepsSmaller = (name: string): number => SMALLER.get(name) ?? 0;

/** What GitHub writes into an attribute `style` itself, and what a table in Markdown may say. */
const STYLES: ReadonlySet<string> = new Set([
  'max-width:100%',
  'display:inline-block',
  'display:block',
  'text-align:left',
  'text-align:center',
  'text-align:right',
]);

/** Whether a style is known to hide nothing. */
export const isHarmlessStyle = (style: string): boolean =>
  STYLES.has(style.toLowerCase().replaceAll(/[\s;]/g, ''));

/** Classes of GitHub's own for what only programs read. People cannot set a class. */
const UNSEEN_CLASSES: ReadonlySet<string> = new Set([
  'sr-only',
  'd-none',
  'anchor',
  'render-plaintext-hidden',
  'zeroclipboard-container',
  'js-render-enrichment-loader',
]);

export const isUnseenClass = (name: string): boolean => UNSEEN_CLASSES.has(name);

/** GitHub's own pictures that represent a word. */
export const PICTURED: ReadonlySet<string> = new Set(
  `accessibility atom basecamp basecampy bowtie copilot dependabot electron feelsgood finnadie fishsticks goberserk
  godmode hurtrealbad neckbeard octocat rage1 rage2 rage3 rage4 shipit suspect trollface`
    .split(/\s+/)
    .map((name) => `:${name}:`),
);
