/** Longer ones carry more than an address. */
const LONGEST = 500;

const PROTOCOLS: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:']);
const PROTOCOL = /^([a-z][a-z\d+.-]*:)/i;

/**
 * A web or mail address in the form for a Markdown link; `undefined` for any other, and for an anchor in the
 * same text.
 */
export function safeAddress(href: string): string | undefined {
  const address = href.trim();
  if (address === '' || address.startsWith('#') || address.length > LONGEST) return undefined;
  const protocol = PROTOCOL.exec(address)?.[1];
  if (protocol !== undefined && !PROTOCOLS.has(protocol.toLowerCase())) return undefined;
  return address.replaceAll(/[^!#-;=?-[\]_a-z~]/g, encoded);
}

function encoded(sign: string): string {
  const code = sign.charCodeAt(0);
  if (code > 0x7f) return sign;
  return `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
}
