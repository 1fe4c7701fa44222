import { visible } from '../lib/visible.ts';
import { isApproval, withoutSignature } from '../session/approval.ts';
import { ANY_APP } from '../session/asks.ts';
import type { Ask } from '../session/entries/intent.ts';
import { proseLines, withoutComments } from './prose.ts';
import { isThanks, wantedByMention, wantedBySlash, type Wanted } from './words.ts';

/** More accounts than anybody means. */
const MOST_MENTIONS = 20;
const SLASH = /^ {0,3}\/issuewright(?![\w/-])/i;
/** Underscores around it are emphasis, as long as there is no letter behind them. */
const MENTION =
  /@(?<![a-z\d`@/.\\＠-]_*@)([a-z\d](?:-?[a-z\d]){0,99})(?!_*[a-z\d/-])(?:\[bot\])?/gi;

/**
 * What a comment may ask of Apps, ours among them. What is quoted, shown as code, or hidden from
 * people asks for nothing, and neither does a comment that only thanks.
 */
export function asksIn(markdown: string): readonly Ask[] {
  if (!/@|\/issuewright/i.test(markdown)) return [];
  const comment = withoutSignature(markdown);
  const asks = asksOf(proseLines(comment), comment);
  if (asks.length === 0) return [];
  // What a comment in HTML hides depends on who reads it: it has to be seen in either way.
  const seen = [withoutComments(comment), comment].map(
    (text) => new Set(asksOf(proseLines(visible(text)), comment).map(meaning)),
  );
  const shown = asks.filter((ask) => seen.every((one) => one.has(meaning(ask))));
  return distinct(shown).slice(0, MOST_MENTIONS);
}

function asksOf(lines: readonly string[], comment: string): Ask[] {
  const isOnly = lines.length === 1;
  const said = lines.map((line) => ({
    asks: asksOfLine(line, isOnly),
    thanks: !SLASH.test(line) && isThanks(line.replaceAll(MENTION, ' ')),
  }));
  // Above other words, thanks are how people begin, and the mention says whom all of it is for.
  const asksNoMore = said.every(({ asks, thanks }) => thanks || asks.length > 0);
  return said.flatMap(({ asks, thanks }) => (thanks && asksNoMore ? agreed(asks, comment) : asks));
}

/** Words of praise may agree to a plan; where none waits they ask for nothing that costs. */
const agreed = (asks: readonly Ask[], comment: string): Ask[] =>
  isApproval(comment, true) ? asks.map((ask) => ({ ...ask, for: 'approve', alone: true })) : [];

function asksOfLine(line: string, isOnly: boolean): Ask[] {
  const slash = SLASH.exec(line)?.[0];
  if (slash !== undefined) return [asked(ANY_APP, wantedBySlash(line.slice(slash.length)), isOnly)];
  const logins = new Set([...line.matchAll(MENTION)].map(([, login = '']) => login.toLowerCase()));
  if (logins.size === 0) return [];
  const wanted = wantedByMention(line.replaceAll(MENTION, ' '));
  return [...logins].map((to) => asked(to, wanted, isOnly));
}

const asked = (to: string, { for: wanted, saysMore }: Wanted, isOnly: boolean): Ask => ({
  to,
  for: wanted,
  alone: isOnly && wanted !== 'work' && !saysMore,
});

const meaning = (ask: Ask): string => `${ask.to} ${ask.for}`;

const distinct = (asks: readonly Ask[]): Ask[] => [
  ...new Map(asks.map((ask) => [meaning(ask), ask])).values(),
];
