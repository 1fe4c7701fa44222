// HTML that GitHub does not show: elements that are hidden, tags that it drops, what stands in tags.
import { maskCode } from '../markdown-code.ts';
import { containers } from './containers.ts';
import { endOfNote } from './definitions.ts';
import { HiddenElements, NEVER_SHOWN, VOID, type Tag } from './hidden-elements.ts';
import type { Markup } from './hidden-markup.ts';
import {
  htmlLines,
  INTERRUPTS,
  isEscaped,
  lineStarts,
  mayEndParagraph,
  tagAt,
} from './html-lines.ts';
import { linkParts } from './link-parts.ts';
import { within, type Hidden } from './prose.ts';
import { TinyLetters } from './tiny-letters.ts';

const TAG_START = /<\/?[A-Za-z]/g;

/**
 * Hidden elements, whole; of all others, tags and attributes that nobody sees. `namesTags`: tags of any
 * name are there to be read, as in files that are written for models.
 */
export function hiddenHtml(text: string, markup: Markup, namesTags: boolean): readonly Hidden[] {
  if (!/<[A-Za-z/]/.test(text)) return [];
  const hidden: Hidden[] = [];
  const elements = new HiddenElements(text);
  const letters = new TinyLetters(text);
  const partOfLink = linkParts(text);
  let hiddenFrom: number | undefined;
  for (const tag of tagsIn(maskCode(text), text, markup)) {
    const link = tag.isHtml ? undefined : partOfLink(tag.start);
    const isInLink = link !== undefined;
    if (hiddenFrom === undefined && (isHiding(tag, namesTags) || letters.begin(tag, isInLink))) {
      hiddenFrom = tag.start;
      elements.open(tag);
    } else if (hiddenFrom === undefined) {
      const rest =
        namesTags && isName(tag, text) ? text.slice(tag.start, tag.end) : shownTag(tag, text);
      // What stands in a link's address is no tag.
      if (!isInLink && rest !== text.slice(tag.start, tag.end))
        hidden.push({ kind: TAG_PART, start: tag.start, end: tag.end, text: rest });
    } else if (elements.ends(tag, isInLink)) {
      hidden.push({ kind: HIDDEN, start: hiddenFrom, end: tag.end, text: '' });
      hiddenFrom = undefined;
    }
  }
  if (hiddenFrom !== undefined)
    hidden.push({ kind: HIDDEN, start: hiddenFrom, end: text.length, text: '', isOpen: true });
  return hidden;
}

const HIDDEN = 'hidden HTML element';
export const TAG_PART = 'part of an HTML tag';

function* tagsIn(mask: string, text: string, { hidden, raw }: Markup): Generator<Tag> {
  const isInHtml = htmlLines(mask);
  const [isRaw, isGone] = [within(raw), within(hidden)];
  const lineOf = lineStarts(mask);
  const staysInside = containers(mask);
  let lookedInto = 0;
  TAG_START.lastIndex = 0;
  for (let sign = TAG_START.exec(mask); sign !== null; sign = TAG_START.exec(mask)) {
    const start = sign.index;
    const isBlock = isInHtml(start);
    const isHtml = isRaw(start) || isBlock;
    if (isGone(start) || (!isHtml && isEscaped(mask, start))) continue;
    const match = tagAt(mask, start, isHtml);
    if (match === null && !isHtml) continue;
    const [found = '', closes = '', name = ''] = match ?? [];
    const mayBeNone = mayEndParagraph(found);
    const isCut =
      isHtml &&
      found.includes('\n') &&
      !(isBlock && staysInside(lineOf(start, 0).start, start, start + found.length));
    const isUnclear = isCut || (mayBeNone && start < lookedInto);
    const end = isUnclear ? mask.length : endOf(mask, start, found, isHtml);
    const from = start + 1 + closes.length + name.length;
    const attributes = text.slice(from, end).replace(/\/?>$/, '');
    yield { start, end, closes: closes === '/', name: name.toLowerCase(), attributes, isHtml };
    if (end === mask.length) return;
    // It may be none: then those in it are tags.
    TAG_START.lastIndex = mayBeNone ? start + 2 : end;
    lookedInto = end;
  }
}

/** A tag that does not end in its paragraph takes in what follows, who knows how far. */
function endOf(mask: string, start: number, found: string, isHtml: boolean): number {
  const end = start + found.length;
  if (isHtml && (found === '' || mayEndParagraph(found) || /\n[ \t]*\n/.test(found)))
    return mask.length;
  if (INTERRUPTS.test(found)) return mask.length;
  return mayEndParagraph(found) ? endOfNote(mask, end) : end;
}

/** What it holds is shown only by a browser that knows no `<ruby>`. */
const FOR_OLD_BROWSERS = 'rp';
const HIDES = /(?:^|[\s/"'])hidden(?=[\s=/]|$)|aria-hidden\s*=\s*(?:["']\s*)?true/i;
const HIDING_STYLE =
  /display:none|visibility:(?:hidden|collapse)|opacity:0?\.?0*(?:[;"']|$)|font(?:-size)?:0|color:(?:transparent|white|#f{3})|text-indent:-|(?:left|top|right|bottom|margin[a-z-]*):-\d\d|(?:max-)?(?:height|width):0|clip|content-visibility|scale\(0/i;

function isHiding({ closes, name, attributes }: Tag, namesTags: boolean): boolean {
  if (closes || VOID.has(name)) return false;
  return (
    (!namesTags && (NEVER_SHOWN.has(name) || name === FOR_OLD_BROWSERS)) ||
    HIDES.test(attributes) ||
    hidesByStyle(attributes)
  );
}

const CODES: Readonly<Record<string, string>> = { colon: ':', hyphen: '-', num: '#', semi: ';' };

/** As a browser reads it: entities stand for signs, comments and escapes for nothing. */
function hidesByStyle(attributes: string): boolean {
  if (!/style/i.test(attributes)) return false;
  const style = attributes
    .replaceAll(/&#(\d{1,6});?/g, (_all, code: string) => String.fromCharCode(Number(code)))
    .replaceAll(/&#x([\da-f]{1,5});?/gi, (_all, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replaceAll(/&(colon|hyphen|num|semi);/gi, (_all, name: string) => CODES[name] ?? '')
    .replaceAll(/[\s\\]/g, '');
  // What looks like a comment may as well be in another attribute, and hide nothing of this one.
  return HIDING_STYLE.test(style) || HIDING_STYLE.test(withoutStyleComments(style));
}

/** An opening without an end, which would be looked for in vain each time, is not in the first part. */
function withoutStyleComments(style: string): string {
  const end = style.lastIndexOf('*/') + 2;
  return style.slice(0, end).replaceAll(/\/\*.*?\*\//g, '') + style.slice(end);
}

const SHOWN = new Set(
  'a abbr b bdo blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p picture pre q rt ruby s samp small span strike strong sub summary sup table tbody td tfoot th thead time tr tt ul var wbr'.split(
    ' ',
  ),
);
/** Attributes that hold no words, and addresses: without those a link is none. */
const ATTRIBUTE =
  /(?<!\s)\s+(?:open(?==""|[\s>]|$)|(?:align|valign)="?(?:left|right|center|top|middle|bottom)"?|(?:width|height|colspan|rowspan|start)="?\d{1,5}(?:px|%)?"?|(?:href|src)=(?:"[^"\s]{0,500}"|'[^'\s]{0,500}'))(?=[\s/>]|$)/gi;

/** Attributes of one word each are part of the name. */
const NAME =
  /^<\/?[A-Za-z][\w.:-]{0,40}(?:\s[\w.:-]{1,40}=(?:"[\w.:/*-]{0,40}"|'[\w.:/*-]{0,40}')){0,3}\s?\/?>$/;

const isName = ({ start, end, name }: Tag, text: string): boolean =>
  !SHOWN.has(name) && NAME.test(text.slice(start, Math.min(end, start + 500)));

/** Elements with an address, and where it stands. */
const LEADS = new Map([
  ['a', /^\s+href/i],
  ['img', /^\s+src/i],
]);

/** What people write as `Array<string>` GitHub takes for a tag too. Words that name types carry no message. */
const TYPES = new Set(
  'any bool boolean byte bytes char double f32 f64 float i32 i64 int k long never null number str string t u u8 u32 u64 undefined unknown usize v void'.split(
    ' ',
  ),
);

const isType = ({ start, end, name }: Pick<Tag, 'start' | 'end' | 'name'>, text: string): boolean =>
  TYPES.has(name) && end - start === name.length + 2 && /\w/.test(text[start - 1] ?? '');

function shownTag({ start, end, name, attributes }: Tag, text: string): string {
  if (!SHOWN.has(name)) return isType({ start, end, name }, text) ? text.slice(start, end) : '';
  const kept = [...attributes.matchAll(ATTRIBUTE)]
    .map(([attribute]) => attribute)
    .filter(
      (attribute) => !/^\s+(?:href|src)=/i.test(attribute) || LEADS.get(name)?.test(attribute),
    )
    .join('');
  if (kept.trim() === attributes.trim() && text[end - 1] === '>') return text.slice(start, end);
  return `<${text[start + 1] === '/' ? '/' : ''}${name}${kept}>`;
}
