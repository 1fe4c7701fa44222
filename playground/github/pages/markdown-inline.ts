// What stands inside a line of Markdown. Everything that is not known to be harmless is escaped.
import { escapeHtml } from './html.ts';

/**
 * In the order in which they win: escapes, code, links and images, bare addresses, bold, struck
 * out, italics, the harmless tags, numbers of issues. Lengths are bounded, so that no text is slow.
 */
const INLINE = new RegExp(
  [
    String.raw`\\(?<escaped>[\\\x60*_{}[\]()#+.!<>~|-])`,
    String.raw`(?<!\x60)(?<ticks>\x60{1,8})(?!\x60)(?<code>.{1,2000}?)(?<!\x60)\k<ticks>(?!\x60)`,
    String.raw`!?\[(?<text>[^\]]{0,500})\]\((?<href>[^\s)]{1,1000})\)`,
    String.raw`(?<url>https?:\/\/[^\s<>()\]"']{1,1000}[^\s<>()\]"'.,;:!?*_])`,
    String.raw`\*\*(?<bold>\S.{0,2000}?)\*\*`,
    String.raw`~~(?<struck>\S.{0,2000}?)~~`,
    String.raw`(?<![\w*])\*(?<italic>[^\s*][^*]{0,2000}?)\*(?![\w*])`,
    String.raw`(?<!\w)_(?<low>[^\s_][^_]{0,2000}?)_(?!\w)`,
    String.raw`<(?<tag>sub|sup|kbd|b|i|em|strong)>(?<inner>.{0,2000}?)<\/\k<tag>>`,
    String.raw`(?<break><br ?\/?>)`,
    String.raw`(?<![\w&/])#(?<number>\d{1,7})\b`,
    String.raw`(?<![\w/])@(?<person>[A-Za-z\d][\w-]{0,38})`,
  ].join('|'),
  'gs',
);

/** `base` is the repository's page, below which `#12` leads to an issue. */
export function renderInline(text: string, base: string): string {
  let result = '';
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    result += escapeHtml(text.slice(end, match.index));
    result += renderMatch(match.groups ?? {}, base) ?? escapeHtml(match[0]);
    end = match.index + match[0].length;
  }
  return result + escapeHtml(text.slice(end));
}

type Groups = Record<string, string | undefined>;

function renderMatch(groups: Groups, base: string): string | undefined {
  const { escaped, code, href, url, number, person, tag, inner } = groups;
  if (escaped !== undefined) return escapeHtml(escaped);
  if (code !== undefined) return `<code>${escapeHtml(code.trim() || code)}</code>`;
  if (href !== undefined) return link(groups['text'] ?? '', href, base);
  if (url !== undefined) return anchor(url, escapeHtml(url));
  if (groups['break'] !== undefined) return '<br>';
  if (number !== undefined) return anchor(`${base}/issues/${number}`, `#${number}`);
  if (person !== undefined) return `<b class="person">@${escapeHtml(person)}</b>`;
  if (tag !== undefined) return `<${tag}>${renderInline(inner ?? '', base)}</${tag}>`;
  for (const [name, element] of STYLES) {
    const content = groups[name];
    if (content !== undefined) return `<${element}>${renderInline(content, base)}</${element}>`;
  }
  return undefined;
}

const STYLES = [
  ['bold', 'strong'],
  ['struck', 'del'],
  ['italic', 'em'],
  ['low', 'em'],
] as const;

/** Only addresses of the web, and places on this server, are linked; others stay text. */
function link(text: string, href: string, base: string): string | undefined {
  const isSafe = /^(https?:\/\/|mailto:|#|\/(?!\/)|\.{0,2}\/?[\w-]+(?:[/.#?]|$))/i.test(href);
  const hasOtherScheme = /^[a-z][a-z\d+.-]*:/i.test(href) && !/^(https?|mailto):/i.test(href);
  if (!isSafe || hasOtherScheme) return undefined;
  return anchor(href, renderInline(text, base));
}

const anchor = (href: string, content: string): string =>
  `<a href="${escapeHtml(href)}" rel="nofollow noreferrer">${content}</a>`;
