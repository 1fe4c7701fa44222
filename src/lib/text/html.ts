// HTML as template literals: every value is escaped unless it is `Html`.
import { replaceUnseen } from './invisible.ts';

/** HTML that is safe to send. Only this module creates it from text. */
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

/** Our own text as HTML, unescaped: style sheets and scripts. Never use it for text from outside. */
export const trusted = (text: string): Html => new Html(text);

/** The address if it is an http(s) one; `undefined` for anything else, such as `javascript:`. */
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

/** As HTML; invisible characters are shown by their number. */
function escaped(text: string): string {
  const shown = replaceUnseen(text.toWellFormed().replaceAll(/\r\n?/g, '\n'), (sign) => {
    const number = (sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨U+${number}⟩`;
  });
  return shown.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
}
