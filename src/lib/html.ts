// HTML as template literals: whatever is put in is escaped, unless it is HTML of ours already.
import { replaceUnseen } from './invisible.ts';

/** HTML that is safe to send. Only this module makes it from text. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

export type HtmlPart = Html | string | number | false | undefined | null | readonly HtmlPart[];

/** `html\`<p title="${name}">${body}</p>\``: values are escaped, lists joined; `undefined` and `false` are nothing. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html =>
  new Html(strings.reduce((sum, text, at) => `${sum}${rendered(parts[at - 1])}${text}`));

/** Text of ours as HTML, unescaped: style sheets and scripts. Never for what comes from outside. */
export const trusted = (text: string): Html => new Html(text);

/** The address where it is an http(s) one; anything else, such as `javascript:`, is no link. */
export function webAddress(address: string): string | undefined {
  const url = URL.parse(address);
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url.href : undefined;
}

function rendered(part: HtmlPart): string {
  if (part === undefined || part === null || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(rendered).join('');
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that nobody sees are shown by their number. */
const escaped = (text: string): string =>
  replaceUnseen(
    text
      .toWellFormed()
      .replaceAll(/\r\n?/g, '\n')
      .replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? ''),
    (sign) => `⟨U+${codeOf(sign)}⟩`,
  );

const codeOf = (sign: string): string =>
  (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
