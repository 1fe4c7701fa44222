import { visible } from '../lib/visible.ts';
import { ANY_APP, COMMANDS } from '../session/asks.ts';
import type { Ask, AskedFor, CommandName } from '../session/entries/intent.ts';
import { proseLines, withoutComments } from './prose.ts';

/** More accounts than anybody means. */
const MOST_MENTIONS = 20;
const SLASH = /^ {0,3}\/issuewright(?![\w/-])/i;
const MENTION = /(?<![\w`@/.\\＠-])@([a-z\d](?:-?[a-z\d]){0,99})(?![\w/-])(?:\[bot\])?/gi;
/** Words beside a command that do not make it a sentence. */
const POLITE = new Set(
  'please pls now thanks thank you ok okay hey hi it this that me everything all work run'.split(
    ' ',
  ),
);

/**
 * What a comment may ask of Apps, ours among them. What is quoted, shown as code, or hidden from
 * people asks for nothing.
 */
export function asksIn(markdown: string): readonly Ask[] {
  if (!/@|\/issuewright/i.test(markdown)) return [];
  const lines = proseLines(markdown);
  const asks = lines.flatMap((line) => asksOfLine(line, lines.length === 1));
  if (asks.length === 0) return [];
  const shown = new Set(proseLines(visible(withoutComments(markdown))).flatMap(addressedIn));
  const seen = asks.filter(({ to }) => shown.has(to));
  return distinct(seen).slice(0, MOST_MENTIONS);
}

const addressedIn = (line: string): readonly string[] =>
  asksOfLine(line, false).map(({ to }) => to);

function asksOfLine(line: string, isOnly: boolean): Ask[] {
  const slash = SLASH.exec(line)?.[0];
  if (slash !== undefined) {
    const wanted = wantedBy(line.slice(slash.length));
    return [{ to: ANY_APP, for: wanted, alone: isOnly && wanted !== 'work' }];
  }
  const logins = new Set([...line.matchAll(MENTION)].map(([, login = '']) => login.toLowerCase()));
  if (logins.size === 0) return [];
  const wanted = wantedBy(line.replaceAll(MENTION, ' '));
  return [...logins].map((to) => ({ to, for: wanted, alone: isOnly && wanted !== 'work' }));
}

/** A command is the one word that is left beside polite ones: "stop using tabs" is work. */
function wantedBy(words: string): AskedFor {
  const all = words
    .toLowerCase()
    .split(/[\s.,:;!?]+/)
    .filter((word) => word !== '' && !POLITE.has(word));
  const [word] = all;
  if (word === undefined || all.length > 1) return 'work';
  const names = [...COMMANDS.keys()];
  const command = names.find((name) => name === word);
  return command ?? (names.some((name) => isNearly(word, name)) ? 'unclear' : 'work');
}

/** One letter is wrong, missing or too many, or two stand the wrong way round. */
function isNearly(word: string, name: CommandName): boolean {
  if (Math.abs(word.length - name.length) > 1 || !/^[a-z]+$/.test(word)) return false;
  let at = 0;
  while (at < word.length && word[at] === name[at]) at += 1;
  const rest = word.slice(at);
  const wanted = name.slice(at);
  const swapped = `${wanted[1] ?? ''}${wanted[0] ?? ''}${wanted.slice(2)}`;
  return (
    rest.slice(1) === wanted.slice(1) ||
    rest.slice(1) === wanted ||
    rest === wanted.slice(1) ||
    rest === swapped
  );
}

const distinct = (asks: readonly Ask[]): Ask[] => [
  ...new Map(asks.map((ask) => [`${ask.to} ${ask.for}`, ask])).values(),
];
