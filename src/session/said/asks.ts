// What comments ask for.
import type { Ask, AskedFor, Intent, ReactionPlace, PlacedAsk } from '../../contracts/intent.ts';

const WORK: ReadonlySet<AskedFor> = new Set([
  'work',
  'retry',
  'fix',
  'new',
  'resolve',
  'base',
  'split',
]);

/** Whether it asks for a run. */
export const startsWork = (wanted: AskedFor): boolean => WORK.has(wanted);

/** Whether a line begins with a command. */
export const hasCommand = (lines: readonly string[]): boolean =>
  lines.some((line) => /^\/issuewright/i.test(line));

/** `Ask.to` of a request that names no App. */
export const ANY_APP = '/';

/**
 * What a comment asks of this App. A stop comes before anything else and a pause before all but a stop,
 * because they cost less; otherwise the first command counts, and a command before work.
 */
export function firstAsk(asks: readonly Ask[] | undefined, slug: string): Ask | undefined {
  const ours = (asks ?? []).filter(({ to }) => to === ANY_APP || to === slug.toLowerCase());
  return (
    ours.find((ask) => ask.for === 'stop') ??
    ours.find((ask) => ask.for === 'pause') ??
    ours.find((ask) => ask.for !== 'work') ??
    ours[0]
  );
}

/**
 * Whether a text names the App, as far as its source says: `/issuewright`, `@slug`, or any mention while
 * the slug is not known. What it says is read later, from what GitHub shows of it.
 */
export function namesApp(text: string, slug: string | undefined): boolean {
  const lower = text.toLowerCase();
  return lower.includes('/issuewright') || lower.includes(`@${slug?.toLowerCase() ?? ''}`);
}

/** What people reach the App by. */
export interface AppNames {
  /** `undefined`: not known yet. */
  readonly slug: string | undefined;
  /** A person's account that stands for the App as an assignee, in lower case. */
  readonly assignee: string | undefined;
}

/** Whether an account stands for the App. One of a bot may, until the slug is known. */
export function standsForApp(login: string, { slug, assignee }: AppNames): boolean {
  const lower = login.toLowerCase();
  if (!lower.endsWith('[bot]')) return lower === assignee;
  return slug === undefined || lower === `${slug.toLowerCase()}[bot]`;
}

/** Who the issue was assigned to, or is no longer; `undefined` if the intent is another one. */
export const assigneeIn = (intent: Intent): string | undefined =>
  intent.kind === 'start' || intent.kind === 'unassigned' ? intent.assignee : undefined;

/** Takes back what started the work. */
export const isWithdrawal = (
  intent: Intent,
): intent is Extract<Intent, { kind: 'unlabeled' | 'unassigned' | 'untyped' }> =>
  intent.kind === 'unlabeled' || intent.kind === 'unassigned' || intent.kind === 'untyped';

/**
 * The same intent, addressed only if it names this App; `undefined` if nothing is left of it otherwise. `says`: its words, if
 * it does not hold them.
 */
export function forApp(intent: Intent, names: AppNames, says?: string): Intent | undefined {
  const assignee = assigneeIn(intent);
  if (assignee !== undefined) return standsForApp(assignee, names) ? intent : undefined;
  const { slug } = names;
  if (slug === undefined) return intent;
  if (!('addressed' in intent) || intent.addressed === undefined) return intent;
  if (namesApp(says ?? intent.body, slug)) return intent;
  if (intent.kind === 'start') return undefined;
  const { addressed: _addressed, thread: _thread, ...plain } = intent;
  return plain;
}

/** Whether a review of a pull request is wanted, and no work on it. */
export const isReviewWanted = (intent: Intent): boolean =>
  intent.kind === 'start' && intent.review !== undefined;

/** Whether it is for all of the pull request, and not for what was pushed to it. */
export const isAskedForAll = (intent: Intent): boolean =>
  intent.kind === 'start' && intent.review !== 'pushed';

/** Whether a person asks for it, and not the settings once something happened. */
export const isAskedByPerson = (intent: Intent): boolean =>
  intent.kind !== 'start' ||
  intent.review === undefined ||
  intent.review === 'label' ||
  intent.review === 'request';

/** Whether a person asks in so many words or signs. A type only says what an issue is, whoever reports it. */
export const isPlainRequest = (intent: Intent): boolean =>
  isAskedByPerson(intent) && !(intent.kind === 'start' && intent.type !== undefined);

/** Whether it is said or done on a pull request. */
export const isOnPull = (intent: Intent): boolean =>
  intent.kind === 'review' ||
  isReviewWanted(intent) ||
  intent.kind === 'check_action' ||
  ((intent.kind === 'comment' || intent.kind === 'edited') && intent.on === 'pull_request');

/** What a review says is about the change, unless it names the App. */
export const maySayYes = (intent: Intent, namesUs: boolean): boolean =>
  intent.kind === 'comment' || ((intent.kind === 'review' || intent.kind === 'edited') && namesUs);

/** Where a comment or review asks for something. `asks`: those of a review. */
export function placesOf(
  intent: Intent,
  asks: readonly PlacedAsk[] = [],
): readonly ReactionPlace[] {
  return intent.kind === 'comment'
    ? [{ on: 'comment', id: intent.commentId }]
    : asks.map((ask) => ask.in);
}

export const isSamePlace = (one: ReactionPlace, other: ReactionPlace): boolean =>
  one.on === other.on && one.id === other.id;

/** Whether it may open a new session. */
export const mayOpenSession = (intent: Intent): boolean =>
  (intent.kind === 'start' && intent.review !== 'pushed') ||
  ((intent.kind === 'comment' || intent.kind === 'review' || intent.kind === 'edited') &&
    intent.addressed === true);

/**
 * What a person says themselves in a text, as opposed to what they quote, show as code, or link to. Read
 * from what GitHub shows of it.
 */
export interface OwnWords {
  /** One for each line that people see. List items, headings and rows keep their mark. */
  readonly lines: readonly string[];
  /** The text also contains something that does not count as said: a quotation, a code block or a table. */
  readonly hasMore: boolean;
  /** The lines that name issues or pull requests of the repository, with their numbers (`#12`); missing without any. */
  readonly references?: readonly string[];
}

/** Stands in a line for code, a link or an image that was cut out of it: it counts as a word. */
export const CUT = '\uFFFC';

export const NOTHING_SAID: OwnWords = { lines: [], hasMore: false };

// Which issues or pull requests a text says that its work depends on. Pure.
/** More than anyone names. */
const MOST = 10;
const LONGEST_SENTENCE = 300;

const NAMED = String.raw`(?:(?:the\s+)?(?:pull\s+request|pr|issue)s?\s+)?#\d{1,9}`;

/** A sentence that says nothing else: "Depends on #12", "This is blocked by #12 and #13.", but no question. */
const DEPENDS = new RegExp(
  String.raw`^\W*(?:(?:this|it)(?:\s+(?:issue|work|task|change))?\s+)?(?:is\s+)?` +
    String.raw`(?:depends\s+on|blocked\s+by|(?:based|stacked|builds)\s+(?:on\s+top\s+of|upon|on))\W+` +
    String.raw`(${NAMED}(?:[\s,&+]+(?:and\s+)?${NAMED})*)[^\w?]*(?:\([^()?]*\)[^\w?]*)?$`,
  'iu',
);

/** The numbers, each once. */
export const dependenciesIn = ({ references = [] }: OwnWords): readonly number[] =>
  numbersIn(
    references
      .flatMap((line) => line.split(/(?<=[.!?;])\s+/u))
      .filter((sentence) => sentence.length <= LONGEST_SENTENCE)
      .flatMap((sentence) => DEPENDS.exec(sentence)?.[1] ?? []),
  );

/** What the command `base` names. GitHub shows most numbers as links, which are no part of the lines. */
export function baseNamedIn({ references = [], lines }: OwnWords): readonly number[] {
  const linked = references.flatMap(numberAfterBase);
  return (linked.length > 0 ? linked : lines.flatMap(numberAfterBase)).slice(0, 1);
}

/** Characters of a line in which a person asks for a base. */
const LONGEST_REQUEST = 500;

const numberAfterBase = (line: string): readonly number[] => {
  const [, number] =
    /(?:^\s*\/issuewright|@\S+)\D*\bbase\b\D*(\d{1,9})(?!\w)/iu.exec(
      line.slice(0, LONGEST_REQUEST),
    ) ?? [];
  return number === undefined ? [] : [Number(number)];
};

const numbersIn = (texts: readonly string[]): readonly number[] => {
  const all = texts.flatMap((text) => [...text.matchAll(/#(\d{1,9})(?!\w)/gu)]);
  return [...new Set(all.map(([, number]) => Number(number)))].slice(0, MOST);
};
