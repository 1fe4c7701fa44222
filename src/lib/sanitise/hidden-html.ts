// HTML that GitHub does not show: elements that are hidden, tags that it drops, what stands in tags.
import { maskCode } from '../markdown-code.ts';
import { endOfNote } from './definitions.ts';
import { HTML_LINE } from './hidden-markup.ts';
import { htmlLines, mayEndParagraph, tagAt } from './html-lines.ts';
import type { Note } from './invisible.ts';
import { edited, type Edit } from './prose.ts';

interface Tag {
  readonly start: number;
  readonly end: number;
  readonly closes: boolean;
  /** In lower case. */
  readonly name: string;
  readonly attributes: string;
}

const TAG_START = /<\/?[A-Za-z]/g;
/** Removes hidden elements whole; of all others, tags and attributes that nobody sees. */
export function withoutHiddenHtml(text: string, note: Note): string {
  if (!/<[A-Za-z/]/.test(text)) return text;
  const edits: Edit[] = [];
  const remove = (kind: string, start: number, end: number, rest = ''): void => {
    const found = text.slice(start, end);
    if (found === rest) return;
    if (found !== HTML_LINE) note(kind, found);
    edits.push({ start, end, text: rest });
  };
  let hidden: { readonly tag: Tag; depth: number } | undefined;
  for (const tag of tagsIn(maskCode(text), text)) {
    if (hidden === undefined && isHiding(tag)) hidden = { tag, depth: 0 };
    if (hidden === undefined) remove(...tagOf(tag), shownTag(tag, text));
    else if (tag.name === hidden.tag.name) {
      hidden.depth += tag.closes ? -1 : 1;
      if (hidden.depth > 0) continue;
      remove(HIDDEN, hidden.tag.start, tag.end);
      hidden = undefined;
    }
  }
  if (hidden !== undefined) remove(HIDDEN, hidden.tag.start, text.length);
  return edited(text, edits);
}

const HIDDEN = 'hidden HTML element';

const tagOf = ({ start, end }: Tag) => ['part of an HTML tag', start, end] as const;

function* tagsIn(mask: string, text: string): Generator<Tag> {
  const isInHtml = htmlLines(mask);
  TAG_START.lastIndex = 0;
  for (let sign = TAG_START.exec(mask); sign !== null; sign = TAG_START.exec(mask)) {
    const start = sign.index;
    const isHtml = isInHtml(start);
    const match = tagAt(mask, start, isHtml);
    if (match === null && !isHtml) continue;
    const [found = '', closes = '', name = ''] = match ?? [];
    const end = endOf(mask, start, found, isHtml);
    const from = start + 1 + closes.length + name.length;
    const attributes = text.slice(from, end).replace(/\/?>$/, '');
    yield { start, end, closes: closes === '/', name: name.toLowerCase(), attributes };
    TAG_START.lastIndex = end;
  }
}

/** A tag that does not end in its paragraph takes in what follows, who knows how far. */
function endOf(mask: string, start: number, found: string, isHtml: boolean): number {
  const end = start + found.length;
  if (isHtml && (found === '' || mayEndParagraph(found) || /\n[ \t]*\n/.test(found)))
    return mask.length;
  return mayEndParagraph(found) ? endOfNote(mask, end) : end;
}

const NEVER_SHOWN = new Set(
  'script style template textarea select xmp plaintext dialog datalist noscript noembed noframes iframe object head title'.split(
    ' ',
  ),
);
const VOID = new Set('area br col embed hr img input link meta source track wbr'.split(' '));
const HIDES = /(?:^|[\s/"'])hidden(?=[\s=/]|$)|aria-hidden\s*=\s*["']?\s*true/i;
const HIDING_STYLE =
  /display:none|visibility:(?:hidden|collapse)|opacity:0?\.?0*(?:[;"']|$)|font(?:-size)?:0|color:(?:transparent|white|#f{3})|text-indent:-|(?:left|top|right|bottom|margin[a-z-]*):-\d\d|(?:max-)?(?:height|width):0|clip|content-visibility|scale\(0/i;

function isHiding({ closes, name, attributes }: Tag): boolean {
  if (closes || VOID.has(name)) return false;
  return NEVER_SHOWN.has(name) || HIDES.test(attributes) || hidesByStyle(attributes);
}

const CODES: Readonly<Record<string, string>> = { colon: ':', hyphen: '-', num: '#', semi: ';' };

/** As a browser reads it: entities stand for signs, comments and escapes for nothing. */
const hidesByStyle = (attributes: string): boolean =>
  /style/i.test(attributes) &&
  HIDING_STYLE.test(
    attributes
      .replaceAll(/&#(\d{1,6});?/g, (_all, code: string) => String.fromCharCode(Number(code)))
      .replaceAll(/&#x([\da-f]{1,5});?/gi, (_all, code: string) =>
        String.fromCharCode(Number.parseInt(code, 16)),
      )
      .replaceAll(/&(colon|hyphen|num|semi);/gi, (_all, name: string) => CODES[name] ?? '')
      .replaceAll(/\/\*.*?\*\/|[\s\\]/gs, ''),
  );

const SHOWN = new Set(
  'a abbr b bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q rp rt ruby s samp small span strike strong sub summary sup table tbody td tfoot th thead time tr tt ul var wbr'.split(
    ' ',
  ),
);
/** Attributes that hold no words, and addresses: without those a link is none. */
const ATTRIBUTE =
  /\s+(?:open(?==""|[\s>]|$)|(?:align|valign)="?(?:left|right|center|top|middle|bottom)"?|(?:width|height|colspan|rowspan|start)="?\d{1,5}(?:px|%)?"?|(?:href|src)=(?:"[^"\s]{0,500}"|'[^'\s]{0,500}'))(?=[\s/>]|$)/gi;

function shownTag({ start, end, name, attributes }: Tag, text: string): string {
  if (!SHOWN.has(name)) return '';
  const kept = [...attributes.matchAll(ATTRIBUTE)].map(([attribute]) => attribute).join('');
  if (kept.trim() === attributes.trim() && text[end - 1] === '>') return text.slice(start, end);
  return `<${text[start + 1] === '/' ? '/' : ''}${name}${kept}>`;
}
