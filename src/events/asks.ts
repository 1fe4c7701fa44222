import { isApproval, withoutSignature } from '../session/said/approval.ts';
import { COMMAND_HELP } from '../session/texts/comments.ts';
import { ANY_APP, CUT, type OwnWords } from '../session/said/asks.ts';
import type { Ask, AskedFor, CommandName } from '../contracts/intent.ts';
import type { AsksNothing } from '../contracts/shown-text.ts';
import { withoutUndefined } from '../lib/without-undefined.ts';
import { isWholeNumber, memoryCommandIn, MOST_NUMBERS, type PlacedWord } from './memory-words.ts';

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
export function asksIn(said: OwnWords): readonly Ask[] {
  const lines = withoutSignature(said.lines);
  const isOnly = lines.length === 1;
  const read = lines.map((line) => ({
    asks: asksOfLine(line, isOnly),
    thanks: !SLASH.test(line) && isThanks(line.replaceAll(MENTION, ' ')),
  }));
  // At the beginning of a longer comment, thanks are a greeting, and the mention is for the whole comment.
  const asksNoMore = read.every(({ asks, thanks }) => thanks || asks.length > 0);
  const all = read.flatMap(({ asks, thanks }): readonly Ask[] => {
    if (!thanks || !asksNoMore) return asks;
    // Praise may approve a plan. If no plan waits, it requests nothing that costs money.
    return isApproval(said, true)
      ? asks.map((ask) => ({ ...ask, for: 'approve', alone: true }))
      : [];
  });
  return joined(all).slice(0, MOST_MENTIONS);
}

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
  { for: wanted, saysMore, numbers, isOff, meant }: RequestedCommand,
  isOnly: boolean,
): Ask => ({
  to,
  for: wanted,
  alone: isOnly && wanted !== 'work' && !saysMore,
  ...withoutUndefined({ numbers, isOff, meant }),
});

/** For another bot, such as `/retest`. */
const OTHER_SLASH = /^\s*\/[a-z][\w-]*(?:\s|$)/i;

/**
 * Whether a comment that names no App asks for something where only we can be meant: it has words of its own,
 * and they are neither for someone else, nor praise, nor approval.
 */
export function isRemark(said: OwnWords): boolean {
  const lines = withoutSignature(said.lines);
  if (isApproval(said, false) || lines.some((line) => line.search(MENTION) !== -1)) return false;
  return lines.some((line) => /\p{L}/u.test(line) && !OTHER_SLASH.test(line) && !isThanks(line));
}

/** At the end of a sentence, and not in an address. */
const QUESTION_MARK = /[?？؟](?![^\s)\]"'”’»*_!?？؟])/u;

/** Whether its author asks something, as a question mark says in any language. */
export const asksQuestion = ({ lines }: OwnWords): boolean =>
  lines.some((line) => QUESTION_MARK.test(line));

/** Whether it begins with the name of an account: all of it is said to that one. */
export const isToSomeone = ({ lines: [first = ''] }: OwnWords): boolean =>
  first.replace(/^[\s*_]+/, '').search(MENTION) === 0;

/**
 * What words in a review are that ask nothing of us and do not name us; `undefined`: they ask for something. `mayAnswer`: a
 * yes may be the answer to something that we said.
 */
export function asksNothing(said: OwnWords, mayAnswer: boolean): AsksNothing | undefined {
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

// What the words after `/issuewright` or a mention ask for.

interface RequestedCommand {
  readonly for: AskedFor;
  /** Of `memory` and `forget`. */
  readonly numbers?: readonly number[];
  /** Of `merge`. */
  readonly isOff?: true;
  /** The command that it is nearly. */
  readonly meant?: CommandName;
  /** There are other words beside the command, which the model should read. */
  readonly saysMore: boolean;
}

const listed = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Words beside a command that do not make it a sentence. */
const FILLERS = listed(
  `please pls kindly just now right immediately asap already again here thanks thank thx ty you ok okay
  hey hi me it this that the everything all work working run running job task session`,
);

/** What `resolve` may name: it always means the conflicts of the pull request. */
const CONFLICT_WORDS = listed('merge conflict conflicts');

const OTHER_NAMES: ReadonlyMap<string, CommandName> = new Map([
  ['cancel', 'stop'],
  ['abort', 'stop'],
  ['halt', 'stop'],
  ['continue', 'resume'],
  ['unpause', 'resume'],
]);

const NAMES: ReadonlyMap<string, CommandName> = new Map([
  ...(Object.keys(COMMAND_HELP) as CommandName[])
    .filter((name) => name !== 'base' && name !== 'merge')
    .map((name) => [name, name] as const),
  ...OTHER_NAMES,
]);

const WORD = new RegExp(String.raw`[\p{L}\p{N}]+|${CUT}`, 'gu');
/** Such as `:tada:`. */
const EMOJI_CODE = /(?<![^\s,.!)]):[a-z\d_+-]+:(?![^\s,.!(])/gi;

/** A command is the only word besides fillers: "stop using tabs" is a request for work. */
const wantedByMention = (text: string): RequestedCommand =>
  memoryWanted(text, false) ?? baseWanted(text) ?? mergeWanted(text) ?? byWords(splitWords(text));

/**
 * A command may be followed by other words if a punctuation mark separates them. Someone who begins with stop
 * or pause does not expect work: if it is unclear, we ask what is meant.
 */
function wantedBySlash(text: string): RequestedCommand {
  const phrase = memoryWanted(text, true) ?? baseWanted(text) ?? mergeWanted(text);
  if (phrase !== undefined) return phrase;
  const single = byWords(splitWords(text));
  const words = placedWordsOf(text);
  const at = words.findIndex(({ word }) => !FILLERS.has(word));
  const name = words[at]?.word ?? '';
  const command = NAMES.get(name);
  if (single.for !== 'work' || command === undefined || NUMBERED.has(command)) return single;
  const isHalt = command === 'stop' || command === 'pause';
  const next = words.findIndex(({ word }, index) => index > at && !FILLERS.has(word));
  const own = words.slice(at, isHalt ? next : at + 1);
  const isParted = own.some(({ end }) => PARTING.test(text.slice(end)));
  if (isParted && (isHalt || name === command)) return { for: command, saysMore: true };
  return isHalt ? { for: 'unclear', meant: command, saysMore: false } : single;
}

/** Commands that are read by `memory-words.ts`. */
const NUMBERED: ReadonlySet<CommandName> = new Set(['memory', 'forget']);

/** What follows the numbers is a reason, for people: the model does not read it. */
function memoryWanted(text: string, isSlash: boolean): RequestedCommand | undefined {
  const parted = (rest: string): boolean => PARTING.test(rest);
  const command = memoryCommandIn(text, withoutFillers(text), { parted, isSlash });
  return command && { ...command, saysMore: false };
}

/** Words that may stand between `base` and its number. GitHub shows `#12` as a link, which is cut out. */
const BEFORE_NUMBER = listed(`on upon top of to pull request pr issue number ${CUT}`);

/** Other words may follow the number if a punctuation mark separates them. */
function baseWanted(text: string): RequestedCommand | undefined {
  const [first, ...rest] = withoutFillers(text);
  if (first?.word !== 'base') return undefined;
  if (rest.length === 0) return { for: 'unclear', meant: 'base', saysMore: false };
  const other = rest.findIndex(({ word }) => !isWholeNumber(word) && !BEFORE_NUMBER.has(word));
  const named = rest.slice(0, other === -1 ? rest.length : other);
  const last = named.findLast(({ word }) => isWholeNumber(word) || word === CUT);
  if (last === undefined) return undefined;
  if (other !== -1 && !PARTING.test(text.slice(last.end))) return undefined;
  return { for: 'base', saysMore: other !== -1 };
}

const MERGE = 'merge when ready';
const DO_NOT_MERGE = listed('do_not_merge don_t_merge dont_merge');

/** Only these words and nothing beside them: nobody wants a merge by mistake. With others, or alone, they are no command. */
function mergeWanted(text: string): RequestedCommand | undefined {
  const words = withoutFillers(text).map(({ word }) => word);
  const isOff =
    DO_NOT_MERGE.has(words.slice(0, -2).join('_')) && words.slice(-2).join(' ') === 'when ready';
  if (isOff || DO_NOT_MERGE.has(words.join('_')))
    return { for: 'merge', isOff: true, saysMore: false };
  if (words.join(' ') === MERGE) return { for: 'merge', saysMore: false };
  const isNearly = words.length === 1 ? words[0] === 'merge' : words.join(' ').startsWith(MERGE);
  return isNearly ? { for: 'unclear', meant: 'merge', saysMore: false } : undefined;
}

const withoutFillers = (text: string): readonly PlacedWord[] =>
  placedWordsOf(text).filter(({ word }) => !FILLERS.has(word));

const placedWordsOf = (text: string): readonly PlacedWord[] =>
  [...text.matchAll(WORD)].map(({ 0: word, index }) => ({
    word: word.toLowerCase(),
    start: index,
    end: index + word.length,
  }));

/** Not the dot in a file's name, nor the hyphen in a word. */
const PARTING = /^[\s*_~]*(?:[,;!?(…–—]|[.:-]+(?![\p{L}\p{N}]))/u;

const splitWords = (text: string): readonly string[] =>
  text.toLowerCase().replaceAll(EMOJI_CODE, ' ').match(WORD) ?? [];

function byWords(all: readonly string[]): RequestedCommand {
  const isResolve = all.find((word) => !FILLERS.has(word)) === 'resolve';
  const words = all.filter(
    (word) => !FILLERS.has(word) && !(isResolve && CONFLICT_WORDS.has(word)),
  );
  const commands = new Set(words.map((word) => NAMES.get(word)));
  const [word] = words;
  const [command] = commands;
  if (command !== undefined && commands.size === 1) return { for: command, saysMore: false };
  const meant = word !== undefined && words.length === 1 ? nearestTo(word) : undefined;
  return meant === undefined
    ? { for: 'work', saysMore: false }
    : { for: 'unclear', meant, saysMore: false };
}

const nearestTo = (word: string): CommandName | undefined =>
  [...NAMES].find(([name]) => isNearly(word, name))?.[1];

/** One letter is wrong, missing or extra, or two are swapped. */
function isNearly(word: string, name: string): boolean {
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

const PRAISE = listed(
  `thanks thank thankyou thx ty cheers kudos bravo great nice good awesome perfect lovely excellent
  amazing brilliant fantastic wonderful lgtm love loved neat`,
);
const BEFORE_PRAISE = listed(
  'so very really a an many much all well that this it s is was you i we looks sounds small short',
);
const BEHIND_PRAISE = listed(
  `so very really a an many much all well that this it s is was you lot again for the and your on here
  job work done super as always indeed to me us how both small short`,
);

/** Whether a person says thanks, or that it is good, and nothing else: "work on it, thanks" says more. */
function isThanks(text: string): boolean {
  const words = splitWords(text);
  const first = words.findIndex(
    (word, at) => PRAISE.has(word) || (word === 'well' && words[at + 1] === 'done'),
  );
  return (
    first !== -1 &&
    words.slice(0, first).every((word) => BEFORE_PRAISE.has(word)) &&
    words.slice(first).every((word) => PRAISE.has(word) || BEHIND_PRAISE.has(word))
  );
}
