// Texts that have the format of a credential, and are none.
import { KEY_EDGE } from './redact.ts';

/** A host that nobody else can reach, or that documents may name: RFC 2606, 5737 and 6761. */
const NO_HOST =
  /^(?:(?:[\w-]+\.)*(?:localhost|test|invalid|example|example\.(?:com|net|org))|127(?:\.\d{1,3}){3}|0\.0\.0\.0|192\.0\.2\.\d{1,3}|198\.51\.100\.\d{1,3}|203\.0\.113\.\d{1,3}|\[::1\])$/i;
const HOST = /^(?:\[[\d:]+\]|[^\s/:?#"'`()<>{}\\,;]*)/;
/** Eight letters are guessed in no time, whoever sees them. */
const WORD = /^[a-z]{0,8}$/i;
const NAME = /^[a-z][a-z-]{0,19}$/i;
/** Where a program or a reader puts the real one. */
const TEMPLATE =
  /^(?:\$?\{{1,2}[\w.$ -]{1,40}\}{1,2}|\$[A-Z_]{1,40}|<[\w. -]{1,40}>|\[[\w. -]{1,40}\]|%[sdv]|[*.]{1,40})$/i;

const BASIC = /^authorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?basic[ \t]{1,8}(\S+)$/i;
/** Numbers of lines and words of a sentence are shorter. */
const KEY_MATERIAL = /[A-Za-z0-9+/=]{6}/;

/** Whether a credential, in its context, is a placeholder: one that opens nothing, or an example's words. */
export const isPlaceholder = (credential: string): boolean =>
  opensNothing(credential) || isPair(pairOf(credential) ?? '');

/**
 * Whether a credential opens nothing wherever it is used: a template, a password for a host that does not exist, an
 * example's words in base64, or the edges of a key without the key.
 */
export function opensNothing(credential: string): boolean {
  if (credential.startsWith('-----'))
    return !KEY_MATERIAL.test(credential.replaceAll(KEY_EDGE, ' '));
  const basic = BASIC.exec(credential)?.[1];
  if (basic !== undefined) return isPair(Buffer.from(basic, 'base64').toString('latin1'));
  const pair = pairOf(credential);
  if (pair === undefined) return false;
  const address = credential.slice(3 + pair.length + 1);
  return NO_HOST.test(HOST.exec(address)?.[0] ?? '') || TEMPLATE.test(pair.replace(/^[^:]*:/, ''));
}

/** The user and the password of a URL. A program takes what is before the last @ for the password. */
function pairOf(credential: string): string | undefined {
  if (!credential.startsWith('://')) return undefined;
  const [pair = '', ...more] = credential.slice(3).split('@');
  return more.length > 1 ? undefined : pair;
}

/** Whether a user and a password are the words of an example. */
function isPair(text: string): boolean {
  const colon = text.indexOf(':');
  if (colon === -1) return false;
  const user = text.slice(0, colon);
  const password = text.slice(colon + 1);
  const isName = user === '' || NAME.test(user) || TEMPLATE.test(user);
  return isName && (WORD.test(password) || TEMPLATE.test(password));
}
