// A text without what a renderer of Markdown leaves nothing of: tags, comments, emphasis, links, entities, invisible characters.
// It is only searched, never shown, so it may leave out more than a renderer would.
import type { TextRange } from './hidden-text.ts';

export interface ThroughMarkup {
  readonly text: string;
  /** The range of the source that a range of the text stands for; `undefined` if nothing was left out in it. */
  readonly source: (start: number, end: number) => TextRange | undefined;
}

const SIGN = /[<&!\][*~`$\\_]|\p{Default_Ignorable_Code_Point}/gu;
const UNSEEN = /\p{Default_Ignorable_Code_Point}+/uy;
const UNDERSCORES = /_+/y;
const LETTER = /[\p{L}\p{N}]/u;
/** Without both there is no emphasis of underscores, and most texts have one at most. */
const MAY_BEGIN = /(?<![\p{L}\p{N}_])_/u;
const MAY_END = /_(?![\p{L}\p{N}_])/u;

/** `[redacted]` is one sign that no secret has. */
const OPAQUE = '\0';

const COMMENT = '<!--';
const TAG = /<\/?[a-z][a-z0-9-]{0,30}(?:[\s/](?:[^<>"']|"[^"]{0,100}"|'[^']{0,100}'){0,200})?>/iy;
const DECLARATION = /<[?!][^<>]{0,200}>/y;
const IMAGE = /!\[[^\][\n]{0,200}\]\([^()\n]{0,500}\)/y;
const LINK_END = /\](?:\([^()\n]{0,500}\)|\[[^\][\n]{0,200}\])/y;
const NUMBERED = /&#(?:x([\da-f]{1,6})|(\d{1,7}));?/iy;
const NAMED = /&(\w{2,22});/y;
/** Of signs that credentials have, and of those that nobody sees. */
const ENTITIES: ReadonlyMap<string, string> = new Map([
  ...['shy', 'zwnj', 'zwj', 'lrm', 'rlm', 'NoBreak', 'ZeroWidthSpace', 'af', 'it', 'ic'].map(
    (name) => [name, ''] as const,
  ),
  ...['lowbar', 'UnderBar'].map((name) => [name, '_'] as const),
  ['period', '.'],
  ['sol', '/'],
  ['plus', '+'],
  ['equals', '='],
  ['colon', ':'],
  ['commat', '@'],
  ['amp', '&'],
]);

/** What is at a place: how long it is in the source, and what of it is left. */
interface Sign {
  readonly length: number;
  readonly left: string;
}

/** A part of the text, and where that is in the source. `width`: of a sign that is longer there. */
interface Stretch {
  readonly at: number;
  readonly from: number;
  readonly width?: number;
}

/** Which underscores are left: all, as the format of many tokens has one (`ghp_`); all but those of emphasis; or none. */
export type LeftUnderscores = 'all' | 'no emphasis' | 'none';

/** `undefined` if there is nothing to leave out, or no emphasis: then `all` leaves the same. */
export function throughMarkup(
  source: string,
  mark: string,
  underscores: LeftUnderscores,
): ThroughMarkup | undefined {
  const reader = new MarkupReader(source, mark, underscores);
  if (underscores === 'no emphasis' && !reader.findEmphasis()) return undefined;
  let text = '';
  const stretches: Stretch[] = [{ at: 0, from: 0 }];
  let done = 0;
  for (let at = reader.next(0); at !== -1; at = reader.next(Math.max(done, at + 1))) {
    const sign = reader.signAt(at);
    if (sign === undefined) continue;
    text += source.slice(done, at);
    if (sign.left !== '') stretches.push({ at: text.length, from: at, width: sign.length });
    text += sign.left;
    done = at + sign.length;
    stretches.push({ at: text.length, from: done });
  }
  if (stretches.length === 1) return undefined;
  text += source.slice(done);
  return { text, source: (start, end) => rangeIn(stretches, start, end) };
}

function rangeIn(stretches: readonly Stretch[], start: number, end: number): TextRange | undefined {
  const first = stretchAt(stretches, start);
  const last = stretchAt(stretches, end - 1);
  if (first === last) return undefined;
  const until = last.width ?? end - last.at;
  return { start: first.from + start - first.at, end: last.from + until };
}

/** The last one that begins there or before it. */
function stretchAt(stretches: readonly Stretch[], at: number): Stretch {
  let low = 0;
  let high = stretches.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((stretches[middle]?.at ?? 0) <= at) low = middle;
    else high = middle - 1;
  }
  return stretches[low] ?? { at: 0, from: 0 };
}

class MarkupReader {
  readonly #source: string;
  readonly #mark: string;
  readonly #underscores: LeftUnderscores;
  /** Where the underscores of emphasis are. */
  readonly #emphasis = new Set<number>();
  /** From here on no comment ends. */
  #lastComment = Infinity;

  constructor(source: string, mark: string, underscores: LeftUnderscores) {
    this.#source = source;
    this.#mark = mark;
    this.#underscores = underscores;
  }

  /** Underscores are of emphasis in pairs: the first is not within a word, and neither is the second. */
  findEmphasis(): boolean {
    if (!MAY_END.test(this.#source) || !MAY_BEGIN.test(this.#source)) return false;
    const open: number[] = [];
    let done = 0;
    for (let at = this.next(0); at !== -1; at = this.next(Math.max(done, at + 1))) {
      if (this.#source[at] !== '_') {
        done = at + (this.signAt(at)?.length ?? 0);
        continue;
      }
      done = at + lengthOf(UNDERSCORES, this.#source, at);
      const before = this.#source.charAt(at - 1);
      const after = this.#source.charAt(done);
      const opener = isWithin(before) && !LETTER.test(after) ? open.pop() : undefined;
      if (opener !== undefined) this.#emphasis.add(opener).add(at);
      else if (isWithin(after) && !LETTER.test(before)) open.push(at);
    }
    return this.#emphasis.size > 0;
  }

  next(from: number): number {
    SIGN.lastIndex = from;
    return SIGN.exec(this.#source)?.index ?? -1;
  }

  signAt(at: number): Sign | undefined {
    const sign = this.#source.charAt(at);
    if (sign === '[' && this.#source.startsWith(this.#mark, at))
      return { length: this.#mark.length, left: OPAQUE };
    if (sign === '_') return this.#underscore(at);
    if (sign === '<') return this.#comment(at) ?? this.#matched(at, TAG, DECLARATION);
    if (sign === '!') return this.#matched(at, IMAGE);
    if (sign === ']') return this.#matched(at, LINK_END) ?? NOTHING_LEFT;
    if (sign === '&') return this.#entity(at);
    if ('[*~`$\\'.includes(sign)) return NOTHING_LEFT;
    return this.#matched(at, UNSEEN);
  }

  #underscore(at: number): Sign | undefined {
    const isLeft = this.#underscores !== 'none' && !this.#emphasis.has(at);
    return isLeft ? undefined : this.#matched(at, UNDERSCORES);
  }

  #comment(at: number): Sign | undefined {
    if (at >= this.#lastComment || !this.#source.startsWith(COMMENT, at)) return undefined;
    const end = this.#source.indexOf('->', at + COMMENT.length - 1);
    if (end === -1) this.#lastComment = at;
    return end === -1 ? undefined : { length: end + '->'.length - at, left: '' };
  }

  #entity(at: number): Sign | undefined {
    NUMBERED.lastIndex = at;
    const [all, hex, decimal] = NUMBERED.exec(this.#source) ?? [];
    if (all !== undefined) {
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      const sign = code > 0 && code <= 0x10_ffff ? String.fromCodePoint(code) : '';
      return { length: all.length, left: this.#left(sign) };
    }
    NAMED.lastIndex = at;
    const [named, name = ''] = NAMED.exec(this.#source) ?? [];
    const left = ENTITIES.get(name);
    if (named === undefined || left === undefined) return undefined;
    return { length: named.length, left: this.#left(left) };
  }

  #left(sign: string): string {
    return sign === '_' && this.#underscores !== 'none' ? sign : sign.replaceAll(SIGN, '');
  }

  #matched(at: number, ...patterns: readonly RegExp[]): Sign | undefined {
    for (const pattern of patterns) {
      const length = lengthOf(pattern, this.#source, at);
      if (length > 0) return { length, left: '' };
    }
    return undefined;
  }
}

const NOTHING_LEFT: Sign = { length: 1, left: '' };

function lengthOf(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0].length ?? 0;
}

const isWithin = (sign: string): boolean => sign.trim() !== '';
