import { isApproval, withoutSignature } from '../session/said/approval.ts';
import { ANY_APP } from '../session/said/asks.ts';
import type { Ask } from '../contracts/intent.ts';
import type { AsksNothing } from '../contracts/shown-text.ts';
import type { Said } from '../session/said/said.ts';
import { MOST_NUMBERS } from './memory-words.ts';
import { isThanks, wantedByMention, wantedBySlash, type RequestedCommand } from './words.ts';

/** More accounts than anyone addresses. */
const MOST_MENTIONS = 20;
const SLASH = /^ {0,3}\/issuewright(?![\w/-])/i;
/** Underscores around it are emphasis unless a letter follows them. */
const MENTION =
  /@(?<![a-z\d`@/.\\＠-]_*@)([a-z\d](?:-?[a-z\d]){0,99})(?!_*[a-z\d/-])(?:\[bot\])?/gi;

/**
 * What a comment may ask of Apps, ours among them, by what its author says in it. A comment that only
 * thanks asks for nothing.
 */
export function asksIn(said: Said): readonly Ask[] {
  const lines = withoutSignature(said.lines);
  const isOnly = lines.length === 1;
  const read = lines.map((line) => ({
    asks: asksOfLine(line, isOnly),
    thanks: !SLASH.test(line) && isThanks(line.replaceAll(MENTION, ' ')),
  }));
  // At the beginning of a longer comment, thanks are a greeting, and the mention is for the whole comment.
  const asksNoMore = read.every(({ asks, thanks }) => thanks || asks.length > 0);
  const all = read.flatMap(({ asks, thanks }) =>
    thanks && asksNoMore ? agreed(asks, said) : asks,
  );
  return joined(all).slice(0, MOST_MENTIONS);
}

/** Praise may approve a plan. If no plan waits, it requests nothing that costs money. */
const agreed = (asks: readonly Ask[], said: Said): Ask[] =>
  isApproval(said, true) ? asks.map((ask) => ({ ...ask, for: 'approve', alone: true })) : [];

function asksOfLine(line: string, isOnly: boolean): Ask[] {
  const slash = SLASH.exec(line)?.[0];
  if (slash !== undefined) return [asked(ANY_APP, wantedBySlash(line.slice(slash.length)), isOnly)];
  const logins = new Set([...line.matchAll(MENTION)].map(([, login = '']) => login.toLowerCase()));
  if (logins.size === 0) return [];
  const wanted = wantedByMention(line.replaceAll(MENTION, ' '));
  return [...logins].map((to) => asked(to, wanted, isOnly));
}

const asked = (
  to: string,
  { for: wanted, saysMore, numbers, meant }: RequestedCommand,
  isOnly: boolean,
): Ask => ({
  to,
  for: wanted,
  alone: isOnly && wanted !== 'work' && !saysMore,
  ...(numbers === undefined ? {} : { numbers }),
  ...(meant === undefined ? {} : { meant }),
});

/** For another bot, such as `/retest`. */
const OTHER_SLASH = /^\s*\/[a-z][\w-]*(?:\s|$)/i;

/**
 * Whether a comment that names no App asks for something where only we can be meant: it has words of its own,
 * and they are neither for someone else, nor praise, nor approval.
 */
export function isRemark(said: Said): boolean {
  const lines = withoutSignature(said.lines);
  if (isApproval(said, false) || lines.some((line) => line.search(MENTION) !== -1)) return false;
  return lines.some((line) => /\p{L}/u.test(line) && !OTHER_SLASH.test(line) && !isThanks(line));
}

/** At the end of a sentence, and not in an address. */
const QUESTION_MARK = /[?？؟](?![^\s)\]"'”’»*_!?？؟])/u;

/** Whether its author asks something, as a question mark says in any language. */
export const asksQuestion = ({ lines }: Said): boolean =>
  lines.some((line) => QUESTION_MARK.test(line));

/** Whether it begins with the name of an account: all of it is said to that one. */
export const isToSomeone = ({ lines: [first = ''] }: Said): boolean =>
  first.replace(/^[\s*_]+/, '').search(MENTION) === 0;

/**
 * What words in a review are that ask nothing of us and do not name us; `undefined`: they ask for something. `mayAnswer`: a
 * yes may be the answer to something that we said.
 */
export function asksNothing(said: Said, mayAnswer: boolean): AsksNothing | undefined {
  const lines = withoutSignature(said.lines);
  if (isToSomeone(said)) return 'for_others';
  if (said.hasMore || lines.length === 0) return undefined;
  if (!mayAnswer && isApproval(said, false)) return 'praise';
  const isForOthers = (line: string): boolean =>
    line.search(MENTION) !== -1 || OTHER_SLASH.test(line);
  if (!lines.every((line) => isThanks(line) || isForOthers(line))) return undefined;
  return lines.some(isForOthers) ? 'for_others' : 'praise';
}

const meaning = (ask: Ask): string => `${ask.to} ${ask.for}`;

/** Each once; the numbers of equal commands are joined. */
export function joined(asks: readonly Ask[]): Ask[] {
  const found = new Map<string, Ask>();
  for (const ask of asks) {
    const before = found.get(meaning(ask))?.numbers ?? [];
    const { numbers } = ask;
    found.set(
      meaning(ask),
      numbers === undefined
        ? ask
        : { ...ask, numbers: [...new Set([...before, ...numbers])].slice(0, MOST_NUMBERS) },
    );
  }
  return [...found.values()];
}
