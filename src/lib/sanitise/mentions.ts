// `@name` notifies nobody: it becomes `＠name` (a full-width sign). That reads the same, needs no
// character that nobody sees, and holds wherever the text is put. In a URL it becomes `%40`.
// Backticks would not do: what they mean depends on the text around them. In code, GitHub mentions
// nobody, so code stays as it is.
import { replaceProse } from './prose.ts';

const URL = /https?[:：]\/\/[^\s<>"'`]+/gi;
/**
 * Also behind what GitHub links by itself, an address of mail, an issue or a commit: `a@b.c@name`; and
 * behind an entity whose end is left out, as HTML allows: `&copy@name`.
 */
const MENTION =
  /(?:(?<![A-Za-z0-9])|(?<=&[A-Za-z]{2,6}\d{0,2})|(?<=@[\w.+-]{1,100})|(?<=#\d{1,10}|(?<!\w)[\da-f]{7,40})(?!@[\w-]*\.\w))@([A-Za-z0-9][\w-]*)(\/?)/g;
/** Ways to write a sign or an invisible character that only the browser turns into one. */
const ENTITY =
  /&(?=#\d|#x[\da-f]|(?:commat|num|sol|colon|period|bsol|shy|zwn?j|[lr][lr]m|zerowidthspace|nobreak|newline|tab|negative\w{1,12}space|applyfunction|af|invisible(?:times|comma)|i[ct]);)/gi;

/** `allowed`: logins in lower case. */
export function withoutMentions(text: string, allowed: ReadonlySet<string>): string {
  const plain = replaceProse(text, ENTITY, () => '&amp;');
  const addresses = replaceProse(plain, URL, (url) => url.replaceAll('@', '%40'));
  return replaceProse(addresses, MENTION, (whole, [login = '', team]) => {
    const mayNotify = team === '' && allowed.has(login.toLowerCase());
    return mayNotify ? whole : `＠${whole.slice(1)}`;
  });
}
