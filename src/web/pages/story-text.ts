// The timeline for a terminal: the same words as on the page, entry after entry, as they come.
import { html, type Html } from '../../lib/text/html.ts';
import type { Entry } from '../../session/entry.ts';
import { entryAt } from '../../session/kept-entries.ts';
import type { Session } from '../../session/session.ts';
import { indexJournal, type JournalIndex } from './journal-index.ts';
import { item } from './layout.ts';
import { linksOf } from './text.ts';
import { lineComments } from './message.ts';
import { callOf, replyWords } from './reply.ts';
import { timelineItem } from './story.ts';
import type { Renderings } from './value.ts';
import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { replaceUnseen } from '../../lib/text/invisible.ts';

/** A whole journal up to some entry. */
interface Journal {
  readonly session: Session;
  readonly entries: readonly Entry[];
}

/** The text of the entries after `after`, each on lines of its own. Entries without words are left out. */
export function storyText(
  { session, entries }: Journal,
  after: number,
  renderings: Renderings,
  look: TextRendering,
): readonly string[] {
  const part = { session, entries, marks: entries, repliesBefore: 0 };
  const index = indexJournal(part, linksOf('', session, ''));
  return entries
    .filter(({ seq }) => seq > after)
    .map((entry) => shown(entry, entries, index, renderings))
    .filter((one) => one !== undefined)
    .map((one) => asText(one, look));
}

/** A page shows what comes later within what came before; a terminal shows it when it comes. */
function shown(
  entry: Entry,
  entries: readonly Entry[],
  index: JournalIndex,
  renderings: Renderings,
): Html | undefined {
  if (entry.type === 'admitted')
    return entry.lineComments.length === 0
      ? undefined
      : item(entry, '', html`${lineComments(entry.seq, entry.lineComments)}`);
  if (entry.type === 'reply') return item(entry, 'from-model', replyWords(entry, index));
  if (entry.type !== 'call_finished') return timelineItem(entry, index, renderings);
  const reply = entryAt(entries, entry.reply);
  return reply?.type === 'reply'
    ? item(entry, '', callOf(reply, entry.index, index, renderings))
    : undefined;
}

type Style = 'bold' | 'dim' | 'red' | 'green';

interface TextRendering {
  /** Gives a text its style, or leaves it as it is. The text holds nothing that acts on a terminal. */
  readonly paint: (style: Style, text: string) => string;
  /** Calls with their arguments and results. */
  readonly isFull: boolean;
}

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** The text of an item of the timeline: its time, then its content, indented. It ends without a line break. */
function asText({ text: markup }: Html, look: TextRendering): string {
  const page = new TextLines();
  for (const node of parseFragment(markup).childNodes) write(node, { ...PLAIN, page, look });
  return page.end();
}

/** What holds for a node and all that is in it. */
interface Context {
  readonly page: TextLines;
  readonly look: TextRendering;
  readonly style: Style | undefined;
  readonly isVerbatim: boolean;
}

const PLAIN = { style: undefined, isVerbatim: false } as const;

const BLOCKS: ReadonlySet<string> = new Set(
  'blockquote details div header hr li ol p pre section summary table tr ul'.split(' '),
);

/** Links of the page, and what only says that something is hidden. */
const LEFT_OUT: readonly string[] = ['seen', 'unseen', 'verdict', 'more'];

const STYLES: readonly (readonly [name: string, style: Style])[] = [
  ['faint', 'dim'],
  ['soft', 'dim'],
  ['label', 'dim'],
  ['tool', 'dim'],
  ['took', 'dim'],
  ['hunk', 'dim'],
  ['about', 'dim'],
  ['removed', 'red'],
  ['fault', 'red'],
  ['added', 'green'],
];

const TAB = 2;

function write(node: Node, context: Context): void {
  if (node.nodeName === '#text')
    writeText((node as DefaultTreeAdapterTypes.TextNode).value, context);
  else if ('tagName' in node) writeElement(node, context);
}

function writeElement(node: Element, context: Context): void {
  const { page, look } = context;
  const names = classesOf(node);
  if (LEFT_OUT.some((name) => names.includes(name))) return;
  const inner: Context = {
    ...context,
    style: styleOf(node, names) ?? context.style,
    isVerbatim: context.isVerbatim || node.tagName === 'pre' || names.includes('mono'),
  };
  const children = (): void => {
    for (const child of childrenOf(node, look)) write(child, inner);
  };
  if (node.tagName === 'time') {
    page.begin(look.paint('dim', visible(textOfNode(node))));
    return;
  }
  if (!BLOCKS.has(node.tagName)) {
    if (APART.has(node.tagName) || names.some((name) => SPACED.has(name))) page.space();
    children();
    return;
  }
  page.lineBreak();
  page.within(prefixOf(node, names), () => {
    children();
    page.lineBreak();
  });
}

/** Of a folded part, only what it is called; of a call that failed, all. */
function childrenOf(node: Element, { isFull }: TextRendering): readonly Node[] {
  const { parentNode: parent } = node;
  const hasFailed = parent !== null && 'tagName' in parent && classesOf(parent).includes('not-ok');
  const isFolded = node.tagName === 'details' && !isFull && !hasFailed;
  return isFolded
    ? node.childNodes.filter((child) => 'tagName' in child && child.tagName === 'summary')
    : node.childNodes;
}

/** Cells and parts of a line that a browser sets apart. */
const APART: ReadonlySet<string> = new Set(['td', 'th', 'span']);
const SPACED: ReadonlySet<string> = new Set(['title', 'tool', 'took', 'result']);

function prefixOf(node: Element, names: readonly string[]): Prefix {
  if (node.tagName === 'li' && attribute(node, 'data-part') === undefined) return itemPrefix(node);
  const text = blockPrefix(node, names);
  return { first: text, rest: text };
}

/** As the list counts: Markdown may begin with any number. */
function itemPrefix(node: Element): Prefix {
  const { parentNode: list } = node;
  if (list === null || !('tagName' in list) || list.tagName !== 'ol')
    return { first: '- ', rest: '  ' };
  if (classesOf(list).includes('single')) return { first: '', rest: '' };
  const items = list.childNodes.filter((child) => 'tagName' in child && child.tagName === 'li');
  const first = `${Number(attribute(list, 'start') ?? 1) + items.indexOf(node)}. `;
  return { first, rest: ' '.repeat(first.length) };
}

function blockPrefix(node: Element, names: readonly string[]): string {
  if (names.includes('edit')) return '';
  const parent = node.parentNode;
  if (parent !== null && 'tagName' in parent && classesOf(parent).includes('edit'))
    return names.includes('removed') ? '- ' : '+ ';
  if (node.tagName === 'blockquote') return '> ';
  return node.tagName === 'pre' || names.includes('body') ? ' '.repeat(TAB) : '';
}

function styleOf(node: Element, names: readonly string[]): Style | undefined {
  if (node.tagName === 'strong') return 'bold';
  if (names.includes('result')) return isWithin(node, 'not-ok') ? 'red' : 'dim';
  return STYLES.find(([name]) => names.includes(name))?.[1];
}

function isWithin(node: Element, name: string): boolean {
  for (let one = node.parentNode; one !== null && 'tagName' in one; one = one.parentNode)
    if (classesOf(one).includes(name)) return true;
  return false;
}

function writeText(text: string, { page, look, style, isVerbatim }: Context): void {
  const painted = (part: string): string =>
    part === '' || style === undefined ? visible(part) : look.paint(style, visible(part));
  if (!isVerbatim) {
    page.words(text, painted);
    return;
  }
  for (const [at, line] of text.split('\n').entries()) {
    if (at > 0) page.lineBreak('even if it is empty');
    page.add(painted(line));
  }
}

/** By their number, as on the page: nothing that others wrote acts on the terminal. */
const visible = (text: string): string =>
  replaceUnseen(
    text,
    (sign) => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );

function textOfNode(node: Node): string {
  if ('childNodes' in node) return node.childNodes.map(textOfNode).join('');
  return node.nodeName === '#text' ? (node as DefaultTreeAdapterTypes.TextNode).value : '';
}

const attribute = (node: Element, wanted: string): string | undefined =>
  node.attrs.find(({ name }) => name === wanted)?.value;
const classesOf = (node: Element): readonly string[] => attribute(node, 'class')?.split(' ') ?? [];

/** What the lines of a block begin with. */
interface Prefix {
  readonly first: string;
  readonly rest: string;
}

/** Lines that are being written, each behind the prefixes of the blocks that it is in. */
class TextLines {
  readonly #done: string[] = [];
  #indent = '';
  #blocks: readonly Prefix[] = [];
  /** Blocks whose first line is written. */
  readonly #begun = new Set<Prefix>();
  #line = '';
  #isEmpty = true;
  #needsSpace = false;
  /** In place of the prefix of the next line. */
  #head: string | undefined;

  /** The next line begins with the time, and all others are indented as far. */
  begin(time: string): void {
    this.#head = `${time}  `;
    this.#indent = ' '.repeat(INDENT);
  }

  /** `write` writes lines that begin with this. */
  within(prefix: Prefix, write: () => void): void {
    const before = this.#blocks;
    this.#blocks = [...before, prefix];
    write();
    this.#blocks = before;
  }

  add(text: string): void {
    if (text === '') return;
    if (this.#needsSpace && !this.#isEmpty) this.#line += ' ';
    this.#needsSpace = false;
    this.#line += text;
    this.#isEmpty = false;
  }

  /** Text in which any white space is one blank. */
  words(text: string, painted: (part: string) => string): void {
    if (/^\s/.test(text)) this.space();
    const words = text.trim().replaceAll(/\s+/g, ' ');
    if (words === '') return;
    this.add(painted(words));
    if (/\s$/.test(text)) this.space();
  }

  space(): void {
    this.#needsSpace = true;
  }

  lineBreak(empty?: 'even if it is empty'): void {
    this.#needsSpace = false;
    if (this.#isEmpty && empty === undefined) return;
    const prefixes = this.#blocks.map((block) =>
      this.#begun.has(block) ? block.rest : block.first,
    );
    this.#done.push(`${this.#head ?? this.#indent}${prefixes.join('')}${this.#line}`.trimEnd());
    this.#head = undefined;
    for (const block of this.#blocks) this.#begun.add(block);
    this.#line = '';
    this.#isEmpty = true;
  }

  end(): string {
    this.lineBreak();
    return this.#done.join('\n');
  }
}

/** The width of a time, and two blanks. */
const INDENT = 10;
