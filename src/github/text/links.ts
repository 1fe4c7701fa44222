// Where links may lead, and what becomes of those that lead elsewhere: plain text that people can still read.
// A backslash goes before what follows a link's text, HTML begins with `&lt;`, and addresses have a
// full-width colon or stop (`https：//`, `www．`), which no program takes for a link.
import { trimEnd } from '../../lib/text/text.ts';

/** Whether links may lead to a host, such as `github.example:8443`; told in lower case. */
export type AllowsHost = (host: string) => boolean;

/** A policy for `hosts`; `*.example.com` means all hosts below example.com. */
export function hostPolicy(hosts: readonly string[]): AllowsHost {
  const known = new Set(hosts.map((host) => host.toLowerCase()));
  return (host) =>
    known.has(host) ||
    [...known].some((pattern) => pattern.startsWith('*.') && host.endsWith(pattern.slice(1)));
}

const NOWHERE = 'https://nowhere.invalid';

/** Whether an address that GitHub has rendered leads to a host that is not allowed, as a browser reads it. */
export function isForeignAddress(address: string, allows: AllowsHost): boolean {
  const url = URL.parse(address, `${NOWHERE}/o/r/`);
  if (url?.origin === NOWHERE) return false;
  if (url?.protocol === 'mailto:') return url.search !== '';
  if (url === null) return leadsElsewhere(address, allows);
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:';
  if (!isWeb || url.username !== '' || url.password !== '') return true;
  // A browser takes the sign behind a host for a part of it, as in `https://github.com's`.
  return !allows(url.host) && leadsElsewhere(`https://${url.host}`, allows);
}

const AHEAD = String.raw`([^\s<>]{0,300})`;
/** What may precede an address: nothing, or quotation markers over several lines. */
const SPACE = String.raw`[\s>]*`;
const DESTINATION = new RegExp(`(?<=\\])([(:])(?=${SPACE}(<[^<>\\n]{0,300}|[^\\s<]{0,300}))`, 'g');
const ADDRESS = new RegExp(`(https?|ftp):(?=(//${AHEAD.slice(1)})`, 'gi');
const BARE = new RegExp(String.raw`(?<![A-Za-z0-9/])(www)\.(?=${AHEAD})`, 'gi');

/** Makes plain text of every link, image and HTML element that leads to a host that is not allowed. */
export function withoutForeignLinks(prose: string, allows: AllowsHost): string {
  const isForeign = (address: string): boolean => leadsElsewhere(address, allows);
  return prose
    .replaceAll(TAG_START, (sign, rest: string) =>
      isHarmless(`<${rest}`, isForeign) ? sign : '&lt;',
    )
    .replaceAll(DESTINATION, (sign, _sign: string, address: string) =>
      isForeign(address.replace(/^</, '').trim()) ? `\\${sign}` : sign,
    )
    .replaceAll(ADDRESS, (sign, _protocol: string, address: string) =>
      isForeign(sign + address) ? sign.replace(':', '：') : sign,
    )
    .replaceAll(BARE, (sign, _www: string, address: string) =>
      isForeign(`https://${sign}${address}`) ? `${sign.slice(0, -1)}．` : sign,
    );
}

/** A path, a query or an anchor: nothing in its first part that could make an address of it. */
const LOCAL = /^(?:[?#)]|$|\/(?![/\\&])|[^:&\\/?#)\s]+(?:[/?#)\s"'>]|$))/;
const WEB = /^https?:\/\/([a-z0-9.-]+(?::\d{1,5})?)([^/?#\s]*)/i;
/**
 * What may directly follow a host: a sign that is not followed by part of another name. After `](` and `][`,
 * where a link continues, anything. A browser reads all of `github.com_.example.com` as one host.
 */
const AFTER_HOST =
  /^(?:(?!\.[a-z0-9])[)\],.;:!?'"*_~`|>}\0](?:(?!(?<=\])[([])(?:[^@\\%&.\u0080-\uffff]|\.(?![a-z0-9])))*(?:(?<=\])[([][^@\\%&]*)?)?$/i;

function leadsElsewhere(address: string, allows: AllowsHost): boolean {
  // A browser leaves them out, and reads what they part as one.
  if (/[\t\n\r]/.test(address)) return true;
  const [, host, rest = ''] = WEB.exec(address) ?? [];
  if (host === undefined) return !LOCAL.test(address);
  return !AFTER_HOST.test(rest) || !allows(trimEnd(host.toLowerCase(), '.'));
}

const TAG_START = /<(?=([A-Za-z/][^<>]{0,1000}>?))/g;
const TAG =
  /^<\/?([a-z][a-z0-9]{0,10})((?:\s+[a-z]{1,10}(?:=(?:"[^"]{0,500}"|'[^']{0,500}'|[\w%-]{1,20}))?){0,10})\s*\/?>/i;
const ATTRIBUTE = /([a-z]+)(?:=(?:"([^"]*)"|'([^']*)'|([\w%-]+)))?/gi;
const AUTOLINK = /^<(?:(https?:[^\s<>]*)|[\w.+-]+@[\w.-]+)>/i;

const ELEMENTS: ReadonlySet<string> = new Set(
  `a b blockquote br caption code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p
  pre q s samp span strike strong sub summary sup table tbody td tfoot th thead tr tt ul var wbr`.split(
    /\s+/,
  ),
);
const PLAIN_ATTRIBUTES: ReadonlySet<string> = new Set(
  'align alt colspan height open rowspan start title valign width'.split(' '),
);

/** Whether HTML may remain; `<` before anything else is shown as text. */
function isHarmless(html: string, isForeign: (address: string) => boolean): boolean {
  const link = AUTOLINK.exec(html);
  if (link !== null) return link[1] === undefined || !isForeign(link[1]);
  const [, name = '', attributes = ''] = TAG.exec(html) ?? [];
  if (!ELEMENTS.has(name.toLowerCase())) return false;
  return [...attributes.matchAll(ATTRIBUTE)].every(([, attribute = '', one, other, bare]) => {
    const key = attribute.toLowerCase();
    if (key === 'href' || key === 'src') return !isForeign(one ?? other ?? bare ?? '');
    return PLAIN_ATTRIBUTES.has(key);
  });
}
